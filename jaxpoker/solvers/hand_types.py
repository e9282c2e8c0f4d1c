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

from jaxpoker.ranges import NUM_COMBOS
from jaxpoker.solvers import showdown_sums
from jaxpoker.solvers.abstraction import CardAbstraction

Array = jax.Array

SHOWDOWNS, RIVALS = range(2)  # the two tables of counts
ROUND = 64  # types of a board that are counted at once; coarse buckets give 33 on average
CENSUS = 4_096  # boards that show which types there are
MEETINGS = 1_081 * 990  # ordered pairs of hands that share no card, on any board


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

    def of_buckets(self, buckets: Array) -> Array:
        """Types ``[...]`` int32 of hands with ``buckets`` ``[streets, ...]``; their number where there is no such type."""
        index = jnp.zeros(buckets.shape[1:], jnp.int32)
        for street in reversed(range(len(self.num_buckets))):
            place = np.full((self.num_buckets[street], self.size[street + 1] + 1), self.size[street], np.int32)
            place[self.bucket[street], self.later[street]] = np.arange(self.size[street])
            index = jnp.asarray(place)[buckets[street], index]
        return index


class Chance(Protocol):
    """What a solver samples: public cards, as the counts of types that meet."""

    paths: Paths

    @property
    def tables(self) -> Any:
        """Pytree of arrays, the first argument of ``sample``."""
        ...

    def sample(self, tables: Any, key: Array, n: int) -> tuple[Array, Array]:
        """``[2, types, types]`` float32: the mean of the counts of ``n`` boards, as probabilities (``RIVALS`` sum to
        1), and ``[]`` float32 the types that a board has on average.
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
        boards = self.abstraction.sample_boards(self.abstraction.tables, jax.random.key(0), CENSUS)
        seen = np.zeros(0, np.int64)
        buckets = self.abstraction.num_buckets[: self.streets]
        for block in np.asarray(boards).reshape(-1, 64, 5):
            found = np.asarray(_live_buckets(self.abstraction, self.abstraction.tables, block))  # [64, 4, 1326]
            numbers = np.ravel_multi_index(found[:, : self.streets].swapaxes(0, 1), buckets, mode="clip")
            seen = np.union1d(seen, numbers[(found >= 0).all(axis=1)])
        types = np.stack(np.unravel_index(seen, buckets), axis=1)
        return Paths(buckets, tuple(map(tuple, types.tolist())))

    @property
    def tables(self) -> Any:
        return self.abstraction.tables

    def sample(self, tables: Any, key: Array, n: int) -> tuple[Array, Array]:
        return self.counts(tables, self.abstraction.sample_boards(tables, key, n))

    def counts(self, tables: Any, boards: Array) -> tuple[Array, Array]:
        """As ``sample``, of ``boards`` ``[n, 5]``."""
        types, strengths, live = jax.vmap(functools.partial(self._hands, tables))(boards)
        return count(self.paths.size[0], types, strengths, live)

    def _hands(self, tables: Any, board: Array) -> tuple[Array, Array, Array]:
        buckets = self.abstraction.of_board(tables, board)[: self.streets]
        return self.paths.of_buckets(buckets), showdown_sums.strengths(board), showdown_sums.live(board)


@functools.partial(jax.jit, static_argnums=0)
def _live_buckets(abstraction: CardAbstraction, tables: Any, boards: Array) -> Array:
    """``[boards, 4, 1326]``: buckets of all hands, -1 of those that the board blocks."""

    def of_board(board: Array) -> Array:
        return jnp.where(showdown_sums.live(board), abstraction.of_board(tables, board), -1)

    return jax.vmap(of_board)(boards)


def count(num_types: int, types: Array, strengths: Array, live: Array) -> tuple[Array, Array]:
    """Mean counts ``[2, num_types, num_types]`` of boards whose hands have these ``[boards, 1326]`` types and strengths,
    and the mean number of types of a board. Types are counted ``ROUND`` at a time, so that any number of them is exact.
    """
    held = jax.vmap(lambda q, alive: jnp.zeros(num_types, bool).at[q].max(alive, mode="drop"))(types, live)
    place = jnp.cumsum(held, axis=1) - 1  # [boards, num_types]: of each type among those of the board
    of_hand = jnp.where(live, jnp.take_along_axis(place, types, axis=1, mode="fill", fill_value=-1), -1)
    number = held.sum(axis=1)
    rounds = -(-number.max() // ROUND)

    def members(first: Array) -> tuple[Array, Array]:
        """One-hot ``[boards, 1326, ROUND]`` of the hands of types ``first`` and following, and these types."""
        one_hot = of_hand[:, :, None] == first + jnp.arange(ROUND)
        which = jax.vmap(lambda places, here: jnp.full(ROUND, num_types).at[places - first].set(here, mode="drop"))(
            jnp.where(held & (place >= first), place, NUM_COMBOS + first),
            jnp.broadcast_to(jnp.arange(num_types), held.shape),
        )
        return one_hot.astype(jnp.float32), which

    def meet(pair: Array, total: Array) -> Array:
        first, second = pair // rounds * ROUND, pair % rounds * ROUND
        (ours, q), (theirs, r) = members(first), members(second)
        won = jnp.stack([jax.vmap(showdown_sums.showdowns)(strengths, theirs), jax.vmap(showdown_sums.rivals)(theirs)])
        met = jnp.einsum("bhq,kbhr->kbqr", ours, won, precision=jax.lax.Precision.HIGHEST)
        return total.at[:, q[:, :, None], r[:, None, :]].add(met, mode="drop")

    total = jax.lax.fori_loop(0, rounds * rounds, meet, jnp.zeros((2, num_types, num_types), jnp.float32))
    return total / (MEETINGS * len(types)), number.astype(jnp.float32).mean()
