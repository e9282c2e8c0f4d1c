"""A game of bets between types of hands, for buckets that remember: one matrix product is all that cards do.

A type is the bucket of a hand on every street (``solvers/showdowns/hand_types.py``). Where the bucket of a street tells
those of earlier ones, no two types ever mix, and the columns of a sweep (``solvers/sampling/column_game.py``) are the
types themselves. With the counts of how types meet, w(q, r) for folds and showdowns, an end is worth to type q

    pay * sum over r: w(q, r) reach(r),

exact whatever the number of boards that were counted. It says the same as ``solvers/sampling/bucket_game.py``, which is
faster where buckets forget.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.sampling.column_game import ColumnGame, Swept
from jaxpoker.solvers.showdowns.hand_types import RIVALS, SHOWDOWNS, Paths
from jaxpoker.solvers.tree.street_shapes import Betting, Leaves, OfShapes, Shape

Array = jax.Array

_PRECISION = jax.lax.Precision.HIGHEST


class TypeCards(NamedTuple):
    """How types meet, and their buckets by street."""

    counts: Array  # [2, types, types]
    buckets: tuple[np.ndarray, ...]  # [types] int32 each

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
class TypeGame(ColumnGame):
    """A game between the types of ``paths``; ``of`` makes one."""

    paths: Paths

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def sweep(self, player: int, counts: Array, own: OfShapes, other: OfShapes, respond: Array | bool) -> Swept:
        """Values of all actions of ``player`` when it plays ``own``, the other plays ``other`` and the cards fall as
        ``counts`` ``[2, types, types]`` say. With ``respond`` it plays a best response instead; that is data.
        """
        return self.swept(player, self._cards(counts), own, other, respond)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def own_reach(self, player: int, counts: Array, strategy: OfShapes) -> OfShapes:
        """By street and shape ``[K, buckets, M]``: how likely buckets are held and own play leads to each decision."""
        return self.reach_decisions(player, self._cards(counts), strategy)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def worth(self, player: int, own: OfShapes, other: OfShapes) -> Array:
        """``[2, types, types]``: what the game is worth to each pair of types; the value of the game to ``player`` is
        the sum of this times the counts, on whatever boards.
        """
        cards = self._cards(jnp.zeros((2, self.num_columns, self.num_columns)))
        starts = [
            self.reach_starts(seat, cards, strategy, jnp.ones(self.num_columns))
            for seat, strategy in ((player, own), (1 - player, other))
        ]
        total = jnp.zeros((2, self.num_columns, self.num_columns))
        for street, shapes in enumerate(self.betting.streets):
            for i, shape in enumerate(shapes):
                arrays = (own[street][i], other[street][i], *(each[street][:, shape.starts] for each in starts))
                pays = (shape.fold_pays * (1 if player == 0 else -1), shape.showdown_pays)
                found = self.by_block(
                    functools.partial(self._leaves, player, shape, cards), shape, (*arrays, *map(jnp.asarray, pays))
                )
                total = total + jnp.stack([_paired(found[1], found[3]), _paired(found[0], found[2])])
        return total

    def _leaves(
        self,
        player: int,
        shape: Shape,
        cards: TypeCards,
        own: Array,
        other: Array,
        own_reach: Array,
        other_reach: Array,
        fold_pays: Array,
        showdown_pays: Array,
    ) -> tuple[Array, Array, Array, Array]:
        """Reach ``[leaves, C, m]`` of folds and showdowns, the player's and, times what they pay, the other's."""
        mine: Leaves = shape.descend(player, self.of_columns(shape, cards, own))[0]
        theirs: Leaves = shape.descend(1 - player, self.of_columns(shape, cards, other))[0]
        return (
            mine.folds * own_reach,
            mine.showdowns * own_reach,
            theirs.folds * other_reach * fold_pays[:, None],
            theirs.showdowns * other_reach * showdown_pays[:, None],
        )

    def _cards(self, counts: Array) -> TypeCards:
        return TypeCards(counts, self._buckets)

    @functools.cached_property
    def _buckets(self) -> tuple[np.ndarray, ...]:
        return tuple(np.array(self.paths.types, np.int32).T)


def of(betting: Betting, paths: Paths) -> TypeGame:
    return TypeGame(betting, paths.num_buckets, paths.size[0], paths)


def _paired(own: Array, other: Array) -> Array:
    """Sum over leaves and starts of ``[leaves, q, m]`` times ``[leaves, r, m]``: ``[q, r]``."""
    return jnp.einsum("lqm,lrm->qr", own, other, precision=_PRECISION)
