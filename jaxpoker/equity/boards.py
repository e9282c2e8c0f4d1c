"""All boards, up to suits that may be renamed, as 52-bit masks and as rank masks per suit."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable

import numpy as np

from jaxpoker import ranges
from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity.showdowns import CHUNK
from jaxpoker.ranges import COMBOS

SuitOrders = tuple[tuple[int, ...], ...]  # suit s turns into the s-th entry of an order

ALL_SUIT_ORDERS: SuitOrders = tuple(itertools.permutations(range(4)))


def mask(ids: Iterable[int]) -> int:
    """52-bit mask of a few cards."""
    return sum(1 << int(card) for card in ids)


@functools.cache
def combo_masks() -> np.ndarray:
    """[1326] 52-bit masks, uint64."""
    return np.asarray([mask(combo) for combo in COMBOS], np.uint64)


def rank_masks(masks: np.ndarray) -> np.ndarray:
    """uint64 [...] 52-bit masks as [4, ...] int16 rank masks of clubs, diamonds, hearts, spades."""
    return np.stack([masks >> np.uint64(13 * suit) & np.uint64(0x1FFF) for suit in range(4)]).astype(np.int16)


@functools.cache
def all_boards(size: int) -> np.ndarray:
    """All C(52, size) sets of cards as 52-bit masks, uint64; bit i is card i.

    In the order of their highest cards, so that the sets of cards below c are the first C(c, size).
    """
    if size == 0:
        return np.zeros(1, np.uint64)
    lower = all_boards(size - 1)
    with_highest = [lower[: math.comb(c, size - 1)] | np.uint64(1 << c) for c in range(NUM_CARDS)]
    return np.concatenate(with_highest)


def rename_suits(masks: np.ndarray, suits: tuple[int, ...]) -> np.ndarray:
    """52-bit masks with suit s turned into ``suits[s]``."""
    renamed = np.zeros_like(masks)
    for suit, new in enumerate(suits):
        renamed |= (masks >> np.uint64(13 * suit) & np.uint64(0x1FFF)) << np.uint64(13 * new)
    return renamed


@functools.lru_cache(maxsize=8)
def canonical_boards(size: int, symmetries: SuitOrders) -> tuple[np.ndarray, np.ndarray]:
    """One board (a uint64 52-bit mask) of each class of boards that renaming suits turns into each other.

    ``symmetries`` is a group of suit orders; the second array says how many boards each class has. All 24 orders
    leave 1,755 flops and 134,459 five-card boards.
    """
    boards = all_boards(size)
    for suits in symmetries:
        boards = boards[boards >= rename_suits(boards, suits)]
    unmoved = sum((boards == rename_suits(boards, suits)).astype(np.int16) for suits in symmetries)
    return boards, (len(symmetries) // np.asarray(unmoved)).astype(np.int16)


@functools.cache
def renamed_combos(suits: tuple[int, ...]) -> np.ndarray:
    """[1326] the combo that each combo becomes when suit s turns into ``suits[s]``."""
    ids = np.asarray(suits)[COMBOS // 13] * 13 + COMBOS % 13
    return ranges.combo_index(ids[:, 0], ids[:, 1])


def symmetries(weights: list[np.ndarray], known: list[int]) -> SuitOrders:
    """The suit orders that change neither the players' weights [1326] nor the sets of known cards (52-bit masks)."""
    sets = np.asarray(known, np.uint64)
    return tuple(
        suits
        for suits in ALL_SUIT_ORDERS
        if np.array_equal(rename_suits(sets, suits), sets)
        and all(np.array_equal(w, w[renamed_combos(suits)]) for w in weights)
    )


@functools.lru_cache(maxsize=8)
def runout_chunks(missing: int, symmetries: SuitOrders, gone: int) -> np.ndarray:
    """Runouts of ``missing`` cards as [chunks, 5, boards]: four rank masks and how often each counts.

    Boards that touch ``gone`` (a 52-bit mask) are left out. Chunks are filled up with boards that count 0 times.
    """
    boards, times = canonical_boards(missing, symmetries)
    live = (boards & np.uint64(gone)) == 0
    boards, times = boards[live], times[live]
    length = CHUNK if missing > 2 else -(-boards.size // 128) * 128
    chunks = np.zeros((5, -(-boards.size // length) * length), np.int16)
    chunks[:4, : boards.size] = rank_masks(boards)
    chunks[4, : boards.size] = times
    return np.ascontiguousarray(chunks.reshape(5, -1, length).transpose(1, 0, 2))
