"""Sweeps over a betting tree with a number for each hand, or for each type of hands.

A column is what a player may hold: one of the 1,326 hands on a board (``sampling/hand_game.py``) or one of the types of
hands on many (``sampling/type_game.py``). A column plays the strategy of its bucket on the street. What an end is worth
to it follows from the other's reach (``Columns``). The values of its actions are added to those of its bucket:

    value of an action to a bucket = sum over its columns i of [sum over columns j of the other: pay(i, j) reach(j)]

The starts of a street go in blocks, so that the vectors of a block stay in the cache and nothing is as large as the
tree but the tables themselves.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.action_sums import over_actions
from jaxpoker.solvers.tree.street_shapes import Choose, Leaves, OfShapes, Shape, ShapedTree

Array = jax.Array

_PRECISION = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits

BLOCK = 1 << 20  # numbers of a block's largest array


class Columns(Protocol):
    """What a sweep knows of the columns; there are C of them."""

    @property
    def held(self) -> Array:
        """``[C]``: how likely a player is to hold each column."""
        ...

    @property
    def dealt(self) -> Array:
        """``[C]``: what a column of the other weighs before anybody has acted, in the sums below."""
        ...

    def bucket(self, street: int) -> Array | np.ndarray:
        """``[C]`` int32: the bucket of each column."""
        ...

    def folded(self, reach: Array) -> Array:
        """``[C, n]``: what a pot of 1 that nobody contests is worth to each column, given the other's ``[C, n]``."""
        ...

    def shown_down(self, reach: Array) -> Array:
        """``[C, n]``: likewise, of a pot that is shown down: 1 when it is won, -1 when it is lost."""
        ...


class ColumnsSwept(NamedTuple):
    """What a sweep says of one player; by street and shape."""

    value: Array  # [] of the game to the player
    action_values: OfShapes  # counterfactual; any number where an action is not legal
    strategy: OfShapes  # that it played


@dataclasses.dataclass(frozen=True, eq=False)
class ColumnSweep:
    """Betting, how many buckets each street has, and how many columns there are."""

    betting: ShapedTree
    num_buckets: tuple[int, ...]
    num_columns: int

    def sweep(
        self, player: int, columns: Columns, own: OfShapes, other: OfShapes, respond: Array | bool
    ) -> ColumnsSwept:
        """Values of all actions of ``player``, who plays ``own`` or, to ``respond``, the best action of each bucket."""
        reach = self.reach_starts(1 - player, columns, other, columns.dealt)
        action_values: list[tuple[Array, ...]] = []
        strategies: list[tuple[Array, ...]] = []
        later = jnp.zeros((self.num_columns, 0))  # [C, starts of the next street]
        value = jnp.zeros(())
        for street in reversed(range(len(self.betting.streets))):
            found = []
            for i, shape in enumerate(self.betting.streets[street]):
                after = jnp.pad(later, ((0, 0), (0, 1)))[:, shape.next_starts]  # [C, chances, M]
                arrays = (own[street][i], other[street][i], reach[street][:, shape.starts], after)
                pays = (shape.fold_pays * (1 if player == 0 else -1), shape.showdown_pays, shape.legal[player])
                ascend = functools.partial(self._ascend, player, shape, columns, respond)
                found.append(self.by_block(ascend, shape, (*arrays, *map(jnp.asarray, pays))))
            action_values.append(tuple(each[1] for each in found))
            strategies.append(tuple(each[2] for each in found))
            later = jnp.concatenate([each[0] for each in found], axis=1)[:, self.betting.order(street)]
            value = later.sum()
        return ColumnsSwept(value, tuple(action_values[::-1]), tuple(strategies[::-1]))

    def reach_decisions(self, player: int, columns: Columns, strategy: OfShapes) -> OfShapes:
        """By street and shape ``[K, buckets, M]``: how likely buckets are held and own play leads to each decision."""
        reach = self.reach_starts(player, columns, strategy, columns.held)

        def of_decisions(shape: Shape, mine: Array, starts: Array) -> Array:
            _, decisions = shape.descend(player, self.of_columns(shape, columns, mine))
            return self._of_buckets(shape, columns, decisions * starts)

        return tuple(
            tuple(
                self.by_block(
                    functools.partial(of_decisions, shape), shape, (strategy[street][i], reach[street][:, shape.starts])
                )
                for i, shape in enumerate(shapes)
            )
            for street, shapes in enumerate(self.betting.streets)
        )

    def reach_starts(self, player: int, columns: Columns, strategy: OfShapes, weights: Array) -> list[Array]:
        """By street ``[C, starts]``: the ``weights`` of columns, times how likely the player's actions lead there."""
        reach = [weights[:, None]]

        def to_chances(shape: Shape, mine: Array, starts: Array) -> Array:
            leaves, _ = shape.descend(player, self.of_columns(shape, columns, mine))
            return leaves.chances * starts

        for street, shapes in enumerate(self.betting.streets[:-1]):
            found = []
            for i, shape in enumerate(shapes):
                chances = self.by_block(
                    functools.partial(to_chances, shape), shape, (strategy[street][i], reach[street][:, shape.starts])
                )
                found.append(chances.transpose(1, 2, 0).reshape(self.num_columns, -1))
            reach.append(jnp.concatenate(found, axis=1)[:, self.betting.arrivals(street)])
        return reach

    def of_columns(self, shape: Shape, columns: Columns, strategy: Array) -> Array:
        """``[A, K, buckets, m]`` as ``[A, K, C, m]``."""
        bucket = columns.bucket(shape.street)
        return strategy if _is_own(bucket, self.num_buckets[shape.street]) else strategy[:, :, bucket]

    def by_block(self, f: Callable[..., Any], shape: Shape, arrays: tuple[Array, ...]) -> Any:
        """``f`` of arrays whose last axis is the starts of ``shape``, block after block of starts; so is what it
        returns. The last block begins early enough to be as long as the others.
        """
        decisions = max(len(nodes) for nodes in shape.nodes)
        size = max(1, min(shape.num_starts, BLOCK // (arrays[0].shape[0] * decisions * self.num_columns)))

        def part(first: Array | int) -> Any:
            return f(*(jax.lax.dynamic_slice_in_dim(array, first, size, axis=-1) for array in arrays))

        if size == shape.num_starts:
            return f(*arrays)

        def block(i: Array, whole: Any) -> Any:
            first = jnp.minimum(i * size, shape.num_starts - size)
            return jax.tree.map(
                lambda all_starts, some: jax.lax.dynamic_update_slice_in_dim(all_starts, some, first, axis=-1),
                whole,
                part(first),
            )

        empty = jax.tree.map(
            lambda x: jnp.zeros((*x.shape[:-1], shape.num_starts), x.dtype), jax.eval_shape(lambda: part(0))
        )
        return jax.lax.fori_loop(0, -(-shape.num_starts // size), block, empty)

    # --- one block ------------------------------------------------------------------------------

    def _ascend(
        self,
        player: int,
        shape: Shape,
        columns: Columns,
        respond: Array | bool,
        own: Array,
        other: Array,
        reach: Array,
        later: Array,
        fold_pays: Array,
        showdown_pays: Array,
        legal: Array,
    ) -> tuple[Array, Array, Array]:
        """Values of some starts of a shape ``[C, m]``, of the actions there and the strategy ``[A, K, buckets, m]``."""
        theirs, _ = shape.descend(1 - player, self.of_columns(shape, columns, other))
        ends = Leaves(
            _by_columns(columns.folded, theirs.folds * reach) * fold_pays[:, None],
            _by_columns(columns.shown_down, theirs.showdowns * reach) * showdown_pays[:, None],
            later.swapaxes(0, 1),
        )
        choose = self._choice(shape, columns, own, legal, respond)
        value, action_values, played = shape.ascend(player, ends, choose)
        return value, self._of_buckets(shape, columns, action_values), played

    def _choice(self, shape: Shape, columns: Columns, own: Array, legal: Array, respond: Array | bool) -> Choose:
        """A decision is worth to each column what its bucket plays there; what is said to be played is by bucket."""

        def choose(values: Array, rows: slice) -> tuple[Array, Array]:
            played = own[:, rows]
            if respond is not False:
                of_bucket = self._of_buckets(shape, columns, values)
                best = jnp.where(legal[:, rows, None], of_bucket, -jnp.inf).argmax(axis=0)
                pure = (best == np.arange(len(values)).reshape(-1, 1, 1, 1)).astype(values.dtype)
                played = jnp.where(respond, pure, played)
            return over_actions(values * self.of_columns(shape, columns, played)), played

        return choose

    def _of_buckets(self, shape: Shape, columns: Columns, values: Array) -> Array:
        """Sums ``[..., buckets, m]`` of what the columns of each bucket have in ``values`` ``[..., C, m]``."""
        bucket, buckets = columns.bucket(shape.street), self.num_buckets[shape.street]
        if _is_own(bucket, buckets):
            return values
        members = (bucket == np.arange(buckets)[:, None]).astype(values.dtype)  # [buckets, C]
        return jnp.matmul(members, values, precision=_PRECISION)


def _is_own(bucket: Array | np.ndarray, buckets: int) -> bool:
    """Whether every column is known to be a bucket of its own, in order."""
    return isinstance(bucket, np.ndarray) and np.array_equal(bucket, np.arange(buckets))


def _by_columns(f: Callable[[Array], Array], leaves: Array) -> Array:
    """``f``, which takes ``[C, n]``, of ``[leaves, C, m]``."""
    columns = f(leaves.transpose(1, 0, 2).reshape(leaves.shape[1], -1))
    return columns.reshape(leaves.shape[1], len(leaves), -1).transpose(1, 0, 2)
