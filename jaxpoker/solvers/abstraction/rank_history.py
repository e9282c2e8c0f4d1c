"""Rank-based buckets with perfect recall: a hand's list before the flop and its category on every street so far.

    cards = abstraction.make("rank_history")                  # 5 / 45 / 123 / 327 buckets
    cards.text(2, 60)                                         # "medium, pair, two pair"

The 6 / 9 / 9 / 9 buckets of ``rank_based`` have imperfect recall: a bucket does not record earlier streets. On the
river a pair of aces from the start and a pair of threes that came last are in one bucket. Solving with such buckets has
no guarantee (Waugh et al., 2009), and in practice it stalls. Here a bucket is the whole history of a hand's rank-based
buckets. So the abstract game has perfect recall: regret minimisation converges, and a best response is exact.

The histories that there are come from a census of boards (``scripts/make_rank_histories.py``). One that was not seen
there, some one hand in a million, goes to the most frequent history with the same bucket on this street.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.files import DATA, shipped_arrays
from jaxpoker.solvers.abstraction.contract import NumBuckets, digest, require_bucket
from jaxpoker.solvers.abstraction.rank_based import RankBased

Array = jax.Array

TABLE = DATA / "rank_histories.npz"

_RANKS = RankBased()


class Histories(NamedTuple):
    """All histories of rank-based buckets, street by street in ascending order."""

    paths: tuple[np.ndarray, ...]  # [histories, streets so far] uint8 each
    after: tuple[np.ndarray, ...]  # [histories of the street before, rank-based buckets] int32 each: of this street

    @property
    def size(self) -> NumBuckets:
        preflop, flop, turn, river = map(len, self.paths)
        return preflop, flop, turn, river


def of_types(types: np.ndarray, hands: np.ndarray) -> Histories:
    """Histories of ``types`` ``[n, 4]`` that ``hands`` ``[n]`` hands have."""
    paths, after = [], []
    before = np.zeros((1, 0), types.dtype)
    for street, buckets in enumerate(_RANKS.num_buckets):
        found, of_type = np.unique(types[:, : street + 1], axis=0, return_inverse=True)
        weight = np.bincount(of_type.reshape(-1), hands)
        usual = [int(np.argmax(np.where(found[:, -1] == bucket, weight, 0))) for bucket in range(buckets)]
        table = np.tile(np.array(usual, np.int32), (len(before), 1))
        place = {tuple(path): i for i, path in enumerate(before.tolist())}
        table[[place[tuple(path)] for path in found[:, :-1].tolist()], found[:, -1]] = np.arange(len(found))
        paths.append(found)
        after.append(table)
        before = found
    return Histories(tuple(paths), tuple(after))


@functools.cache
def histories() -> Histories:
    """Those that the package knows."""
    return of_types(*shipped_arrays(TABLE, "types", "hands"))


@dataclasses.dataclass(frozen=True)
class RankHistory:
    """The rank-based buckets of this street and all before it."""

    name = "rank_history"
    tables: tuple[()] = dataclasses.field(default=(), init=False)

    @property
    def num_buckets(self) -> NumBuckets:
        return histories().size

    @property
    def fingerprint(self) -> str:
        return digest(self.name, _RANKS.fingerprint, *histories().paths, *histories().after)

    def alike(self, street: int) -> np.ndarray:
        """``[buckets]`` int32: the rank-based bucket of this street, which histories may share."""
        return histories().paths[street][:, -1].astype(np.int32)

    def of_board(self, tables: tuple[()], board: Array) -> Array:
        return _remembered(_RANKS.of_board((), board))

    def of_hand(self, tables: tuple[()], hole: Array, board: Array, street: Array | int) -> Array:
        return _remembered(_RANKS.of_streets(hole, board))[street]

    def sample_boards(self, tables: tuple[()], key: Array, n: int) -> Array:
        return _RANKS.sample_boards((), key, n)

    def text(self, street: int, bucket: int) -> str:
        require_bucket(self, street, bucket)
        path = histories().paths[street][bucket].tolist()
        preflop = _RANKS.text(0, path[0])
        names = [preflop if street == 0 else preflop.partition(" (")[0]]
        return ", ".join(names + [_RANKS.text(later, path[later]) for later in range(1, street + 1)])


def _remembered(buckets: Array) -> Array:
    """Histories ``[4, ...]`` of rank-based ``buckets`` ``[4, ...]``."""
    found: list[Array] = []
    before: Array = jnp.zeros_like(buckets[0])
    for street, after in enumerate(histories().after):
        before = jnp.asarray(after)[before, buckets[street]]
        found.append(before)
    return jnp.stack(found)
