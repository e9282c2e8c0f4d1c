"""Double DQN at thousands of tables: they play, the learner's decisions go into a replay, the network learns from it.

An update plays a segment, some turns of every table, adds the transitions of the learner's seat (``transitions.py``) to
the replay ring (``replay.py``) and makes a gradient step (``double_dqn.py``) for every so many decisions of the
segment, whoever's they were. Opponents come in phases:

    a mix of players   each hand against one of them (``sparring.py``)
    past selves        snapshots of the network, taken now and then (``opponent_pool.py``); a segment is against one
    one player         to learn what beats it

A phase goes on from the network of the one before it, with an empty replay, new tables and an exploration of its own.
The learner plays one seat of Leduc or of heads-up hold'em, where it chooses by the game's menu.

On many devices the tables are spread, and so is the ring, of which each keeps a part: 166 MB of a hold'em ring of
100,000. What a batch draws is brought to all of them, and each makes every gradient step by itself: a step of 64
transitions is bound by latency, so that to share it out and add up gradients 80 times an update gains nothing.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import flax.struct
import jax
import jax.numpy as jnp

from jaxpoker import core, devices
from jaxpoker.games.protocols import StreetGame
from jaxpoker.learners.experience import opponent_pool, sparring
from jaxpoker.learners.experience.opponent_pool import Pool
from jaxpoker.learners.experience.sparring import Sparring, Tables
from jaxpoker.learners.q_learning import replay, transitions
from jaxpoker.learners.q_learning.double_dqn import DoubleDQN, Learned
from jaxpoker.learners.q_learning.replay import Replay
from jaxpoker.learners.q_learning.transitions import Transition, Waiting
from jaxpoker.players import Entrant, Player, networks

Array = jax.Array

FIRST_METRICS = ("phase", "return", "loss", "q_magnitude", "epsilon", "replay_age")  # in the order of interest
MARKS = 3  # of a phase: the network is kept after each third of it
BY_ROW = ("tables", "waiting", "replay.rows")  # of a state: what devices share


@dataclasses.dataclass(frozen=True)
class Phase:
    """Who the learner plays, and for how long."""

    name: str
    shares: tuple[float, ...]  # how often each of the learner's opponents is met, the past self last
    updates: int
    rule: DoubleDQN  # how it learns


@flax.struct.dataclass
class TrainState:
    """Everything that an update depends on."""

    step: Array  # [] int32, updates done
    key: Array  # of the whole run
    learned: Learned  # in this phase
    tables: Tables
    waiting: Waiting
    replay: Replay
    pool: Pool
    album: Any  # params [phases * MARKS, ...] at the marks of each phase that were passed, the last of them its end


@dataclasses.dataclass(frozen=True, eq=False)
class DQN:
    """The learner. What an update plays is ``tables * turns`` decisions of both seats."""

    game: core.Game
    opponents: tuple[Entrant, ...]
    phases: tuple[Phase, ...]
    tables: int = 1_024
    turns: int = 8  # of a segment
    decisions_per_step: int = 128  # of both seats, for each gradient step
    batch: int = 64  # transitions of a gradient step
    capacity: int = 100_000  # transitions of the replay
    prioritised: bool = False
    steps: int = 1  # n of n-step transitions
    discount: float = 1.0  # γ, from one decision to the learner's next: a hand is short
    reward_scale: float = 1.0  # what rewards are multiplied by: the unit of values
    snapshots: int = 8  # past selves that are kept
    snapshot_every: int = 50  # updates
    deals: int = 0  # hands that are dealt for an update, see ``sparring.py``; 0: every game is dealt anew
    win_samples: int = 0  # of the win probabilities that they carry
    first: Any = None  # params to begin with; None: those of a network that has learned nothing
    mesh: jax.sharding.Mesh | None = None  # its devices share the tables and the replay; each learns all of it

    def __post_init__(self) -> None:
        if not isinstance(self.game, StreetGame):
            raise ValueError(f"Double DQN tells actions by street, and {self.game.name} has none: it is no StreetGame")
        for name in ("tables", "turns", "decisions_per_step", "batch", "steps", "snapshots", "snapshot_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}: it is 1 or more")
        decisions = self.tables * self.turns
        if decisions % self.decisions_per_step:
            raise ValueError(
                f"{decisions} decisions of an update, {self.decisions_per_step} for each gradient step: "
                "the one must divide the other"
            )
        if decisions > self.capacity:
            raise ValueError(f"a replay of {self.capacity:,} transitions: an update brings up to {decisions:,}")
        if not self.phases or min(phase.updates for phase in self.phases) < 1:
            raise ValueError("a learner has phases, of 1 update or more each")
        for phase in self.phases:
            self._sparring(phase)  # the shares make sense
        devices.require_even(self.mesh, self.tables)
        devices.require_even(self.mesh, self.capacity, "transitions of the replay")

    @property
    def gradient_steps(self) -> int:
        """Of an update."""
        return self.tables * self.turns // self.decisions_per_step

    @property
    def updates(self) -> int:
        """Of all phases."""
        return sum(phase.updates for phase in self.phases)

    @property
    def network(self) -> Any:
        return self.phases[0].rule.network

    @functools.cached_property
    def player(self) -> Player:
        """Who plays by the network's values."""
        return networks.of_values(self.network, self.game)

    # --- the run ------------------------------------------------------------------------------

    def init(self, key: Array) -> TrainState:
        return devices.begun(self.mesh, self._init, key, BY_ROW)

    def _init(self, key: Array) -> TrainState:
        params_key, table_key = jax.random.split(jax.random.fold_in(key, 0))
        first = jax.tree.map(jnp.array, self.first)  # buffers of its own: what is learned is donated
        return self._first_state(key, table_key, self.network.init(params_key) if first is None else first)

    @functools.partial(jax.jit, static_argnums=0)
    def _first_state(self, key: Array, table_key: Array, params: Any) -> TrainState:
        phase = self.phases[0]
        learned = phase.rule.of(params)
        return TrainState(
            step=jnp.zeros((), jnp.int32),
            key=key,
            learned=learned,
            tables=self._begin(phase, table_key, params),
            waiting=transitions.nobody_waits(self.game, self.tables, self.network.floats),
            replay=replay.empty(transitions.blank(self.game, self.network.floats), self.capacity, self.prioritised),
            pool=opponent_pool.first_pool(params, self.snapshots),
            album=jax.tree.map(lambda x: jnp.stack([x] * (MARKS * len(self.phases))), params),
        )

    def update(self, state: TrainState) -> tuple[TrainState, dict[str, Array]]:
        """A segment of every table, and the gradient steps that it pays for."""
        place, done = self.phase_at(int(state.step))
        if place and not done:
            state = self._enter(place, state)
        after, found = self._update(place, state, jnp.int32(self._mark(place, done + 1)), self._given_params)
        return after, {name: found[name] for name in FIRST_METRICS} | found

    def phase_at(self, step: int) -> tuple[int, int]:
        """Which phase the update after ``step`` of them is of, and how many that phase had before."""
        for place, phase in enumerate(self.phases):
            if step < phase.updates:
                return place, step
            step -= phase.updates
        return len(self.phases) - 1, self.phases[-1].updates + step

    def _mark(self, place: int, done: int) -> int:
        """The place in the album of the network after so many updates of a phase; beyond its end if it has none."""
        updates = self.phases[place].updates
        marks = [-(-updates * (mark + 1) // MARKS) for mark in range(MARKS)]
        return MARKS * place + marks.index(done) if done in marks else MARKS * len(self.phases)

    def after_phase(self, state: TrainState, place: int) -> Any:
        """The params at the end of a phase."""
        return jax.tree.map(lambda x: x[MARKS * place + MARKS - 1], state.album)

    @functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=2)
    def _enter(self, place: int, state: TrainState) -> TrainState:
        """The beginning of a phase: the network goes on, everything around it is new."""
        phase, params = self.phases[place], state.learned.params
        begun: TrainState = state.replace(  # type: ignore[attr-defined]
            learned=phase.rule.of(params),
            tables=self._begin(phase, jax.random.fold_in(jax.random.fold_in(state.key, 0), place), params),
            waiting=transitions.nobody_waits(self.game, self.tables, self.network.floats),
            replay=replay.emptied(state.replay),
            pool=opponent_pool.first_pool(params, self.snapshots),  # nobody from before
        )
        return devices.placed(self.mesh, begun, BY_ROW)

    @functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=2)
    def _update(
        self, place: int, state: TrainState, mark: Array, given_params: tuple[Any, ...]
    ) -> tuple[TrainState, dict[str, Array]]:
        phase = self.phases[place]
        play_key, pool_key, learn_key = jax.random.split(jax.random.fold_in(state.key, state.step + 1), 3)
        params = (*given_params, opponent_pool.draw(state.pool, pool_key))
        tables, waiting, given, gives, played = self._play(phase, state, params, play_key)
        given = transitions.n_step(given, gives, self.steps)
        rows, there = devices.everywhere(self.mesh, jax.tree.map(_in_a_row, (given, gives)))
        ring = replay.add(state.replay, rows, there)
        learned, ring, metrics = self._learn(phase.rule, state.learned, ring, learn_key)
        step = state.step + 1
        album = jax.tree.map(lambda kept, now: kept.at[mark].set(now, mode="drop"), state.album, learned.params)
        pool = opponent_pool.with_snapshot(state.pool, learned.params, step % self.snapshot_every == 0)
        after = TrainState(step, state.key, learned, tables, waiting, ring, pool, album)
        found = {"phase": jnp.int32(place), **played, **metrics}
        return devices.placed(self.mesh, after, BY_ROW), devices.everywhere(self.mesh, found)

    # --- its parts ----------------------------------------------------------------------------

    def _play(
        self, phase: Phase, state: TrainState, params: tuple[Any, ...], key: Array
    ) -> tuple[Tables, Waiting, Transition, Array, dict[str, Array]]:
        """A segment: the tables and what waits after it, the transitions ``[turns, tables]`` where there are any, and
        what happened, in numbers."""
        spar = self._sparring(phase)
        seats = spar.own_seats(self.tables)
        hands = spar.hands(key)

        def turn(carry: tuple[Tables, Waiting], key: Array) -> tuple[tuple[Tables, Waiting], Any]:
            tables, waiting = carry
            explore_key, turn_key = jax.random.split(key)
            hand = tables.state
            seen = jax.vmap(functools.partial(self.network.see, self.game))(hand, seats)
            legal = hand.legal_action_mask
            action = phase.rule.explore(state.learned, seen, legal, explore_key)
            choice = sparring.choice_of(self.game, hand, action)
            tables, (is_own, reward, over) = spar.turn(tables, choice, params, turn_key, hands)
            told = transitions.SeatTurn(seen, legal, action, is_own, self.reward_scale * reward, over)
            waiting, given, gives = transitions.after_turn(waiting, told, self.discount)
            mix = jnp.zeros((len(self.streets), self.game.num_actions)).at[self._street(hand), action].add(is_own)
            return (tables, waiting), (given, gives, (reward.sum(), over.sum(), is_own.sum(), mix))

        carry = (state.tables, state.waiting)
        (tables, waiting), (given, gives, counts) = jax.lax.scan(turn, carry, jax.random.split(key, self.turns))
        won, hands, own, mix = jax.tree.map(lambda x: x.sum(axis=0), counts)
        often = mix / jnp.maximum(mix.sum(axis=1, keepdims=True), 1)
        played = {
            "return": won / jnp.maximum(hands, 1),  # of a hand, in the game's unit
            "hands": hands,
            "decisions": jnp.int32(self.tables * self.turns),
            "own_decisions": own,
        } | {
            f"action/{street}/{action}": often[i, j]
            for i, street in enumerate(self.streets)
            for j, action in enumerate(self.actions)
        }
        return tables, waiting, given, gives, played

    def _learn(
        self, rule: DoubleDQN, learned: Learned, ring: Replay, key: Array
    ) -> tuple[Learned, Replay, dict[str, Array]]:
        """The gradient steps of an update, on batches that are drawn at once."""
        drawn = replay.sample(ring, key, self.gradient_steps * self.batch)
        batches, weight = jax.tree.map(
            lambda x: x.reshape(self.batch, self.gradient_steps, *x.shape[1:]).swapaxes(0, 1),
            devices.everywhere(self.mesh, (drawn.rows, drawn.weight)),
        )
        learned, error, metrics = rule.update(learned, batches, weight)
        ring = replay.with_errors(ring, drawn.place, error.swapaxes(0, 1).reshape(-1))
        return learned, ring, {**metrics, "replay_age": drawn.age.mean()}

    def _begin(self, phase: Phase, key: Array, params: Any) -> Tables:
        """The tables before the first segment, at which the past self is one with ``params``."""
        return self._sparring(phase).begin(key, self.tables, (*self._given_params, params))

    def _sparring(self, phase: Phase) -> Sparring:
        given = tuple(opponent.player for opponent in self.opponents)
        return Sparring(self.game, (*given, self.player), phase.shares, self.deals, self.win_samples)

    @property
    def _given_params(self) -> tuple[Any, ...]:
        return tuple(opponent.params for opponent in self.opponents)

    # --- what metrics are called --------------------------------------------------------------

    @property
    def streets(self) -> tuple[str, ...]:
        assert isinstance(self.game, StreetGame)
        return self.game.street_names

    @property
    def actions(self) -> tuple[str, ...]:
        """As they are called on the last street."""
        assert isinstance(self.game, StreetGame)
        last = len(self.game.street_names) - 1
        return tuple(self.game.action_text(action, last) for action in range(self.game.num_actions))

    def _street(self, state: Any) -> Array:
        assert isinstance(self.game, StreetGame)
        return self.game.street(state)


def _in_a_row(x: Array) -> Array:
    """``[turns * tables, ...]`` of ``[turns, tables, ...]``."""
    return x.reshape(-1, *x.shape[2:])
