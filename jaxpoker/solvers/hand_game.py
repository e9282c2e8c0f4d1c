"""A game of bets between hands on one board after the other: sweeps for card abstractions too fine to count types.

With 169 hands before the flop nearly every hand of a board is a type of its own, and a table of pairs of types is
larger than the deck. Here vectors are over the 1,326 hands themselves. A hand plays as its bucket on the street does;
an end is worth to it what ``solvers/showdown_sums.py`` says, by sums in the order of strength; and the values of its
actions are added to those of its bucket:

    value of an action to a bucket = sum over its hands i of [sum over hands j of the other: pay(i, j) reach(j)]

That is the same sum as ``solvers/bucket_game.py`` makes, in the same form for the solver, with the boards one after
another and the starts of a street in blocks, so that the vectors of a block stay in the cache.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.ranges import NUM_COMBOS
from jaxpoker.solvers import showdown_sums
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.hand_types import MEETINGS
from jaxpoker.solvers.showdown_sums import Order
from jaxpoker.solvers.street_shapes import Betting, Leaves, OfShapes, Shape, mean_under
from jaxpoker.solvers.tree import Tree

Array = jax.Array

RIVALS_OF_HAND = 990  # hands that share no card with a hand and the board
BLOCK = 1 << 20  # numbers of a block's largest array


class Cards(NamedTuple):
    """Boards as hands see them; n boards."""

    buckets: Array  # [n, streets, 1326] int32
    live: Array  # [n, 1326] float32: 1 for a hand that the board does not block
    order: Order  # [n, ...] each


@dataclasses.dataclass(frozen=True)
class HandBoards:
    """Boards of hold'em, seen through a card abstraction on the first ``streets`` streets."""

    abstraction: CardAbstraction
    streets: int = 4

    @property
    def tables(self) -> Any:
        return self.abstraction.tables

    def draw(self, tables: Any, key: Array, n: int) -> Array:
        return self.abstraction.sample_boards(tables, key, n)

    def cards(self, tables: Any, boards: Array) -> Cards:
        def of_board(board: Array) -> Cards:
            return Cards(
                self.abstraction.of_board(tables, board)[: self.streets],
                showdown_sums.live(board).astype(jnp.float32),
                showdown_sums.order(showdown_sums.strengths(board)),
            )

        return jax.vmap(of_board)(boards)


class Swept(NamedTuple):
    """What a sweep says of one player; by street and shape."""

    value: Array  # [] of the game to the player
    action_values: OfShapes  # counterfactual; any number where an action is not legal


@dataclasses.dataclass(frozen=True, eq=False)
class HandGame:
    """Betting, and how many buckets each street has."""

    betting: Betting
    num_buckets: tuple[int, ...]

    @property
    def tree(self) -> Tree:
        return self.betting.tree

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def sweep(self, player: int, cards: Cards, own: OfShapes, other: OfShapes) -> Swept:
        """Values of all actions of ``player``, in the mean over the boards of ``cards``."""
        return _mean(lambda board: self._sweep(player, board, own, other), cards)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def own_reach(self, player: int, cards: Cards, strategy: OfShapes) -> OfShapes:
        """By street and shape ``[K, buckets, M]``: how likely buckets are held and own play leads to each decision."""
        return _mean(lambda board: self._own_reach(player, board, strategy), cards)

    # --- one board ------------------------------------------------------------------------------

    def _sweep(self, player: int, board: Cards, own: OfShapes, other: OfShapes) -> Swept:
        reach = self._descend(1 - player, board, other, board.live / MEETINGS)
        found: list[tuple[Array, ...]] = []
        later = jnp.zeros((NUM_COMBOS, 0))  # [1326, starts of the next street]
        value = jnp.zeros(())
        for street in reversed(range(len(self.betting.streets))):
            worth, values = [], []
            for i, shape in enumerate(self.betting.streets[street]):
                padded = jnp.pad(later, ((0, 0), (0, 1)))[:, shape.next_starts]  # [1326, chances, M]
                each = self._by_block(
                    functools.partial(self._ascend, player, shape, board),
                    shape,
                    (own[street][i], other[street][i], reach[street][:, shape.starts], padded),
                    (shape.fold_pays * (1 if player == 0 else -1), shape.showdown_pays),
                )
                worth.append(each[0])
                values.append(each[1])
            found.append(tuple(values))
            later = jnp.concatenate(worth, axis=1)[:, self.betting.order(street)]
            value = later.sum()
        return Swept(value, tuple(found[::-1]))

    def _own_reach(self, player: int, board: Cards, strategy: OfShapes) -> OfShapes:
        reach = self._descend(player, board, strategy, board.live * (RIVALS_OF_HAND / MEETINGS))

        def of_decisions(shape: Shape, mine: Array, starts: Array) -> Array:
            _, decisions = shape.descend(player, self._of_hands(shape, board, mine))
            return self._of_buckets(shape, board, decisions * starts)

        return tuple(
            tuple(
                self._by_block(
                    functools.partial(of_decisions, shape), shape, (strategy[street][i], reach[street][:, shape.starts])
                )
                for i, shape in enumerate(shapes)
            )
            for street, shapes in enumerate(self.betting.streets)
        )

    def _descend(self, player: int, board: Cards, strategy: OfShapes, held: Array) -> list[Array]:
        """By street ``[1326, starts]``: how likely each hand is held, as ``held`` says, and the player's actions lead
        there.
        """
        reach = [held[:, None]]

        def to_chances(shape: Shape, mine: Array, starts: Array) -> Array:
            leaves, _ = shape.descend(player, self._of_hands(shape, board, mine))
            return leaves.chances * starts

        for street, shapes in enumerate(self.betting.streets[:-1]):
            found = []
            for i, shape in enumerate(shapes):
                chances = self._by_block(
                    functools.partial(to_chances, shape), shape, (strategy[street][i], reach[street][:, shape.starts])
                )
                found.append(chances.transpose(1, 2, 0).reshape(NUM_COMBOS, -1))
            reach.append(jnp.concatenate(found, axis=1)[:, self.betting.arrivals(street)])
        return reach

    def _ascend(
        self,
        player: int,
        shape: Shape,
        board: Cards,
        own: Array,
        other: Array,
        reach: Array,
        later: Array,
        fold_pays: Array,
        showdown_pays: Array,
    ) -> tuple[Array, Array]:
        """Values of some starts of a shape ``[1326, m]`` and of the actions there ``[A, K, buckets, m]``."""
        theirs, _ = shape.descend(1 - player, self._of_hands(shape, board, other))
        ends = Leaves(
            _by_columns(showdown_sums.rivals, theirs.folds * reach) * fold_pays[:, None] * board.live[:, None],
            _by_columns(functools.partial(showdown_sums.showdowns, board.order), theirs.showdowns * reach)
            * showdown_pays[:, None]
            * board.live[:, None],
            later.swapaxes(0, 1),
        )
        value, action_values, _ = shape.ascend(player, ends, mean_under(self._of_hands(shape, board, own)))
        return value, self._of_buckets(shape, board, action_values)

    def _of_hands(self, shape: Shape, board: Cards, strategy: Array) -> Array:
        """``[A, K, buckets, m]`` as ``[A, K, 1326, m]``."""
        return strategy[:, :, board.buckets[shape.street]]

    def _of_buckets(self, shape: Shape, board: Cards, values: Array) -> Array:
        """Sums ``[..., buckets, m]`` of what the live hands of each bucket have in ``values`` ``[..., 1326, m]``."""
        members = board.buckets[shape.street] == np.arange(self.num_buckets[shape.street])[:, None]  # [buckets, 1326]
        return jnp.matmul(members * board.live, values, precision=jax.lax.Precision.HIGHEST)

    def _by_block(
        self, f: Callable[..., Any], shape: Shape, arrays: tuple[Array, ...], pays: tuple[np.ndarray, ...] = ()
    ) -> Any:
        """``f`` of arrays whose last axis is the starts of ``shape``, block after block of starts."""
        decisions = max(len(nodes) for nodes in shape.nodes)
        size = max(1, min(shape.num_starts, BLOCK // (arrays[0].shape[0] * decisions * NUM_COMBOS)))
        blocks = -(-shape.num_starts // size)

        def split(array: Array) -> Array:
            widths = [(0, 0)] * (array.ndim - 1) + [(0, blocks * size - shape.num_starts)]
            return jnp.moveaxis(jnp.pad(array, widths).reshape(*array.shape[:-1], blocks, size), -2, 0)

        def join(array: Array) -> Array:
            array = jnp.moveaxis(array, 0, -2)
            return array.reshape(*array.shape[:-2], -1)[..., : shape.num_starts]

        split_arrays = tuple(split(array) for array in (*arrays, *(jnp.asarray(pay) for pay in pays)))
        return jax.tree.map(join, jax.lax.map(lambda block: f(*block), split_arrays))


def _by_columns(f: Callable[[Array], Array], leaves: Array) -> Array:
    """``f``, which takes ``[1326, n]``, of ``[leaves, 1326, m]``."""
    columns = f(leaves.transpose(1, 0, 2).reshape(NUM_COMBOS, -1))
    return columns.reshape(NUM_COMBOS, len(leaves), -1).transpose(1, 0, 2)


def _mean(f: Callable[[Cards], Any], cards: Cards) -> Any:
    """The mean of ``f`` over boards."""
    first = jax.tree.map(lambda x: x[0], cards)
    total = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(f, first))
    total, _ = jax.lax.scan(lambda sums, board: (jax.tree.map(jnp.add, sums, f(board)), None), total, cards)
    return jax.tree.map(lambda x: x / len(cards.live), total)
