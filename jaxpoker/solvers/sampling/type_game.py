"""A game of bets between types of hands, for buckets with perfect recall: cards are one matrix product.

A type is the bucket of a hand on every street (``showdowns/type_counts.py``). Where the bucket of a street tells those
of earlier ones, no two types ever mix, and the columns of a sweep (``sampling/column_sweep.py``) are the types
themselves. With the counts of how types meet, w(q, r) for folds and showdowns, an end is worth to type q

    pay * sum over r: w(q, r) reach(r),

which is exact, whatever the number of boards that were counted. The values are those of ``sampling/bucket_game.py``,
which is faster for buckets with imperfect recall.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.regret import Table
from jaxpoker.solvers.sampling.column_sweep import ColumnsSwept, ColumnSweep, by_block
from jaxpoker.solvers.showdowns.type_counts import RIVALS, SHOWDOWNS, BucketPaths
from jaxpoker.solvers.sweep import Response, Swept
from jaxpoker.solvers.tree import Tree, drawn_starts
from jaxpoker.solvers.tree.drawn_starts import by_shape
from jaxpoker.solvers.tree.street_shapes import Leaves, OfShapes, Shape, ShapedTree

Array = jax.Array

_PRECISION = jax.lax.Precision.HIGHEST


class TypeColumns(NamedTuple):
    """How types meet, and their buckets by street."""

    counts: Array  # [2, types, types]
    buckets: tuple[np.ndarray, ...]  # [types] int32 each

    @property
    def number(self) -> int:
        return 1  # types stand for all boards at once

    def board(self, k: Array | int) -> TypeColumns:
        return self

    @property
    def held(self) -> Array:
        return self.counts[RIVALS].sum(axis=1)

    @property
    def dealt(self) -> Array:
        return jnp.ones(self.counts.shape[1])

    def bucket(self, street: int) -> np.ndarray:
        return self.buckets[street]

    def folded(self, reach: Array) -> Array:
        return jnp.matmul(self.counts[RIVALS], reach, precision=_PRECISION)

    def shown_down(self, reach: Array) -> Array:
        return jnp.matmul(self.counts[SHOWDOWNS], reach, precision=_PRECISION)


@dataclasses.dataclass(frozen=True, eq=False)
class TypeGame:
    """A game between the types of ``paths``. ``dealt`` are counts ``[2, types, types]`` of how they meet."""

    betting: ShapedTree
    paths: BucketPaths

    @property
    def tree(self) -> Tree:
        return self.betting.tree

    @property
    def num_buckets(self) -> tuple[int, ...]:
        return self.paths.num_buckets

    @property
    def num_types(self) -> int:
        return self.paths.size[0]

    def legal(self, player: int) -> Table:
        return self.betting.legal(player)

    def values(self, player: int, dealt: Array, own: OfShapes, other: OfShapes) -> Swept:
        """Values of all actions of ``player`` when the cards fall as ``dealt`` says."""
        found = self._sweep(player, dealt, own, other, False)
        return Swept(found.value, found.action_values)

    def respond(self, player: int, dealt: Array, other: OfShapes) -> Response:
        """The best response that sees no more than the buckets."""
        found = self._sweep(player, dealt, self.betting.nothing(player, self.num_buckets), other, True)
        return Response(found.value, found.strategy)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _sweep(self, player: int, dealt: Array, own: OfShapes, other: OfShapes, respond: Array | bool) -> ColumnsSwept:
        """Whether to ``respond`` is data: a solver and whoever judges it run the same compiled code."""
        return self._columns_sweep.sweep(player, self._columns(dealt), own, other, respond)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def own_reach(self, player: int, dealt: Array, own: OfShapes) -> OfShapes:
        """By street and shape ``[K, buckets, M]``: how likely buckets are held and own play leads to each decision."""
        return self._columns_sweep.reach_decisions(player, self._columns(dealt), own)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def worth(self, player: int, own: OfShapes, other: OfShapes) -> Array:
        """``[2, types, types]``: what the game is worth to each pair of types; the value of the game to ``player`` is
        the sum of this times the counts, on whatever boards.
        """
        sweep, types = self._columns_sweep, self.num_types
        columns = self._columns(jnp.zeros((2, types, types)))
        starts = [
            [
                by_shape(reach, linked)
                for reach, linked in zip(
                    sweep.reach_starts(seat, columns, strategy, jnp.ones((1, types))),
                    drawn_starts.every(self.betting),
                    strict=True,
                )
            ]
            for seat, strategy in ((player, own), (1 - player, other))
        ]
        total = jnp.zeros((2, types, types))
        for street, shapes in enumerate(self.betting.streets):
            for i, shape in enumerate(shapes):
                arrays = (own[street][i], other[street][i], *(each[street][i][0] for each in starts))
                pays = (shape.fold_pays * (1 if player == 0 else -1), shape.showdown_pays)
                found = by_block(
                    functools.partial(self._leaves, player, shape, columns), (*arrays, *map(jnp.asarray, pays))
                )
                total = total + jnp.stack([_paired(found[1], found[3]), _paired(found[0], found[2])])
        return total

    def _leaves(
        self,
        player: int,
        shape: Shape,
        columns: TypeColumns,
        own: Array,
        other: Array,
        own_reach: Array,
        other_reach: Array,
        fold_pays: Array,
        showdown_pays: Array,
    ) -> tuple[Array, Array, Array, Array]:
        """Reach ``[leaves, C, m]`` of folds and showdowns, the player's and, times what they pay, the other's."""
        to_columns = functools.partial(self._columns_sweep.to_columns, shape.street, columns)
        mine: Leaves = shape.descend(player, own)[0]
        theirs: Leaves = shape.descend(1 - player, other)[0]
        return (
            to_columns(mine.folds) * own_reach,
            to_columns(mine.showdowns) * own_reach,
            to_columns(theirs.folds * fold_pays[:, None]) * other_reach,
            to_columns(theirs.showdowns * showdown_pays[:, None]) * other_reach,
        )

    @functools.cached_property
    def _columns_sweep(self) -> ColumnSweep:
        return ColumnSweep(self.betting, self.num_buckets, self.num_types)

    def _columns(self, dealt: Array) -> TypeColumns:
        return TypeColumns(dealt, self._buckets)

    @functools.cached_property
    def _buckets(self) -> tuple[np.ndarray, ...]:
        return tuple(np.array(self.paths.types, np.int32).T)


def _paired(own: Array, other: Array) -> Array:
    """Sum over leaves and starts of ``[leaves, q, m]`` times ``[leaves, r, m]``: ``[q, r]``."""
    return jnp.einsum("lqm,lrm->qr", own, other, precision=_PRECISION)
