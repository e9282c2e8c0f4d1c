"""The ``rank_based`` card abstraction: lists of hands before the flop, then the category of the best hand so far.

It is the coarse one, 6 / 9 / 9 / 9 buckets, and has imperfect recall: two hands that share a bucket on the river may
have had different ones before (``abstraction/rank_history.py`` records them).
"""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands, ranges
from jaxpoker.equity.by_hand import hole_masks
from jaxpoker.equity.showdowns import Masks, columns, join
from jaxpoker.games.holdem.table import FLOP, PREFLOP
from jaxpoker.solvers.abstraction.contract import OPEN_CARDS, NumBuckets, digest, require_bucket

Array = jax.Array

# Bucket, name, what people call its hands, and the range; a hand is in the first that has it, from the top. A list
# without "suited" means both: "Ax" is every ace, "Kx suited" every suited king. Connectors are two ranks next to each
# other, from KQ down to 32.
PREFLOP_LISTS = (
    (5, "premium", "AA-TT, AK", "TT+, AK"),
    (4, "strong", "99-66, AQ, AJ", "99-66, AQ, AJ"),
    (3, "medium", "55-22, KQ, KJ, suited connectors", "55-22, KQ, KJ, KQs-32s"),
    (2, "weak", "Ax, Kx suited", "A2+, K2s+"),
    (1, "trash", "all others", "random"),
    (0, "unused", "no hand", ""),
)


@functools.cache
def preflop_buckets() -> np.ndarray:
    """[1326] int32: the bucket of each combo by ``PREFLOP_LISTS``."""
    lists = [(bucket, ranges.parse(text) > 0) for bucket, _, _, text in PREFLOP_LISTS if text]
    return np.select([held for _, held in lists], [bucket for bucket, _ in lists]).astype(np.int32)


@dataclasses.dataclass(frozen=True)
class RankBased:
    """6 / 9 / 9 / 9: lists of hands before the flop, then the category of the best hand so far (``hands.CATEGORIES``).

    On the flop the best hand is all five cards; a pair or better on the board counts for everybody.
    """

    name = "rank_based"
    num_buckets: NumBuckets = dataclasses.field(default=(6, 9, 9, 9), init=False)
    tables: tuple[()] = dataclasses.field(default=(), init=False)

    @property
    def fingerprint(self) -> str:
        return _rank_based_fingerprint()

    def of_board(self, tables: tuple[()], board: Array) -> Array:
        return _with_categories(jnp.asarray(preflop_buckets()), hole_masks(), board)

    def of_hand(self, tables: tuple[()], hole: Array, board: Array, street: Array | int) -> Array:
        return self.of_streets(hole, board)[street]

    def of_streets(self, hole: Array, board: Array) -> Array:
        """``[4]`` int32: the buckets of ``hole`` ``[2]``; of streets whose cards are not open they mean nothing."""
        preflop = jnp.asarray(preflop_buckets())[ranges.combo_index(hole[0], hole[1])]
        return _with_categories(preflop, hands.suit_masks(columns(hole)), board)

    def sample_boards(self, tables: tuple[()], key: Array, n: int) -> Array:
        return cards.deal(key, 5, (n,))

    def text(self, street: int, bucket: int) -> str:
        require_bucket(self, street, bucket)
        if street != PREFLOP:
            return hands.CATEGORIES[bucket]
        name, held = next((name, held) for number, name, held, _ in PREFLOP_LISTS if number == bucket)
        return f"{name} ({held})"


def _with_categories(preflop: Array, hole: Masks, board: Array) -> Array:
    """``[4, ...]``: ``preflop`` buckets ``[...]``, then categories with the open cards of ``board`` ``[5]``."""

    def category(opened: int) -> Array:
        with_board = join(hole, hands.suit_masks(columns(board[:opened])))
        return hands.category(hands.strength_of_masks(*with_board, num_cards=2 + opened))

    return jnp.stack([preflop, *map(category, OPEN_CARDS[FLOP:])])


@functools.cache
def _rank_based_fingerprint() -> str:
    return digest("rank_based", preflop_buckets(), *hands.CATEGORIES)
