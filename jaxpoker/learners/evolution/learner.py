"""Neuroevolution: a population of PokerNets plays rule players, and the fittest have children.

One update is one generation. Every individual plays every opponent twice, from either seat with the same decks; all
individuals play the same deals, so that each deal's win probabilities are worked out once and individuals are
compared on equal terms. All sessions run side by side: the opponents act until everywhere a network is to decide, then
all networks decide at once.

Two protocols:

    seed    1,000 chips, blinds 5/10; stacks are carried over within a session, and a bust-out ends it
    paper   200 big blinds; stacks are reset for every hand

Who the parents are and what their children are like is ``learners/evolution/tser.py``'s, or another ``Breeding``'s.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core, devices, equity, match, players, statistics
from jaxpoker.games.counts import Counts
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.session import Session
from jaxpoker.learners.evolution import tser
from jaxpoker.learners.evolution.breeding import Breeding, Fitness, average_normalised_earnings
from jaxpoker.models import pokernet
from jaxpoker.players import Player, one_of
from jaxpoker.players.networks import pokernet as pokernet_player

Array = jax.Array

OverTables = Callable[[Callable[..., Any]], Callable[..., Any]]  # a vmap, or several

NETWORK, OPPONENT = 0, 1  # places of the two players of a session
SEATS = 2
LAST_TABLES = 64  # as soon as no more are left they are played as a batch of their own


@dataclasses.dataclass(frozen=True)
class Protocol:
    """How a session is played."""

    game: Holdem
    carry_over: bool  # stacks go on from hand to hand, and a bust-out ends the session
    family: tuple[str, ...]  # names of the opponents
    worth: tuple[float, ...]  # of each: starting stacks from a session (carried over), or mBB/hand, for the very good

    def normalisers(self, hands: int) -> np.ndarray:
        """``[opponents]`` float32: starting stacks that a very good player makes of each from one set of decks."""
        big_blinds_per_stack = self.game.stack / self.game.big_blind
        per_session = 1.0 if self.carry_over else hands / 1000 / big_blinds_per_stack
        return np.asarray(self.worth, np.float32) * SEATS * per_session

    @property
    def session(self) -> Session:
        return Session(self.game, self.carry_over)

    @property
    def opponent(self) -> Player:
        """One of the family; its params are the place there."""
        return one_of(tuple(players.make(name, self.game) for name in self.family))


def _game(stack: int) -> Holdem:
    return Holdem(stack=stack, small_blind=5, big_blind=10, max_log=1)


# Carried over, all there is to win from a session is the opponent's stack. The mBB/hand are those that the authors of
# the paper divide by. But the last of each family is worth half of that: by its full measure, the little that there is
# to learn of it drowns in noise.
PROTOCOLS = {
    "seed": Protocol(_game(1_000), True, players.FAMILIES["seed"], (1, 1, 1, 0.5)),
    "paper": Protocol(_game(2_000), False, players.FAMILIES["paper"], (1_000, 40_000, 30_000, 5_000)),
}


PUBLISHED = tser.breeding(pokernet.random_genomes)


class Decks(NamedTuple):
    """What is dealt in sessions: leaves ``[sessions, hands, ...]``."""

    deals: Any
    shares: Array | None  # [sessions, hands, 4] of seat 0 in all-ins (equity.all_in_shares), if fitness goes by them


class Scores(NamedTuple):
    """What came of all sessions: P individuals, O opponents."""

    winnings: Array  # [P, O, S] big blinds, of S sessions: the decks one after the other, each from both seats
    expected: Array | None  # [P, O, S] ... with the luck of all-ins taken out, if fitness goes by them
    counts: Counts  # [P, O] each, of the individuals, all sessions together
    decisions: Array  # [] int32, of all players

    @property
    def hands(self) -> Array:
        """``[P, O]`` hands played in all sessions."""
        return self.counts.hands


@flax.struct.dataclass
class TrainState:
    """Everything that a generation depends on."""

    step: Array  # [] int32, generations done
    key: Array  # of the whole run
    population: Array  # [individuals, genes] of the generation to come
    hidden: Any  # what the breeding keeps besides


@dataclasses.dataclass(frozen=True, eq=False)
class Evolution:
    """The learner; the defaults are the published ones."""

    protocol: Protocol
    individuals: int = 50
    hands: int = 500
    repeats: int = 1  # sets of decks against each opponent in a generation, each played from both seats
    win_samples: int = 300  # per flop and turn; before the flop and on the river win probabilities are exact
    luck: bool = True  # False: fitness takes an all-in as what it is worth on average, not as the cards then fall
    opponent_memory: bool = True  # False: the opponent LSTM forgets with every hand, too
    fitness: Fitness = average_normalised_earnings
    breeding: Breeding = PUBLISHED
    mesh: jax.sharding.Mesh | None = None  # its devices share the sessions of each individual

    def __post_init__(self) -> None:
        devices.require_even(self.mesh, self.sessions_each, "sessions of an individual")

    @property
    def sessions_each(self) -> int:
        """Of an individual in a generation."""
        return len(self.protocol.family) * self.repeats * SEATS

    def init(self, key: Array) -> TrainState:
        return devices.begun(self.mesh, self._init, key)

    @functools.partial(jax.jit, static_argnums=0)
    def _init(self, key: Array) -> TrainState:
        population, hidden = self.breeding.init(jax.random.fold_in(key, 0), self.individuals)
        return TrainState(jnp.zeros((), jnp.int32), key, population, hidden)

    def update(self, state: TrainState) -> tuple[TrainState, dict[str, Array]]:
        """One generation: play, judge, reproduce. Metrics come opponent by opponent in the family's order."""
        state, metrics = self._generation(state)

        def place(name: str) -> int:
            _, _, opponent = name.partition("/")
            return self.protocol.family.index(opponent) if opponent else -1

        return state, {name: metrics[name] for name in sorted(metrics, key=place)}

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def _generation(self, state: TrainState) -> tuple[TrainState, dict[str, Array]]:
        deal_key, play_key, birth_key = jax.random.split(jax.random.fold_in(state.key, state.step + 1), 3)
        scores = self.play(state.population, deal_key, play_key)
        earnings, fitness = self._judge(scores)
        population, hidden, bred = self.breeding.following(
            birth_key, state.population, state.hidden, fitness, state.step
        )
        metrics = self._metrics(scores, earnings, fitness, jnp.argmax(fitness)) | bred
        after = TrainState(state.step + 1, state.key, population, hidden)
        return devices.placed(self.mesh, after), devices.everywhere(self.mesh, metrics)

    def _judge(self, scores: Scores) -> tuple[Array, Array]:
        """Earnings ``[P, O]`` from one set of decks, in starting stacks, and fitness ``[P]``."""
        game = self.protocol.game

        def stacks(big_blinds: Array) -> Array:
            return big_blinds.sum(axis=-1) / self.repeats * game.big_blind / game.stack

        judged = scores.winnings if scores.expected is None else scores.expected
        return stacks(scores.winnings), self.fitness(stacks(judged), game.big_blind / game.stack)

    @functools.partial(jax.jit, static_argnums=0)
    def fittest(self, state: TrainState, key: Array) -> tuple[Array, Array]:
        """A run-off of all candidates on fresh decks: the genome ``[genes]`` of the fittest, and their fitness."""
        deal_key, play_key = jax.random.split(key)
        candidates = self.breeding.candidates(state.population, state.hidden)
        _, fitness = self._judge(self.play(candidates, deal_key, play_key))
        return devices.everywhere(self.mesh, (candidates[jnp.argmax(fitness)], fitness))

    def play(self, population: Array, deal_key: Array, play_key: Array) -> Scores:
        """Every individual ``[P, genes]`` against every opponent, ``repeats`` sets of decks from both seats."""
        names = self.protocol.family
        params = jax.vmap(pokernet.params_of)(population)
        end = self.sessions(params, *self.decks(deal_key), play_key)
        shape = (len(population), len(names), self.repeats * SEATS)

        def of_network(big_blinds: Array) -> Array:
            return big_blinds[..., NETWORK].reshape(shape)

        winnings, expected = of_network(end.winnings), jax.tree.map(of_network, end.expected)
        counts = jax.tree.map(lambda x: x[..., NETWORK].reshape(shape).sum(axis=-1), end.counts)
        return Scores(winnings, expected, counts, end.decisions.sum())

    def decks(self, key: Array) -> tuple[Array, Array, Decks]:
        """Opponents ``[J]``, the network's seats ``[J]`` and the decks of an individual's J sessions.

        Opponent by opponent, ``repeats`` sets of decks each, every set from both seats.
        """
        opponents = len(self.protocol.family)
        sets = opponents * self.repeats
        deals = self.protocol.game.deal(key, (sets, self.hands), win_samples=self.win_samples)
        shares = None if self.luck else equity.all_in_shares(deals.hole, deals.board)
        return (
            jnp.repeat(jnp.arange(opponents, dtype=jnp.int32), self.repeats * SEATS),
            jnp.tile(jnp.arange(SEATS, dtype=jnp.int32), sets),
            jax.tree.map(lambda x: jnp.repeat(x, SEATS, axis=0), Decks(deals, shares)),
        )

    def sessions(
        self,
        params: Any,
        opponents: Array,
        rotation: Any,
        decks: Decks,
        key: Array,
        remembers: Array | None = None,
        by_hand: bool = False,
    ) -> match.Running:
        """The ends ``[P, J]`` of J sessions of each of P networks.

        ``params`` leaves are ``[P, ...]``; session j is against opponent ``opponents[j]`` with the network in seat
        ``rotation[j]`` and plays ``decks[j]``. ``remembers`` ``[P]`` says whose opponent LSTM lasts for more than a
        hand (everybody's, or nobody's, as the learner has it); with ``by_hand`` each hand's winnings are kept. When
        few tables are left they move together, so that the long sessions of a few do not keep the whole hall open.
        """
        individuals, per_individual = len(jax.tree.leaves(params)[0]), len(opponents)
        shape = (individuals, per_individual)
        hall_key, last_key = jax.random.split(key)
        networks = (params, jnp.full(individuals, self.opponent_memory) if remembers is None else remembers)

        def by_individual(function: Callable[..., Any]) -> Callable[..., Any]:
            per_session = jax.vmap(function, in_axes=(None, 0, 0, 0, 0))
            return jax.vmap(per_session, in_axes=(0, None, None, 0, 0))

        def begin(own: Any, opponent: Array, decks: Decks, rotation: Array, key: Array) -> match.Running:
            session, expected = self.protocol.session, decks.shares is not None
            table = session.start(decks.deals)
            params = (own, opponent)
            return _without_deals(match.sit_down(session, self._pair, params, table, rotation, by_hand, expected))

        opponents, decks = devices.spread(self.mesh, (opponents, decks))
        seats = jnp.broadcast_to(jnp.asarray(rotation, jnp.int32), shape)
        running = by_individual(begin)(networks, opponents, decks, seats, jnp.zeros(shape))
        running = devices.spread(self.mesh, running, axis=1)
        tables = individuals * per_individual
        few = LAST_TABLES if individuals > 2 and tables >= 2 * LAST_TABLES else 0
        if self.mesh is not None:
            few -= few % self.mesh.size
        running = self._play(by_individual, (networks, opponents, decks), running, hall_key, few)
        if not few:
            return running

        flat = jax.tree.map(lambda x: x.reshape(tables, *x.shape[2:]), running)
        last = jnp.argsort(flat.table.over, stable=True)[:few]  # [few] tables that still play, and others
        individual, session = last // per_individual, last % per_individual
        own = jax.tree.map(lambda x: x[individual], networks)
        rivals, dealt = jax.tree.map(lambda x: x[session], (opponents, decks))
        moved = jax.tree.map(lambda x: x[last], flat)
        own, rivals, dealt, moved = devices.spread(self.mesh, (own, rivals, dealt, moved))
        ended = self._play(jax.vmap, (own, rivals, dealt), moved, last_key, 0)
        flat = jax.tree.map(lambda x, end: x.at[last].set(end), flat, ended)
        return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), flat)

    def _play(
        self,
        over_tables: OverTables,
        fixed: tuple[Any, Any, Any],
        running: match.Running,
        key: Array,
        few: int,
    ) -> match.Running:
        """Plays on until no more than ``few`` sessions are under way.

        ``fixed`` is what stays: the networks, the opponents and the decks, laid out as ``over_tables``, which makes a
        function of one table (network, opponent, deck, running, key or choice) one of all, takes them. The opponents
        act as long as one of them is to act anywhere; then all networks decide at once.
        """
        session, pair = self.protocol.session, self._pair
        shape = running.rotation.shape

        def think(place: int, own: Any, opponent: Array, decks: Decks, running: match.Running, key: Array) -> Any:
            """What the player at ``place`` would do at one table, and everybody's memory after it."""
            memories = list(running.memories)
            params, hand = (own, opponent)[place], running.table.hand
            choice, memories[place] = pair[place].act(params, memories[place], session.game, hand, key)
            return choice, tuple(memories)

        def play(own: Any, opponent: Array, decks: Decks, running: match.Running, turn: Any) -> match.Running:
            acts, choice, memories = turn
            after = match.advance(session, pair, _with_deals(running, decks.deals), choice, memories, decks.shares)
            return core.select(acts, _without_deals(after), running)

        def step(loop: tuple[match.Running, Array]) -> tuple[match.Running, Array]:
            running, key = loop
            key, turn_key = jax.random.split(key)
            opponents_turn = is_turn_of(session, running, OPPONENT)
            waiting = opponents_turn.any()
            opponents_think, networks_think = (
                over_tables(functools.partial(think, place)) for place in (OPPONENT, NETWORK)
            )
            keys = jax.random.split(turn_key, shape)
            choice, memories = jax.lax.cond(waiting, opponents_think, networks_think, *fixed, running, keys)
            acts = jnp.where(waiting, opponents_turn, is_turn_of(session, running, NETWORK))
            return over_tables(play)(*fixed, running, (acts, choice, memories)), key

        return jax.lax.while_loop(lambda loop: (~loop[0].table.over).sum() > few, step, (running, key))[0]

    @functools.cached_property
    def _pair(self) -> tuple[Player, Player]:
        """The network, and one of the opponents."""
        return _forgetting(pokernet_player()), self.protocol.opponent

    def _metrics(self, scores: Scores, earnings: Array, fitness: Array, best: Array) -> dict[str, Array]:
        """What the dashboard shows; names are ``what/opponent`` where there is one for each opponent."""
        won, lost = scores.winnings > 0, scores.winnings < 0
        hands = scores.hands
        if self.protocol.carry_over:
            shown = earnings
        else:
            shown = 1000 * scores.winnings.sum(axis=-1) / jnp.maximum(hands, 1)  # mBB/hand
        metrics = {
            "fitness_best": fitness.max(),
            "fitness_mean": fitness.mean(),
            "fitness_worst": fitness.min(),
            "wins": won.sum(),
            "losses": lost.sum(),
            "hands": hands.sum(),
            "decisions": scores.decisions,
        }
        ours = statistics.rates(jax.tree.map(lambda x: x[best], scores.counts))  # [O] each
        for o, name in enumerate(self.protocol.family):
            metrics |= {
                f"earnings/{name}": shown[best, o],
                f"population_earnings/{name}": shown[:, o].mean(),
                f"win/{name}": won[:, o].mean(),
                f"hands/{name}": hands[:, o].mean() / scores.winnings.shape[-1],
            }
            metrics |= {f"{what}/{name}": values[o] for what, values in ours.items()}
        return metrics


def _forgetting(player: Player) -> Player:
    """The player with params (its own, does it remember?); one that does not forgets everything with every hand."""

    def act(params: Any, memory: Any, game: Holdem, state: Any, key: Array) -> tuple[Array, Any]:
        choice, kept = player.act(params[0], memory[0], game, state, key)
        return choice, (kept, memory[1])

    def init_memory(params: Any) -> Any:
        return player.init_memory(params[0]), params[1]

    def new_hand(memory: Any) -> Any:
        kept, remembers = memory
        return core.select(remembers, player.new_hand(kept), jax.tree.map(jnp.zeros_like, kept)), remembers

    return Player(player.name, act, None, init_memory, new_hand)


def is_turn_of(session: Session, running: match.Running, place: int) -> Array:
    """``[...]`` bool. A hand that the blinds alone decided is the opponent's to end."""
    acting = jnp.where(session.to_decide(running.table), running.acting(SEATS), OPPONENT)
    return ~running.table.over & (acting == place)


def _without_deals(running: match.Running) -> match.Running:
    return running._replace(table=dataclasses.replace(running.table, deals=None))


def _with_deals(running: match.Running, deals: Any) -> match.Running:
    return running._replace(table=dataclasses.replace(running.table, deals=deals))
