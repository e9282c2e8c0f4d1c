"""A game of bets between buckets: sweeps over a betting tree that know no hands and no boards.

What a player does on a street depends on the betting and on its bucket there. A type is the buckets of a hand on all
streets. So all that cards do is in a joint table of types (``solvers/showdowns/type_counts.py``), and the tree is swept
street by street with vectors over the buckets of that street alone. For the player who sweeps (bucket b, later path y)
and the other (c, z):

    K[m](b y, c z)   how likely chance and the other's earlier actions make the two types at start m of a street;
                     from it and the other's reach x on the street, at the next start n

                     K[n](y, z) = sum over b, c: K[m](b y, c z) x[n](c)

    A[m](b y, c z)   what the rest of the game is worth to a pair of types: a sum over the leaves of the street,
                     own reach(b) times the other's reach(c) times the pay of an end, or A[n](y, z)

    value of an end to bucket b     = pay * sum over c: K[m](b, c) x(c)
    value of a next start n to b    = sum over c, y, z: K[m](b y, c z) x[n](c) A[n](y, z)

K and A come in two kinds, for pots that are shown down and pots that are folded. Values are counterfactual, summed over
deals: the value of a bucket is the sum of the values of its types. The sums over boards are in K alone, so any number
of boards costs one sweep. Nothing is approximated: a sweep on the counts of one board is public chance sampling with
that board, and a sweep on the counts of all boards is the abstract game itself.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.regret import Table
from jaxpoker.solvers.showdowns.type_counts import RIVALS, SHOWDOWNS, BucketPaths
from jaxpoker.solvers.sweep import Response, Swept
from jaxpoker.solvers.tree import Tree
from jaxpoker.solvers.tree.street_shapes import Leaves, OfShapes, Shape, ShapedTree

Array = jax.Array

_PRECISION = jax.lax.Precision.HIGHEST


class _Swept(NamedTuple):
    """What a sweep says of one player; by street and shape."""

    value: Array  # [] of the game to the player
    action_values: OfShapes  # counterfactual; any number where an action is not legal
    strategy: OfShapes  # that it played
    worth: Array  # [2, types, types]: A at the root


class _Entered(NamedTuple):
    """K of a shape's starts, summed over later streets for the ends, and of the next starts with own buckets apart."""

    ends: Array  # [2, b, c, M]
    next_starts: Array  # [M, chances, 2, x, z]: x the player's path from this street on, z the other's from the next


@dataclasses.dataclass(frozen=True, eq=False)
class BucketGame:
    """Betting and the paths of buckets on the streets that it goes over."""

    betting: ShapedTree
    paths: BucketPaths

    @property
    def tree(self) -> Tree:
        return self.betting.tree

    @property
    def num_buckets(self) -> tuple[int, ...]:
        return self.paths.num_buckets

    def legal(self, player: int) -> Table:
        return self.betting.legal(player)

    def values(self, player: int, dealt: Array, own: OfShapes, other: OfShapes) -> Swept:
        """Values of all actions of ``player`` when the cards fall as the counts ``dealt`` ``[2, types, types]`` say."""
        found = self._sweep(player, dealt, own, other, False)
        return Swept(found.value, found.action_values)

    def respond(self, player: int, dealt: Array, other: OfShapes) -> Response:
        """The best response that sees no more than the bucket of the street."""
        found = self._sweep(player, dealt, self.betting.nothing(player, self.num_buckets), other, True)
        return Response(found.value, found.strategy)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _sweep(self, player: int, counts: Array, own: OfShapes, other: OfShapes, respond: Array | bool) -> _Swept:
        """``player`` plays ``own`` or, to ``respond``, a best response. That is data: a solver and whoever judges it
        run the same compiled code.
        """
        entered, others = self._descend(1 - player, counts, other)
        action_values: list[tuple[Array, ...]] = []
        strategy: list[tuple[Array, ...]] = []
        worth: Array | None = None
        value = jnp.zeros(())
        for street in reversed(range(len(self.betting.streets))):
            found = [
                self._ascend(player, shape, entered[street][i], others[street][i], worth, own[street][i], respond)
                for i, shape in enumerate(self.betting.streets[street])
            ]
            value = found[0][0].sum()
            action_values.append(tuple(each[1] for each in found))
            strategy.append(tuple(each[2] for each in found))
            worth = jnp.concatenate([each[3] for each in found])[self.betting.order(street)]
        assert worth is not None
        return _Swept(value, tuple(action_values[::-1]), tuple(strategy[::-1]), worth[0])

    def worth(self, player: int, own: OfShapes, other: OfShapes) -> Array:
        """``[2, types, types]``: what the game is worth to each pair of types; the value of the game to ``player`` is
        the sum of this times the counts, on whatever boards.
        """
        return self._sweep(player, jnp.zeros((2, *self.paths.size[:1] * 2)), own, other, False).worth

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def own_reach(self, player: int, dealt: Array, own: OfShapes) -> OfShapes:
        """By street and shape ``[K, buckets, M]``: how likely buckets are held and own play leads to each decision."""
        held = dealt[RIVALS].sum(axis=1)[None]  # [N, paths]
        reaches = []
        for street, shapes in enumerate(self.betting.streets):
            here, following = [], []
            bucket = self.paths.bucket[street]
            for i, shape in enumerate(shapes):
                leaves, decisions = shape.descend(player, own[street][i])
                mine = held[shape.starts].T  # [paths, M]
                here.append(decisions * _summed(mine, bucket, own[street][i].shape[2]))
                after = leaves.chances[:, bucket] * mine  # [chances, paths, M]
                after = _summed(jnp.moveaxis(after, 1, 0), self.paths.later[street], self.paths.size[street + 1])
                following.append(after.transpose(2, 1, 0).reshape(-1, len(after)))
            reaches.append(tuple(here))
            held = jnp.concatenate(following)[self.betting.arrivals(street)]
        return tuple(reaches)

    def _descend(
        self, other: int, counts: Array, strategy: OfShapes
    ) -> tuple[list[list[_Entered]], list[list[Leaves]]]:
        """By street and shape: how likely the types are at the starts, and the other's reach of the leaves."""
        entered, reaches = [], []
        at_starts = counts[None]  # [N, 2, paths, paths]
        for street, shapes in enumerate(self.betting.streets):
            leaves = [shape.descend(other, strategy[street][i])[0] for i, shape in enumerate(shapes)]
            reaches.append(leaves)
            found = [self._enter(shape, at_starts, each) for shape, each in zip(shapes, leaves, strict=True)]
            entered.append(found)
            if street + 1 < len(self.betting.streets):
                after = jnp.concatenate([each.next_starts.reshape(-1, *each.next_starts.shape[2:]) for each in found])
                at_starts = _merged(
                    after[self.betting.arrivals(street)], self.paths.later[street], self.paths.size[street + 1]
                )
        return entered, reaches

    def _enter(self, shape: Shape, at_starts: Array, others: Leaves) -> _Entered:
        street = shape.street
        buckets, later = self.paths.num_buckets[street], self.paths.size[street + 1]
        place = np.full((later, buckets), self.paths.size[street], np.int32)
        place[self.paths.later[street], self.paths.bucket[street]] = np.arange(self.paths.size[street])
        mine = jnp.pad(at_starts[shape.starts], ((0, 0), (0, 0), (0, 0), (0, 1)))  # [M, 2, x, paths + 1]
        apart = mine[..., place.reshape(-1)].reshape(*mine.shape[:3], later, buckets)  # [M, 2, x, z, c]
        ends = _merged(apart.sum(axis=3), self.paths.bucket[street], buckets).transpose(1, 2, 3, 0)  # [2, b, c, M]
        reach = jnp.moveaxis(others.chances, 2, 0)  # [M, chances, c]
        after = jnp.einsum("mqc,mnc->mnq", apart.reshape(len(apart), -1, buckets), reach, precision=_PRECISION)
        return _Entered(ends, after.reshape(*reach.shape[:2], *mine.shape[1:3], later))

    def _ascend(
        self,
        player: int,
        shape: Shape,
        entered: _Entered,
        others: Leaves,
        worth: Array | None,
        own: Array,
        respond: Array | bool,
    ) -> tuple[Array, Array, Array, Array]:
        """Values of one shape, of its actions, the strategy chosen, and A ``[M, 2, paths, paths]`` of its starts."""
        street, starts = shape.street, shape.num_starts
        bucket, tail = self.paths.bucket[street], self.paths.later[street]
        buckets, later = self.paths.num_buckets[street], self.paths.size[street + 1]
        sign = 1 if player == 0 else -1
        fold_pays, showdown_pays = (sign * shape.fold_pays)[:, None], shape.showdown_pays[:, None]
        folds = _against(entered.ends[RIVALS], others.folds) * fold_pays
        showdowns = _against(entered.ends[SHOWDOWNS], others.showdowns) * showdown_pays
        chances = jnp.zeros((0, buckets, starts), folds.dtype)
        goes_on = None
        if worth is not None and len(shape.next_starts):
            padded = jnp.concatenate([worth, jnp.zeros((1, *worth.shape[1:]), worth.dtype)])
            goes_on = padded[shape.next_starts.T][:, :, :, tail]  # [M, chances, 2, x, z]
            by_path = (entered.next_starts * goes_on).sum(axis=(2, 4))  # [M, chances, x]
            chances = _summed(by_path.transpose(2, 1, 0), bucket, buckets).swapaxes(0, 1)
        leaves, legal = Leaves(folds, showdowns, chances), shape.legal[player][:, :, None]
        value, action_values, strategy = shape.ascend(player, leaves, own, legal, respond)
        mine, _ = shape.descend(player, strategy)
        settled = jnp.stack(
            [_paired(mine.showdowns, others.showdowns * showdown_pays), _paired(mine.folds, others.folds * fold_pays)],
            axis=1,
        )  # [M, 2, b, c]
        total = settled[:, :, bucket][:, :, :, bucket]
        if goes_on is not None:
            ours = jnp.moveaxis(mine.chances[:, bucket], 2, 0)[:, :, None, :, None] * goes_on  # [M, chances, 2, x, z]
            reach = others.chances.transpose(2, 1, 0)  # [M, c, chances]
            after = jnp.matmul(reach, ours.reshape(starts, ours.shape[1], -1), precision=_PRECISION)
            after = after.reshape(starts, buckets, 2, len(bucket), later).transpose(0, 2, 3, 1, 4)
            total = total + after[:, :, :, bucket, tail]
        return value, action_values, strategy, total


def _summed(array: Array, into: np.ndarray, size: int) -> Array:
    """``[size, ...]``: the rows of ``array`` that go ``into`` the same place, added; a product with zeros and ones."""
    if np.array_equal(into, np.arange(size)):
        return array
    one_hot = (np.arange(size)[:, None] == into).astype(np.float32)
    return jnp.tensordot(jnp.asarray(one_hot), array, axes=1, precision=_PRECISION)


def _merged(array: Array, into: np.ndarray, size: int) -> Array:
    """``[n, 2, size, ...]``: the entries of ``array`` ``[n, 2, paths, ...]`` that go ``into`` the same place, added."""
    sources = [np.nonzero(into == place)[0] for place in range(size)]
    padded = jnp.concatenate([array, jnp.zeros_like(array[:, :, :1])], axis=2)
    table = np.full((max(map(len, sources)), size), array.shape[2])
    for place, found in enumerate(sources):
        table[: len(found), place] = found
    return functools.reduce(jnp.add, [padded[:, :, rows] for rows in table])


def _against(meetings: Array, reach: Array) -> Array:
    """Sum over c of ``[b, c, M]`` times ``[leaves, c, M]``: ``[leaves, b, M]``; written out, so that XLA fuses it."""
    total = jnp.zeros((), reach.dtype)
    for c in range(reach.shape[1]):
        total = total + reach[:, c, None] * meetings[None, :, c]
    return total


def _paired(own: Array, other: Array) -> Array:
    """Sum over leaves of ``[leaves, b, M]`` times ``[leaves, c, M]``: ``[M, b, c]``."""
    return jnp.einsum("lbm,lcm->mbc", own, other, precision=_PRECISION)
