"""Sweeps over a betting tree with a number for each hand, or for each type of hands.

A column is what a player may hold: one of the live hands of a board (``sampling/hand_game.py``) or one of the types of
hands on many (``sampling/type_game.py``). A column plays the strategy of its bucket on the street. What an end is worth
to it follows from the other's reach (``Columns``). The values of its actions are added to those of its bucket:

    value of an action to a bucket = sum over boards, sum over its columns i of [sum over columns j of the other:
                                     pay(i, j) reach(j)]

All columns of a bucket play alike during a street, on whatever board. So a street is walked with one number for each
bucket, once for all boards: down with how likely its betting leads to each leaf, and up with the values. Columns, of
which there are many more, are met at the leaves only, board after board:

    the other's reach of a leaf, column j = its reach of the street's start, j * how likely j's bucket plays to the leaf
    value of a street's start, column i   = sum over leaves: how likely i's bucket plays to it * its value to column i

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

from jaxpoker.solvers.sampling.preflop_luck import AllBoards
from jaxpoker.solvers.tree import drawn_starts
from jaxpoker.solvers.tree.drawn_starts import Starts, by_shape
from jaxpoker.solvers.tree.street_shapes import Leaves, OfShapes, Shape, ShapedTree

Array = jax.Array

_PRECISION = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits

STARTS = 128  # of a street that are swept at once; what one leaf of theirs needs stays in the cache
AT_ONCE = 1 << 24  # numbers of all leaves of a block, where they are kept


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


class Boards(Protocol):
    """The columns of n boards, as many of each."""

    @property
    def number(self) -> int:
        """n."""
        ...

    def board(self, k: Array | int) -> Columns:
        """Those of board ``k``."""
        ...


class ColumnsSwept(NamedTuple):
    """What a sweep says of one player, summed over boards; by street and shape."""

    value: Array  # [] of the game to the player
    action_values: OfShapes  # counterfactual; any number where an action is not legal
    strategy: OfShapes  # that it played


@dataclasses.dataclass(frozen=True, eq=False)
class ColumnSweep:
    """Betting, how many buckets each street has, and how many columns there are on a board; what is known of all
    boards, if the luck of those drawn is to be taken off the values before the flop (``sampling/preflop_luck.py``).
    """

    betting: ShapedTree
    num_buckets: tuple[int, ...]
    num_columns: int
    all_boards: AllBoards | None = None

    def sweep(
        self,
        player: int,
        boards: Boards,
        own: OfShapes,
        other: OfShapes,
        respond: Array | bool,
        starts: Starts | None = None,
    ) -> ColumnsSwept:
        """Values of all actions of ``player``, who plays ``own`` or, to ``respond``, the best action of each bucket,
        over all boards; of some ``starts`` where they are drawn, which strategies and values are then of.
        """
        linked = starts or drawn_starts.every(self.betting)
        dealt = jnp.stack([boards.board(k).dealt for k in range(boards.number)])
        reach = self.reach_starts(1 - player, boards, other, dealt, starts)
        action_values: list[tuple[Array, ...]] = []
        strategies: list[tuple[Array, ...]] = []
        later = jnp.zeros((boards.number, self.num_columns, 0))  # [n, C, starts of the next street]
        for street in reversed(range(len(self.betting.streets))):
            found, here = [], linked[street]
            others = by_shape(reach[street], here)
            for i, shape in enumerate(self.betting.streets[street]):
                after = jnp.pad(later, ((0, 0), (0, 0), (0, 1)))[:, :, here.onward[i]].swapaxes(1, 2)
                arrays = (own[street][i], other[street][i], others[i], after)
                pays: tuple[Any, ...] = (
                    shape.fold_pays * (1 if player == 0 else -1),
                    shape.showdown_pays,
                    shape.legal[player][:, :, None],
                )
                if here.places is not None:
                    pays = tuple(jnp.asarray(each)[..., here.places[i]] for each in pays)
                checked_down = None
                if street == 0 and self.all_boards is not None and respond is False:
                    checked_down = self.all_boards.checked_down[i]
                ascend = functools.partial(self._ascend, player, shape, boards, respond, checked_down)
                kept = None if respond is False else self._kept(shape, boards.number)
                found.append(by_block(ascend, (*arrays, *map(jnp.asarray, pays)), kept))
            action_values.append(tuple(each[1] for each in found))
            strategies.append(tuple(each[2] for each in found))
            later = jnp.concatenate([each[0] for each in found], axis=2)
            if here.weights is not None:
                later = later * here.weights
        return ColumnsSwept(later.sum(), tuple(action_values[::-1]), tuple(strategies[::-1]))

    def reach_decisions(
        self, player: int, boards: Boards, strategy: OfShapes, starts: Starts | None = None
    ) -> OfShapes:
        """By street and shape ``[K, buckets, M]``: how likely buckets are held and own play leads to each decision,
        summed over boards; of some ``starts`` where they are drawn.
        """
        linked = starts or drawn_starts.every(self.betting)
        held = jnp.stack([boards.board(k).held for k in range(boards.number)])
        reach = self.reach_starts(player, boards, strategy, held, starts)

        def of_decisions(shape: Shape, mine: Array, starts: Array) -> Array:
            def of_board(total: Array, board: tuple[Array, Array]) -> tuple[Array, None]:
                k, of_columns = board
                return total + self._to_buckets(shape.street, boards.board(k), of_columns), None

            nobody = jnp.zeros(mine.shape[2:], starts.dtype)
            return shape.descend(player, mine)[1] * _on_boards(of_board, boards, nobody, starts)[0]

        return tuple(
            tuple(
                by_block(functools.partial(of_decisions, shape), (strategy[street][i], mine))
                for i, (shape, mine) in enumerate(zip(shapes, by_shape(reach[street], linked[street]), strict=True))
            )
            for street, shapes in enumerate(self.betting.streets)
        )

    def reach_starts(
        self, player: int, boards: Boards, strategy: OfShapes, weights: Array, starts: Starts | None = None
    ) -> list[Array]:
        """By street ``[n, C, starts]``, shape after shape: the ``weights`` ``[n, C]`` of columns, times how likely the
        player's actions lead there.
        """
        linked = starts or drawn_starts.every(self.betting)
        reach = [weights[:, :, None]]

        def to_chances(shape: Shape, mine: Array, starts: Array) -> Array:
            leaves, _ = shape.descend(player, mine)

            def of_board(none: None, board: tuple[Array, Array]) -> tuple[None, Array]:
                k, of_columns = board
                return none, self.to_columns(shape.street, boards.board(k), leaves.chances) * of_columns

            return _on_boards(of_board, boards, None, starts)[1]  # [n, chances, C, m]

        for street, shapes in enumerate(self.betting.streets[:-1]):
            found = []
            for i, (shape, mine) in enumerate(zip(shapes, by_shape(reach[street], linked[street]), strict=True)):
                chances = by_block(functools.partial(to_chances, shape), (strategy[street][i], mine))
                found.append(chances.transpose(0, 2, 3, 1).reshape(boards.number, self.num_columns, -1))
            reach.append(jnp.concatenate(found, axis=2)[:, :, linked[street + 1].arrivals])
        return reach

    def to_columns(self, street: int, columns: Columns, of_buckets: Array) -> Array:
        """``[..., buckets, m]`` as ``[..., C, m]``: to each column what its bucket has."""
        bucket = columns.bucket(street)
        return of_buckets if _is_own(bucket, self.num_buckets[street]) else of_buckets[..., bucket, :]

    def _to_buckets(self, street: int, columns: Columns, of_columns: Array) -> Array:
        """``[C, m]`` as ``[buckets, m]``: the sums of what the columns of each bucket have."""
        bucket, buckets = columns.bucket(street), self.num_buckets[street]
        if _is_own(bucket, buckets):
            return of_columns

        def one_by_one(bucket: Array, values: Array) -> Array:
            return jax.ops.segment_sum(values, bucket, buckets)

        def by_product(bucket: Array, values: Array) -> Array:
            members = (bucket == np.arange(buckets)[:, None]).astype(values.dtype)  # [buckets, C]
            return jnp.matmul(members, values, precision=_PRECISION)

        return jax.lax.platform_dependent(jnp.asarray(bucket), of_columns, cpu=one_by_one, default=by_product)

    def _kept(self, shape: Shape, boards: int) -> int:
        """How many starts are swept at once where all that their leaves are worth to columns is kept."""
        leaves = sum(map(len, (shape.fold_pays, shape.showdown_pays, shape.next_starts)))
        return max(1, min(STARTS, AT_ONCE // (leaves * self.num_columns * boards)))

    # --- one block ------------------------------------------------------------------------------

    def _ascend(
        self,
        player: int,
        shape: Shape,
        boards: Boards,
        respond: Array | bool,
        checked_down: np.ndarray | None,
        own: Array,
        other: Array,
        reach: Array,
        later: Array,
        fold_pays: Array,
        showdown_pays: Array,
        legal: Array,
    ) -> tuple[Array, Array, Array]:
        """Of some starts of a shape: values ``[n, C, m]``, those of the actions and the strategy ``[A, K, buckets,
        m]``; given the other's ``reach`` ``[n, C, m]`` of the starts and the values of the ``later`` ones ``[n,
        chances, C, m]``.
        """
        theirs, _ = shape.descend(1 - player, other)
        is_own = _is_own(boards.board(0).bucket(shape.street), self.num_buckets[shape.street])
        plays_own = respond is False and not is_own
        mine = shape.descend(player, own)[0] if plays_own else None
        paid = (theirs.folds * fold_pays[:, None], theirs.showdowns * showdown_pays[:, None])

        def on_board(sums: Leaves, board: tuple[Array, Array, Array]) -> tuple[Leaves, tuple[Array, Any]]:
            k, others, after = board
            columns = boards.board(k)
            value = jnp.zeros_like(others)
            found: list[Array] = []
            worths: list[Any] = []
            ends = ((columns.folded, paid[0]), (columns.shown_down, paid[1]), (None, after))
            for kind, (f, given) in enumerate(ends):
                leaf = functools.partial(self._leaf, shape.street, columns, f, others)
                first = (value, jnp.zeros_like(others))
                (value, last), (before, worth) = jax.lax.scan(leaf, first, (given, mine and mine[kind]))
                last_sums = self._to_buckets(shape.street, columns, last)
                found.append(jnp.concatenate([before, last_sums[None]])[1:])
                worths.append(worth)
            return jax.tree.map(jnp.add, sums, Leaves(*found)), (value, worths)

        leaves = (len(paid[0]), len(paid[1]), later.shape[1])
        nothing = Leaves(*(jnp.zeros((number, *own.shape[2:]), reach.dtype) for number in leaves))
        sums, (value, worths) = _on_boards(on_board, boards, nothing, reach, later)
        if checked_down is not None:
            pays = (fold_pays, showdown_pays)
            sums = self._without_luck(shape.street, boards, checked_down, theirs, reach, pays, sums)
        worth, action_values, played = shape.ascend(player, sums, own, legal, respond)
        if is_own or checked_down is not None:
            value = worth[None]  # there is one board, or nothing before that depends on which
        elif not plays_own:
            ways = shape.descend(player, played)[0]

            def by_played(none: None, board: tuple[Array, Any]) -> tuple[None, Array]:
                k, kept = board
                own_ways = [self.to_columns(shape.street, boards.board(k), kind) for kind in ways]
                return none, sum(((way * of_kind).sum(axis=0) for way, of_kind in zip(own_ways, kept, strict=True)))

            value = _on_boards(by_played, boards, None, worths)[1]
        return value, action_values, played

    def _without_luck(
        self,
        street: int,
        boards: Boards,
        checked_down: np.ndarray,
        theirs: Leaves,
        reach: Array,
        pays: tuple[Array, Array],
        sums: Leaves,
    ) -> Leaves:
        """``sums`` of leaves before the flop, over all boards where they are known, else without the luck that the pot
        ``checked_down`` shows.
        """
        known = self.all_boards
        assert known is not None

        def on_board(total: Array, board: tuple[Array, Array]) -> tuple[Array, None]:
            k, others = board
            columns = boards.board(k)

            def leaf(none: None, way: Array) -> tuple[None, Array]:
                worth = columns.shown_down(self.to_columns(street, columns, way) * others)
                return none, self._to_buckets(street, columns, worth)

            return total + jax.lax.scan(leaf, None, theirs.chances)[1], None

        drawn, _ = _on_boards(on_board, boards, jnp.zeros_like(theirs.chances), reach)
        expected = known.expected(known.shown_down, theirs.chances, checked_down)
        return Leaves(
            boards.number * known.expected(known.rivals, theirs.folds, pays[0]),
            boards.number * known.expected(known.shown_down, theirs.showdowns, pays[1]),
            sums.chances + boards.number * expected - drawn * checked_down[:, None],
        )

    def _leaf(
        self,
        street: int,
        columns: Columns,
        f: Callable[[Array], Array] | None,
        reach: Array,
        before: tuple[Array, Array],
        leaf: tuple[Array, Array | None],
    ) -> tuple[tuple[Array, Array], tuple[Array, Array | None]]:
        """One leaf of all starts of a block: what it adds to the value of the starts ``[C, m]``, and what it is worth
        to columns ``[C, m]``; and what the leaf before was worth to buckets ``[buckets, m]``.

        A ``leaf`` is an end, with the other's way there ``[buckets, m]`` times what it pays, of which ``f`` says what
        it is worth, or the start of the next street with its value ``[C, m]``; and the own way there, if it is known.
        Sums of buckets come one leaf late: XLA would else work out the same worth again for each of its uses.
        """
        value, worth_before = before
        given, way = leaf
        worth = given if f is None else f(self.to_columns(street, columns, given) * reach)
        sums = self._to_buckets(street, columns, worth_before)
        if way is None:
            return (value, worth), (sums, worth)
        return (value + self.to_columns(street, columns, way) * worth, worth), (sums, None)


def _on_boards(f: Callable[[Any, Any], tuple[Any, Any]], boards: Boards, carry: Any, *arrays: Any) -> tuple[Any, Any]:
    """``lax.scan`` of ``f(carry, (k, *arrays of board k))`` over the boards k; ``arrays`` are ``[n, ...]``."""
    return jax.lax.scan(f, carry, (jnp.arange(boards.number), *arrays))


def by_block(f: Callable[..., Any], arrays: tuple[Array, ...], starts: int | None = None) -> Any:
    """``f`` of arrays whose last axis is the starts of a shape, block after block of ``starts`` (``STARTS`` when None);
    so is what it returns. The last block begins early enough to be as long as the others.
    """
    number = arrays[0].shape[-1]
    blocks = -(-number // (starts or STARTS))
    size = -(-number // blocks)

    def part(first: Array | int) -> Any:
        return f(*(jax.lax.dynamic_slice_in_dim(array, first, size, axis=-1) for array in arrays))

    if blocks == 1:
        return f(*arrays)

    def block(i: Array, whole: Any) -> Any:
        first = jnp.minimum(i * size, number - size)
        return jax.tree.map(
            lambda all_starts, some: jax.lax.dynamic_update_slice_in_dim(all_starts, some, first, axis=-1),
            whole,
            part(first),
        )

    empty = jax.tree.map(lambda x: jnp.zeros((*x.shape[:-1], number), x.dtype), jax.eval_shape(lambda: part(0)))
    return jax.lax.fori_loop(0, blocks, block, empty)


def _is_own(bucket: Array | np.ndarray, buckets: int) -> bool:
    """Whether every column is known to be a bucket of its own, in order."""
    return isinstance(bucket, np.ndarray) and np.array_equal(bucket, np.arange(buckets))
