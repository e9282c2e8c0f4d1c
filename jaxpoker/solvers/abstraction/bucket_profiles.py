"""What the buckets of a card abstraction hold: how many hands, and how much of the pot those win on the river.

    by_street = bucket_profiles.profiles(known)      # preflop, flop, turn, river
    by_street[1].mean                                # [buckets] equity against a random hand

Equity buckets know it exactly; of other abstractions it is measured on random boards.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.solvers.abstraction import equity_distributions as distributions
from jaxpoker.solvers.abstraction.contract import CardAbstraction
from jaxpoker.solvers.abstraction.equity_distributions import BIN, MAX_SCORE, NUM_BINS

Array = jax.Array

BOARDS = 2_000  # that a sampled profile is made of
_BOARDS_AT_ONCE = 50

MIDDLES = (np.arange(NUM_BINS) + 0.5) / NUM_BINS  # [33] equities of the bins


class BucketProfile(NamedTuple):
    """The buckets of one street."""

    share: np.ndarray  # [buckets] of all hands and boards; they sum to 1
    mean: np.ndarray  # [buckets] equity against a random hand; NaN for a bucket that no hand has
    histogram: np.ndarray  # [buckets, 33]: shares of the river equities of its hands, from 0-3% to 97-100%; NaN as well

    @property
    def deviation(self) -> np.ndarray:
        """[buckets] standard deviation of those river equities, by the middles of their bins."""
        spread = (MIDDLES - (self.histogram * MIDDLES).sum(axis=1, keepdims=True)) ** 2
        return np.sqrt((self.histogram * spread).sum(axis=1))


def from_bins(held: np.ndarray) -> BucketProfile:
    """From counts ``[buckets, 33]`` of the rivers of each bucket's hands by bin; the mean is by the middles of bins."""
    total = held.sum(axis=1)
    with np.errstate(invalid="ignore"):
        histogram = held / total[:, None]
    return BucketProfile(total / total.sum(), (histogram * MIDDLES).sum(axis=1), histogram)


def from_scores(held: np.ndarray) -> BucketProfile:
    """From counts ``[buckets, 1981]`` by score."""
    scores = np.arange(MAX_SCORE + 1)
    by_bin = from_bins(scores_by_bin(held))
    with np.errstate(invalid="ignore"):
        mean = (held * scores).sum(axis=1) / held.sum(axis=1) / MAX_SCORE
    return by_bin._replace(mean=mean)


def scores_by_bin(held: np.ndarray) -> np.ndarray:
    """[buckets, 33]: counts ``[buckets, 1981]`` by score, those of a bin together."""
    return np.add.reduceat(held, BIN * np.arange(NUM_BINS), axis=1)


def profiles(abstraction: CardAbstraction) -> tuple[BucketProfile, ...]:
    """The profiles of the four streets."""
    known: tuple[BucketProfile, ...] | None = getattr(abstraction, "profiles", None)
    return sampled(abstraction) if known is None else known


@functools.lru_cache(maxsize=8)
def sampled(abstraction: CardAbstraction, boards: int = BOARDS) -> tuple[BucketProfile, ...]:
    """The profiles of the hands on so many random boards, the same ones every time."""
    dealt = np.asarray(abstraction.sample_boards(abstraction.tables, jax.random.key(0), boards))
    held = [np.zeros((n, MAX_SCORE + 1), np.int64) for n in abstraction.num_buckets]
    for start in range(0, boards, _BOARDS_AT_ONCE):
        block = dealt[start : start + _BOARDS_AT_ONCE]
        buckets, scores, live = map(np.asarray, _hands(abstraction, abstraction.tables, block))
        for street in range(len(STREETS)):
            place = buckets[:, street][live] * (MAX_SCORE + 1) + scores[live]
            held[street] += np.bincount(place, minlength=held[street].size).reshape(held[street].shape)
    return tuple(map(from_scores, held))


@functools.partial(jax.jit, static_argnums=0)
def _hands(abstraction: CardAbstraction, tables: Any, boards: Array) -> tuple[Array, Array, Array]:
    """Buckets ``[b, 4, 1326]``, scores on the river ``[b, 1326]`` and whether a hand may be held ``[b, 1326]``."""

    def of_board(board: Array) -> tuple[Array, Array, Array]:
        return abstraction.of_board(tables, board), distributions.river_scores(board), possible_hands(board)

    return jax.vmap(of_board)(boards)
