"""Boards that differ by nothing but the names of their suits, and the hands on them.

    flops = isomorphism.classes(3)                  # 1,755 classes of the 22,100 flops
    index, order = isomorphism.look_up(flops.class_of, flops.order_of, board[:3])
    table[index][isomorphism.renamed_combos()[order]]       # [1326]: what a table by class says of each combo

A board's number is its place among all sets of so many cards, in the order of their highest cards (colexicographic):

    number(c1 < c2 < ... < cn) = C(c1, 1) + C(c2, 2) + ... + C(cn, n)

Each class is represented by its board with the largest 52-bit mask, and each board knows which of the 24 orders of
suits turns it into that one. Who holds a combo on a board holds, on the representative, the combo with the same suits
renamed.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity import boards
from jaxpoker.equity.boards import ALL_SUIT_ORDERS

Array = jax.Array


class Classes(NamedTuple):
    """All boards of one size, and the classes that renaming suits leaves of them."""

    cards: np.ndarray  # [classes, size] int32: the representative of each, ascending ids
    times: np.ndarray  # [classes] int32: how many boards a class has
    class_of: np.ndarray  # [C(52, size)] int32 or int16: the class of each board, by its number
    order_of: np.ndarray  # [C(52, size)] int8: which of ALL_SUIT_ORDERS turns it into the representative


@functools.cache
def classes(size: int) -> Classes:
    """The classes of boards of 1 to 5 cards: 1,755 flops, 16,432 boards with a turn, 134,459 with a river."""
    if not 1 <= size <= 5:
        raise ValueError(f"a board has 1 to 5 cards, not {size}")
    everything = boards.all_boards(size)
    best, order = everything.copy(), np.zeros(everything.shape, np.int8)
    for number, suits in enumerate(ALL_SUIT_ORDERS):
        renamed = boards.rename_suits(everything, suits)
        better = renamed > best
        best[better], order[better] = renamed[better], number
    masks, index, times = np.unique(best, return_inverse=True, return_counts=True)
    small = np.int16 if masks.size <= np.iinfo(np.int16).max else np.int32
    return Classes(cards_of(masks, size), times.astype(np.int32), index.astype(small), order)


def cards_of(masks: np.ndarray, size: int) -> np.ndarray:
    """[n, size] int32: the cards of 52-bit masks uint64 [n], ascending."""
    held = masks[:, None] >> np.arange(NUM_CARDS, dtype=np.uint64) & np.uint64(1)
    return np.nonzero(held)[1].reshape(-1, size).astype(np.int32)


@functools.cache
def _choose() -> np.ndarray:
    """[52, 5] int32: C(card, i + 1)."""
    return np.array([[math.comb(card, i + 1) for i in range(5)] for card in range(NUM_CARDS)], np.int32)


def number(board: Array | np.ndarray) -> Array:
    """``[...]`` int32: the number of boards ``[..., size]`` of different cards in any order. Jittable."""
    cards = jnp.asarray(board)
    place = (cards[..., None, :] < cards[..., :, None]).sum(axis=-1)  # of each card among the others
    return jnp.asarray(_choose())[cards, place].sum(axis=-1)


def look_up(class_of: Array | np.ndarray, order_of: Array | np.ndarray, board: Array) -> tuple[Array, Array]:
    """Class and order of suits ``[...]`` int32 of boards ``[..., size]``, by the arrays of ``Classes``. Jittable."""
    at = number(board)
    return jnp.asarray(class_of)[at].astype(jnp.int32), jnp.asarray(order_of)[at].astype(jnp.int32)


@functools.cache
def renamed_combos() -> np.ndarray:
    """[24, 1326] int16: what each combo becomes under each of ALL_SUIT_ORDERS."""
    return np.stack([boards.renamed_combos(suits) for suits in ALL_SUIT_ORDERS]).astype(np.int16)
