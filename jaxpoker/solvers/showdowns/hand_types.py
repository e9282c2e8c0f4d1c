"""Hands that share their bucket on every street are one type: how often types meet, and who wins.

A *path* is the bucket of a hand on every street from one on, such as (pair, pair, two pair) from the flop. Before the
flop it is the whole type of a hand. For a board and types q of one player and r of the other,

    rivals[q, r]    = pairs of a hand of type q and one of type r that share no card
    showdowns[q, r] = ... where the first wins, less those where it loses

are exact counts. They are all that a solver needs to know of the board, and they add up over boards: the mean over many
boards is the chance part of the abstract game, in one small table whatever the number of boards.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.ranges import COMBOS, NUM_COMBOS
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.exact.deals import Deals
from jaxpoker.solvers.showdowns import showdown_sums

Array = jax.Array

_PRECISION = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits

SHOWDOWNS, RIVALS = range(2)  # the two tables of counts
ROUND = 64  # types of a board that are counted at once; coarse buckets give 33 on average
CENSUS = 4_096  # boards that show which types there are
LIVE_HANDS = 1_081  # on a board
RIVALS_OF_HAND = 990  # hands that share no card with a hand and the board
MEETINGS = LIVE_HANDS * RIVALS_OF_HAND  # ordered pairs of hands that share no card, on any board


@dataclasses.dataclass(frozen=True)
class Paths:
    """The types that there are, and their paths from every street on."""

    num_buckets: tuple[int, ...]  # by street
    types: tuple[tuple[int, ...], ...]  # the bucket on each street, in ascending order

    @functools.cached_property
    def of_street(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """The paths from each street on, in order; after the last street the empty one."""
        return tuple(tuple(sorted({path[s:] for path in self.types})) for s in range(len(self.num_buckets) + 1))

    @functools.cached_property
    def size(self) -> tuple[int, ...]:
        """How many paths there are from each street on, 1 after the last."""
        return tuple(map(len, self.of_street))

    @functools.cached_property
    def bucket(self) -> tuple[np.ndarray, ...]:
        """By street ``[paths]`` int32: the first bucket of each path."""
        return tuple(np.array([path[0] for path in paths], np.int32) for paths in self.of_street[:-1])

    @functools.cached_property
    def later(self) -> tuple[np.ndarray, ...]:
        """By street ``[paths]`` int32: how each path goes on, a path of the next street."""
        places = [{path: i for i, path in enumerate(paths)} for paths in self.of_street]
        return tuple(
            np.array([places[s + 1][path[1:]] for path in paths], np.int32)
            for s, paths in enumerate(self.of_street[:-1])
        )

    @property
    def remember(self) -> bool:
        """Whether the bucket of a street always tells the buckets of the streets before it."""
        streets = range(1, len(self.num_buckets))
        return all(
            len({path[: s + 1] for path in self.types}) == len({path[s] for path in self.types}) for s in streets
        )

    def of_buckets(self, buckets: Array) -> Array:
        """Types ``[...]`` int32 of hands with ``buckets`` ``[streets, ...]``; their number where there is none."""
        index = jnp.zeros(buckets.shape[1:], jnp.int32)
        for street in reversed(range(len(self.num_buckets))):
            place = np.full((self.num_buckets[street], self.size[street + 1] + 1), self.size[street], np.int32)
            place[self.bucket[street], self.later[street]] = np.arange(self.size[street])
            index = jnp.asarray(place)[buckets[street], index]
        return index


class Chance(Protocol):
    """Public cards that a solver draws, and what it plays on them."""

    @property
    def tables(self) -> Any:
        """Pytree of arrays, the first argument of the functions below."""
        ...

    def draw(self, tables: Any, key: Array, n: int) -> Array:
        """``[n, ...]`` boards."""
        ...

    def cards(self, tables: Any, boards: Array) -> Any:
        """What is played on: for a game between buckets, the mean over boards of the counts ``[2, types, types]``, as
        probabilities (``RIVALS`` sum to 1), and how many types a board has ``[]``.
        """
        ...


@dataclasses.dataclass(frozen=True)
class HoldemBoards:
    """Boards of hold'em, seen through a card abstraction on the first ``streets`` streets."""

    abstraction: CardAbstraction
    streets: int = 4

    @functools.cached_property
    def paths(self) -> Paths:
        """The types that ``CENSUS`` boards show; rarer ones than that, some one hand in a million, are left out."""
        buckets = self.abstraction.num_buckets[: self.streets]
        types, _ = census(self.abstraction)
        types = np.unique(types[:, : self.streets], axis=0)
        return Paths(buckets, tuple(map(tuple, types.tolist())))

    @property
    def tables(self) -> Any:
        return self.abstraction.tables

    def draw(self, tables: Any, key: Array, n: int) -> Array:
        return self.abstraction.sample_boards(tables, key, n)

    def cards(self, tables: Any, boards: Array) -> tuple[Array, Array]:
        types, strengths, live = jax.vmap(functools.partial(self._hands, tables))(boards)
        return count(self.paths.size[0], types, strengths, live)

    def _hands(self, tables: Any, board: Array) -> tuple[Array, Array, Array]:
        buckets = self.abstraction.of_board(tables, board)[: self.streets]
        return self.paths.of_buckets(buckets), showdown_sums.strengths(board), possible_hands(board)


@dataclasses.dataclass(frozen=True, eq=False)
class ListedBoards:
    """The boards of a small game whose deals are all known; every hand on every board is a type."""

    deals: Deals

    @functools.cached_property
    def paths(self) -> Paths:
        """Types: the columns of each street (boards times hands) that a column of the last one continues."""
        last = len(self.deals.streets) - 1
        columns = [self.deals.columns_before(last, street) for street in range(last + 1)]
        held = self.deals.streets[last].prior.sum(axis=2).reshape(-1) > 0
        types = np.stack(columns, axis=1)[held]
        return Paths(tuple(street.columns for street in self.deals.streets), tuple(sorted(map(tuple, types.tolist()))))

    @functools.cached_property
    def tables(self) -> tuple[Array, Array]:
        """``[boards]`` how likely each board is, and ``[boards, 2, types, types]`` the counts of each."""
        street = self.deals.streets[-1]
        boards, hands = street.prior.shape[:2]
        board, hand = np.divmod(np.array(self.paths.types)[:, -1], hands)
        share = street.prior.sum(axis=(1, 2))
        counts = np.zeros((boards, 2, len(board), len(board)))
        for b in range(boards):
            here = np.nonzero(board == b)[0]
            pairs = np.ix_(here, here)
            hands_of = np.ix_(hand[here], hand[here])
            counts[b, SHOWDOWNS][pairs] = (street.win[b] - street.lose[b])[hands_of] / share[b]
            counts[b, RIVALS][pairs] = street.prior[b][hands_of] / share[b]
        with jax.ensure_compile_time_eval():
            return jnp.asarray(share, jnp.float32), jnp.asarray(counts, jnp.float32)

    def draw(self, tables: tuple[Array, Array], key: Array, n: int) -> Array:
        return jax.random.choice(key, len(tables[0]), (n,), p=tables[0])

    def cards(self, tables: tuple[Array, Array], boards: Array) -> tuple[Array, Array]:
        drawn = (boards[:, None] == jnp.arange(len(tables[0]))).astype(jnp.float32).mean(axis=0)
        return jnp.tensordot(drawn, tables[1], axes=1), jnp.float32(len(self.deals.hands))


@functools.lru_cache(maxsize=8)
def census(abstraction: CardAbstraction) -> tuple[np.ndarray, np.ndarray]:
    """The types ``[n, 4]`` of all hands of ``CENSUS`` boards, in ascending order, and how many hands have each."""
    counted: dict[int, int] = {}
    with jax.ensure_compile_time_eval():
        boards = abstraction.sample_boards(abstraction.tables, jax.random.key(0), CENSUS)
        for block in np.asarray(boards).reshape(-1, 64, 5):
            found = np.asarray(_live_buckets(abstraction, abstraction.tables, block))  # [64, 4, 1326]
            live = (found >= 0).all(axis=1)
            numbers = np.ravel_multi_index(found.swapaxes(0, 1), abstraction.num_buckets, mode="clip")[live]
            for number, hands in zip(*np.unique(numbers, return_counts=True), strict=True):
                counted[int(number)] = counted.get(int(number), 0) + int(hands)
    types = np.array(sorted(counted), np.int64)
    hands = np.array([counted[number] for number in types.tolist()])
    return np.stack(np.unravel_index(types, abstraction.num_buckets), axis=1), hands


@functools.partial(jax.jit, static_argnums=0)
def _live_buckets(abstraction: CardAbstraction, tables: Any, boards: Array) -> Array:
    """``[boards, 4, 1326]``: buckets of all hands, -1 of those that the board blocks."""

    def of_board(board: Array) -> Array:
        return jnp.where(possible_hands(board), abstraction.of_board(tables, board), -1)

    return jax.vmap(of_board)(boards)


def count(num_types: int, types: Array, strengths: Array, live: Array) -> tuple[Array, Array]:
    """Mean counts ``[2, num_types, num_types]`` of boards whose hands have the ``[boards, 1326]`` types and strengths,
    and the mean number of types of a board. Types are counted ``ROUND`` at a time, so that any number of them is exact.
    """
    held = jax.vmap(lambda q, alive: jnp.zeros(num_types, bool).at[q].max(alive, mode="drop"))(types, live)
    place = jnp.cumsum(held, axis=1) - 1  # [boards, num_types]: of each type among those of the board
    of_hand = jnp.where(live, jnp.take_along_axis(place, types, axis=1, mode="fill", fill_value=-1), -1)
    number = held.sum(axis=1)
    rounds = -(-number.max() // ROUND)
    ranked = jax.vmap(showdown_sums.order)(strengths)

    def members(first: Array | int) -> tuple[Array, Array]:
        """One-hot ``[boards, 1326, ROUND]`` of the hands of types ``first`` and following, and these types."""
        one_hot = of_hand[:, :, None] == first + jnp.arange(ROUND)
        which = jax.vmap(lambda places, here: jnp.full(ROUND, num_types).at[places - first].set(here, mode="drop"))(
            jnp.where(held & (place >= first), place, NUM_COMBOS + first),
            jnp.broadcast_to(jnp.arange(num_types), held.shape),
        )
        return one_hot.astype(jnp.float32), which

    def meet(first: Array | int, second: Array | int, total: Array) -> Array:
        (ours, q), (theirs, r) = members(first), members(second)
        won = jax.vmap(showdown_sums.showdowns)(ranked, theirs)
        showdowns = jnp.einsum("bhq,bhr->bqr", ours, won, precision=_PRECISION)
        held_by_q, held_by_r = (
            jnp.einsum("bhq,hc->bqc", each, _holds_card(), precision=_PRECISION) for each in (ours, theirs)
        )
        sharing = jnp.einsum("bqc,brc->bqr", held_by_q, held_by_r, precision=_PRECISION)
        hands_of_q, hands_of_r = ours.sum(axis=1)[:, :, None], theirs.sum(axis=1)[:, None]
        rivals = hands_of_q * hands_of_r - sharing + jnp.where(q[:, :, None] == r[:, None], hands_of_q, 0)
        return total.at[:, q[:, :, None], r[:, None]].add(jnp.stack([showdowns, rivals]), mode="drop")

    def more(pair: Array, total: Array) -> Array:
        return meet(pair // rounds * ROUND, pair % rounds * ROUND, total)

    total = meet(0, 0, jnp.zeros((2, num_types, num_types), jnp.float32))  # mostly all there is
    total = jax.lax.fori_loop(1, rounds * rounds, more, total)
    return total / (MEETINGS * len(types)), number.astype(jnp.float32).mean()


def _holds_card() -> Array:
    """``[1326, 52]`` float32: 1 where a hand holds a card."""
    return jnp.asarray((COMBOS[:, :, None] == np.arange(NUM_CARDS)).any(axis=1).astype(np.float32))
