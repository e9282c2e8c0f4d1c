"""Monte Carlo counterfactual regret minimisation with sampled public cards, for betting trees of any size.

    cards = abstraction.make("rank_based")
    solver = mccfr.holdem(jaxpoker.make("holdem", menu="solver", stack=1_000, small_blind=5, big_blind=10), cards)
    state = solver.init(jax.random.key(0))
    state, metrics = solver.update(state)                     # one iteration, ``batch`` boards more
    solver.average(state)                                     # by street [decisions, buckets, actions]

Public chance sampling (Johanson et al., 2012): an iteration draws boards and lets all hands of both players meet on them
at once. Regrets and averages grow as in ``solvers/cfr.py``, seat 0 first, by an ``Algorithm`` of that file. What the hands
do to each other is counted by types (``solvers/hand_types.py``), and the tree is swept between buckets
(``solvers/bucket_game.py``); an all-in before the river is worth what it is on the boards drawn.

As counts add up over boards, boards need not be forgotten: with ``remember`` an iteration plays on the mean of all boards
drawn so far, so that what is random fades away and the iterations become those of the whole abstract game. Without it,
it plays on its own boards alone, which is the sampling of the paper.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import flax.struct
import jax
import jax.numpy as jnp

from jaxpoker.games.holdem import Holdem
from jaxpoker.solvers import bucket_game
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.bucket_game import PLAYERS, BucketGame, OfShapes
from jaxpoker.solvers.cfr import ALGORITHMS, Algorithm, regret_matching
from jaxpoker.solvers.hand_types import Chance, HoldemBoards
from jaxpoker.solvers.street_shapes import Shape

Array = jax.Array
Strategy = tuple[Array, ...]  # by street [decisions of the street, buckets, actions]


@flax.struct.dataclass
class State:
    """Everything that an update changes; regrets and averages by player, street and shape ``[A, K, buckets, M]``."""

    step: Array  # [] int32, iterations done
    key: Array  # [] the seed's; each update folds its step into it
    counts: Array  # [2, types, types]: of the boards so far, or of the last ones; see ``hand_types``
    boards: Array  # [] float32, drawn so far
    regrets: tuple[OfShapes, OfShapes]
    averages: tuple[OfShapes, OfShapes]  # weighted sums of strategies times own reach, in units of the last weight


@dataclasses.dataclass(frozen=True, eq=False)
class PublicCFR:
    """The solver; ``holdem`` makes one."""

    game: BucketGame
    chance: Chance
    algorithm: Algorithm = ALGORITHMS["dcfr"]
    batch: int = 8  # boards of an iteration
    remember: bool = True

    @functools.partial(jax.jit, static_argnums=0)
    def init(self, key: Array) -> State:
        regrets, averages = ((self._zeros(0), self._zeros(1)) for _ in range(2))
        types = self.game.paths.size[0]
        return State(
            step=jnp.zeros((), jnp.int32),
            key=key,
            counts=jnp.zeros((2, types, types), jnp.float32),
            boards=jnp.zeros((), jnp.float32),
            regrets=regrets,
            averages=averages,
        )

    def _zeros(self, player: int) -> OfShapes:
        def table(shape: Shape) -> Array:
            decisions, starts = shape.nodes[player].shape
            return jnp.zeros((self.game.num_actions, decisions, self.game.paths.num_buckets[shape.street], starts))

        return _mapped(table, self.game.streets)

    def update(self, state: State) -> tuple[State, dict[str, Array]]:
        """One iteration, and what it found. The state given is used up."""
        return self._iterate(state, self.chance.tables)

    def run(self, state: State, iterations: Array | int) -> State:
        """The state after so many iterations more; their number is data and compiles once. For small games."""
        return self._run(state, self.chance.tables, iterations)

    @functools.partial(jax.jit, static_argnums=0)
    def _run(self, state: State, tables: Any, iterations: Array | int) -> State:
        return jax.lax.fori_loop(0, iterations, lambda _, state: self._iterate(state, tables)[0], state)

    def _iterate(self, state: State, tables: Any) -> tuple[State, dict[str, Array]]:
        counts, boards, types = self._draw(tables, state.key, state.step, state.counts, state.boards)
        regrets, averages = list(state.regrets), list(state.averages)
        current = [self._matched(player, regrets[player]) for player in PLAYERS]
        value = jnp.zeros(())
        for player in PLAYERS:
            swept = self.game.sweep(player, counts, current[player], current[1 - player])
            value = swept.value if player == 0 else value
            regrets[player], averages[player], current[player] = self._grow(
                player, regrets[player], averages[player], current[player], swept.action_values, counts, state.step + 1
            )
        after = State(state.step + 1, state.key, counts, boards, (regrets[0], regrets[1]), (averages[0], averages[1]))
        node_updates = types * (self.batch * self.game.tree.num_nodes)
        return after, {"value": value, "types": types, "boards": boards, "node_updates": node_updates}

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=4)
    def _draw(self, tables: Any, key: Array, step: Array, counts: Array, boards: Array) -> tuple[Array, Array, Array]:
        """Counts to play on, boards drawn so far, and types of a board."""
        drawn, types = self.chance.sample(tables, jax.random.fold_in(key, step), self.batch)
        boards = boards + self.batch
        return counts + (drawn - counts) * (self.batch / boards) if self.remember else drawn, boards, types

    @functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=(2, 3, 4))
    def _grow(
        self,
        player: int,
        regrets: OfShapes,
        averages: OfShapes,
        current: OfShapes,
        values: OfShapes,
        counts: Array,
        step: Array,
    ) -> tuple[OfShapes, OfShapes, OfShapes]:
        """Regrets, averages and the current strategy of ``player`` after iteration ``step``."""
        t = step.astype(jnp.float32)
        reach = self.game.own_reach(player, counts, current)

        def grown(shape: Shape, regret: Array, value: Array, mine: Array) -> Array:
            instant = jnp.where(self.game.legal(player, shape), value - (value * mine).sum(axis=0), 0)
            return self.algorithm.grown(regret, instant, t)

        after = _mapped(grown, self.game.streets, regrets, values, current)
        averaged = _mapped(
            lambda average, mine, weight: self.algorithm.averaged(average, mine, weight, t), averages, current, reach
        )
        return after, averaged, self._match(player, after)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _matched(self, player: int, regrets: OfShapes) -> OfShapes:
        return self._match(player, regrets)

    def _match(self, player: int, regrets: OfShapes) -> OfShapes:
        def matched(shape: Shape, table: Array) -> Array:
            return regret_matching(table, self.game.legal(player, shape))

        return _mapped(matched, self.game.streets, regrets)

    @functools.partial(jax.jit, static_argnums=0)
    def average(self, state: State) -> Strategy:
        """The average strategy by street ``[decisions, buckets, actions]``, uniform where a player never goes."""
        return self._strategy(state.averages)

    @functools.partial(jax.jit, static_argnums=0)
    def current(self, state: State) -> Strategy:
        """The strategy of the next iteration."""
        return self._strategy(state.regrets)

    def _strategy(self, sums: tuple[OfShapes, OfShapes]) -> Strategy:
        first, second = (self._match(player, sums[player]) for player in PLAYERS)
        return self.game.strategy((first, second))


def holdem(game: Holdem, cards: CardAbstraction, **options: Any) -> PublicCFR:
    """A solver of hold'em for two with ``game``'s menu, stack and blinds and the buckets of ``cards``."""
    tree = trees.build(game)
    chance = HoldemBoards(cards, tree.num_streets)
    return PublicCFR(bucket_game.of(tree, chance.paths), chance, **options)


def _mapped(f: Callable[..., Array], *trees: Any) -> OfShapes:
    """``f`` of what the ``trees`` have for each street and shape."""
    return tuple(tuple(f(*each) for each in zip(*street, strict=True)) for street in zip(*trees, strict=True))
