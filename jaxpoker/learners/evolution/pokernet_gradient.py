"""Policy gradient for PokerNet (REINFORCE, Williams 1992): what evolution is compared with.

The network and its eight features are those that evolve. Its output is the mean μ of a normal distribution with
standard deviation σ; o drawn from it is the part of the stack that the player is willing to put in
(``pokernet.chips_to``). With A the advantage of the hand that decision t belongs to, an update descends

    loss = - sum over decisions of A log N(o_t; μ_t, σ) / hands  +  pull * mean of μ_t²

One update plays a segment of a session at many tables, against all opponents of a family, stacks reset for every
hand. Several tables play the very same deals from the same seat against the same opponent, and

    A = (winnings - mean winnings of the other tables with this deal) / scale of this opponent

so that the luck of the deal cancels and nobody's big pots drown the lessons of small ones. σ falls over the updates:
it is the policy's whole entropy, log(σ sqrt(2 π e)). The pull keeps μ off the ends of tanh for as long as σ is large:
without it, training ended at a player that is all-in with every hand, where hardly anything else is tried any more.

Memory: the game LSTM begins anew with every hand. The opponent LSTM is carried from segment to segment of a session;
gradients flow through one segment only.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import optax

from jaxpoker import core, devices, match, statistics
from jaxpoker.games.session import Session
from jaxpoker.learners.evolution.learner import NETWORK, OPPONENT, SEATS, Protocol, is_turn_of
from jaxpoker.models import pokernet
from jaxpoker.players import Player, win_probability
from jaxpoker.players.networks import pokernet as pokernet_player

Array = jax.Array

LEAST_SCALE = 0.1  # big blinds: an opponent's advantages are not blown up beyond that
BY_ROW = ("memory",)  # of a state: what devices share


class Segment(NamedTuple):
    """What the network saw and did in a segment: T decisions at each of N tables, the earliest first."""

    features: Array  # [T, N, 8]
    output: Array  # [T, N] o as drawn, not its mean
    hand: Array  # [T, N] int32, which of the segment's hands
    decides: Array  # [T, N] bool; a table that is through with its hands decides no more


@flax.struct.dataclass
class TrainState:
    """Everything that an update depends on."""

    step: Array  # [] int32, updates done
    key: Array  # of the whole run
    genome: Array  # [14545]
    optimiser: Any
    memory: pokernet.Memory  # [tables, ...] between two hands: what is remembered of the opponents


@dataclasses.dataclass(frozen=True, eq=False)
class PokerNetGradient:
    """The learner. Tables are laid out opponent by opponent, then by set of decks, by seat and by copy."""

    protocol: Protocol  # its game and its family; stacks are reset for every hand in any case
    updates: int = 600
    sets: int = 4  # of decks against each opponent in an update
    copies: int = 8  # tables that play the same set of decks from the same seat
    hands: int = 8  # of a segment
    segments: int = 16  # of a session, after which a new opponent sits down
    decisions_per_hand: int = 6  # on average, at most: the hands that a table does not end in time teach nothing
    win_samples: int = 100  # per flop and turn; before the flop and on the river win probabilities are exact
    learning_rate: tuple[float, float] = (1e-3, 1e-4)  # Adam's, of the first update and of the last; falls evenly
    max_gradient: float = 1.0  # norm beyond which gradients are cut
    spread: tuple[float, float] = (0.7, 0.05)  # σ of the first update and of the last; its logarithm falls evenly
    pull: float = 0.3
    initial_spread: float = 0.3  # standard deviation of the first genes
    mesh: jax.sharding.Mesh | None = None  # its devices share the tables

    def __post_init__(self) -> None:
        if self.copies < 2:
            raise ValueError(f"copies = {self.copies}: a table is compared with others that play its deals, at least 2")
        devices.require_even(self.mesh, self.tables)

    @property
    def tables(self) -> int:
        return len(self.protocol.family) * self.sets * SEATS * self.copies

    def init(self, key: Array) -> TrainState:
        return devices.begun(self.mesh, self._init, key, BY_ROW)

    @functools.partial(jax.jit, static_argnums=0)
    def _init(self, key: Array) -> TrainState:
        (genome,) = pokernet.random_genomes(jax.random.fold_in(key, 0), 1, self.initial_spread)
        return TrainState(jnp.zeros((), jnp.int32), key, genome, self._optimiser.init(genome), self._new_opponents())

    def update(self, state: TrainState) -> tuple[TrainState, dict[str, Array]]:
        """One segment at every table and a step along its gradient; metrics are of the policy that played."""
        state, metrics, by_opponent = self._segment(state)
        names = enumerate(self.protocol.family)
        return state, metrics | {f"{what}/{name}": x[o] for o, name in names for what, x in by_opponent.items()}

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def _segment(self, state: TrainState) -> tuple[TrainState, dict[str, Array], dict[str, Array]]:
        deal_key, play_key = jax.random.split(jax.random.fold_in(state.key, state.step + 1))
        spread = self.spread_at(state.step)
        # Tables change opponents at different times: an update sees the beginnings and the ends of sessions.
        leaves = (jnp.arange(self.tables) + state.step) % self.segments == 0
        memory = jax.vmap(core.select)(leaves, self._new_opponents(), state.memory)
        segment, end = self.play(state.genome, memory, spread, deal_key, play_key)
        advantages, ended = self.advantages(end)
        loss, gradient = jax.value_and_grad(loss_of)(state.genome, segment, memory, advantages, spread, self.pull)
        step, optimiser = self._optimiser.update(gradient, state.optimiser)
        genome = jnp.asarray(optax.apply_updates(state.genome, step))
        after = TrainState(state.step + 1, state.key, genome, optimiser, pokernet.new_hand(end.memories[NETWORK]))

        counts = jax.tree.map(self._by_opponent, jax.tree.map(lambda x: x[:, NETWORK], end.counts))
        won = self._by_opponent(end.winnings[:, NETWORK])
        metrics = {
            "loss": loss,
            "gradient_norm": jnp.linalg.norm(gradient),
            "spread": spread,
            "hands": counts.hands.sum(),
            "hands_cut": 1 - ended.mean(),  # part of the hands that did not end in time
            "decisions": end.decisions.sum(),
        }
        earnings = 1000 * won / jnp.maximum(counts.hands, 1)  # mBB/hand
        by_opponent = {"earnings": earnings, **statistics.rates(counts)}
        after = devices.placed(self.mesh, after, BY_ROW)
        return after, *devices.everywhere(self.mesh, (metrics, by_opponent))

    def spread_at(self, step: Array) -> Array:
        """σ of an update: geometric from the first value to the last."""
        first, last = self.spread
        return first * (last / first) ** jnp.minimum(step / max(self.updates - 1, 1), 1.0)

    # --- playing ------------------------------------------------------------------------------

    def play(
        self, genome: Array, memory: pokernet.Memory, spread: Array, deal_key: Array, play_key: Array
    ) -> tuple[Segment, match.Running]:
        """A segment of every table with the network's decisions, and how the tables ``[N]`` ended up."""
        params = pokernet.params_of(genome)
        session, pair, game = Session(self.protocol.game), self._pair, self.protocol.game
        opponents, seats, deals = devices.spread(self.mesh, self._decks(deal_key))

        def begin(opponent: Array, seat: Array, deals: Any) -> match.Running:
            return match.sit_down(session, pair, (params, opponent), session.start(deals), seat, by_hand=True)

        def acted(running: match.Running, place: int, choice: Array, memory: Any) -> match.Running:
            """After everybody's choice at ``place``, where it is their turn."""

            def one_table(running: match.Running, acts: Array, choice: Array, memory: Any) -> match.Running:
                memories = tuple(memory if p == place else kept for p, kept in enumerate(running.memories))
                return core.select(acts, match.advance(session, pair, running, choice, memories), running)

            return jax.vmap(one_table)(running, is_turn_of(session, running, place), choice, memory)

        def opponents_act(loop: tuple[match.Running, Array]) -> tuple[match.Running, Array]:
            running, key = loop
            key, dice = jax.random.split(key)
            think = jax.vmap(pair[OPPONENT].act, in_axes=(0, 0, None, 0, 0))
            dice = jax.random.split(dice, self.tables)
            choice, memory = think(opponents, running.memories[OPPONENT], game, running.table.hand, dice)
            return acted(running, OPPONENT, choice, memory), key

        def decision(running: match.Running, key: Array) -> tuple[match.Running, Segment]:
            opponents_key, noise_key = jax.random.split(key)
            waiting = (running, opponents_key)
            running, _ = jax.lax.while_loop(
                lambda loop: is_turn_of(session, loop[0], OPPONENT).any(), opponents_act, waiting
            )
            hand = running.table.hand
            seen = jax.vmap(
                lambda state: pokernet.features(game, state, win_probability(state, state.current_player, key))
            )(hand)
            mean, memory = pokernet.apply(params, seen, running.memories[NETWORK])
            output = mean + spread * jax.random.normal(noise_key, mean.shape)
            choice = jax.vmap(lambda state, o: pokernet.chips_to(game, game.facing(state), o))(hand, output)
            recorded = Segment(seen, output, running.table.hand_index, is_turn_of(session, running, NETWORK))
            return acted(running, NETWORK, choice, memory), recorded

        running = jax.vmap(begin)(opponents, seats, deals)
        running = devices.spread(self.mesh, running._replace(memories=(memory, running.memories[OPPONENT])))
        end, segment = jax.lax.scan(decision, running, jax.random.split(play_key, self.decisions_per_hand * self.hands))
        return segment, end

    def advantages(self, end: match.Running) -> tuple[Array, Array]:
        """A ``[N, hands]`` of every hand of a segment, 0 where it did not end, and which ended ``[N, hands]``."""
        family = len(self.protocol.family)
        ended = jnp.arange(self.hands) < (end.table.hand_index + end.table.over)[:, None]
        won = jnp.where(ended, end.by_hand[..., NETWORK], 0.0)  # type: ignore[index]
        copies = (-1, self.copies, self.hands)
        own, has = won.reshape(copies), ended.reshape(copies)
        others = has.sum(axis=1, keepdims=True) - has
        baseline = (own.sum(axis=1, keepdims=True) - own) / jnp.maximum(others, 1)
        advantage = jnp.where(has & (others > 0), own - baseline, 0.0).reshape(family, -1)  # big blinds
        scale = jnp.sqrt((advantage**2).mean(axis=1, keepdims=True))
        return (advantage / jnp.maximum(scale, LEAST_SCALE)).reshape(won.shape), ended

    def _decks(self, key: Array) -> tuple[Array, Array, Any]:
        """Opponents ``[N]``, the network's seats ``[N]`` and deals ``[N, hands, ...]``."""
        family = len(self.protocol.family)
        deals = self.protocol.game.deal(key, (family * self.sets, self.hands), win_samples=self.win_samples)
        same_deals = SEATS * self.copies
        return (
            jnp.repeat(jnp.arange(family, dtype=jnp.int32), self.sets * same_deals),
            jnp.tile(jnp.repeat(jnp.arange(SEATS, dtype=jnp.int32), self.copies), family * self.sets),
            jax.tree.map(lambda x: jnp.repeat(x, same_deals, axis=0), deals),
        )

    def _new_opponents(self) -> pokernet.Memory:
        return jax.tree.map(lambda x: jnp.zeros((self.tables, *x.shape)), pokernet.empty_memory())

    def _by_opponent(self, x: Array) -> Array:
        """Sums ``[opponents]`` of ``x`` ``[N]``."""
        return x.reshape(len(self.protocol.family), -1).sum(axis=1)

    @functools.cached_property
    def _pair(self) -> tuple[Player, Player]:
        return pokernet_player(), self.protocol.opponent

    @functools.cached_property
    def _optimiser(self) -> optax.GradientTransformation:
        rate = optax.linear_schedule(*self.learning_rate, self.updates)
        return optax.chain(optax.clip_by_global_norm(self.max_gradient), optax.adam(rate))


def means_of(genome: Array, segment: Segment, memory: pokernet.Memory) -> Array:
    """μ ``[T, N]`` of the segment's decisions, thought through again from the ``memory`` ``[N, ...]`` before them."""
    params = pokernet.params_of(genome)
    before = jnp.concatenate([jnp.full_like(segment.hand[:1], -1), segment.hand[:-1]])

    def decision(memory: pokernet.Memory, now: tuple[Array, Array]) -> tuple[pokernet.Memory, Array]:
        features, begins = now
        mean, after = pokernet.apply(params, features, jax.vmap(core.select)(begins, pokernet.new_hand(memory), memory))
        return after, mean  # a table that is through with its hands thinks on; nobody listens

    decisions = (segment.features, segment.hand != before)
    return jax.lax.scan(decision, jax.lax.stop_gradient(memory), decisions)[1]


def loss_of(
    genome: Array, segment: Segment, memory: pokernet.Memory, advantages: Array, spread: Array, pull: float
) -> Array:
    """``[]``, see the module's docstring: log N(o; μ, σ) = - (o - μ)² / (2 σ²) but for terms without μ."""
    mean = means_of(genome, segment, memory)
    advantage = jnp.take_along_axis(advantages.T, segment.hand, axis=0)  # [T, N]
    log_probability = -(((segment.output - mean) / spread) ** 2) / 2
    surprise = -jnp.where(segment.decides, advantage * log_probability, 0.0).sum() / advantages.size
    return surprise + pull * (mean**2).mean(where=segment.decides)
