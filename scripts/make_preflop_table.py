#!/usr/bin/env python3
"""Computes jaxpoker/data/preflop_table.npz: exact wins, ties and losses of the 169 hands against a random hand.

Each of the 134,459 five-card boards that differ by more than the names of the suits is dealt once. On a board all
1,081 live hands are ranked. A hand beats those ranked below it, less those that hold one of its own cards, which
are ranked among themselves: with one of its cards there are 46. Takes about a minute.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import tyro

from jaxpoker import equity, hands, ranges

DEALS = math.comb(50, 2) * math.comb(48, 5)  # 2,097,572,400 against each hand

LIVE = 47  # cards left by a board
FIRST, SECOND = np.triu_indices(LIVE, k=1)  # [1081] live hands, as places among the live cards
HAND_AT = np.zeros((LIVE, LIVE), np.int32)
HAND_AT[FIRST, SECOND] = HAND_AT[SECOND, FIRST] = np.arange(FIRST.size)
HANDS_WITH = HAND_AT[~np.eye(LIVE, dtype=bool)].reshape(LIVE, LIVE - 1)  # [47, 46] live hands with each card
PLACE_OF_FIRST = SECOND - 1  # of a hand in its first card's row of HANDS_WITH
PLACE_OF_SECOND = FIRST


def boards_and_strengths(boards_at_once: int = 512) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Canonical boards in blocks of b.

    Yields the live cards [b, 47], the strengths of the live hands [b, 1081] and how many boards each stands for [b].
    """
    strength = jax.jit(hands.strength_of_columns)
    masks, times = equity.canonical_boards(5, equity.ALL_SUIT_ORDERS)
    for start in range(0, masks.size, boards_at_once):
        block = masks[start : start + boards_at_once]
        on_board = (block[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)).astype(bool)
        board = np.nonzero(on_board)[1].reshape(-1, 5)
        live = np.nonzero(~on_board)[1].reshape(-1, LIVE)
        shape = (len(block), FIRST.size)
        columns = [live[:, FIRST], live[:, SECOND], *(np.broadcast_to(board[:, i, None], shape) for i in range(5))]
        yield live, np.asarray(strength([c.astype(np.int32) for c in columns])), times[start : start + boards_at_once]


def ranked(strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many of its row, along the last axis, are below each strength and how many equal it (itself included)."""
    order = np.argsort(strengths, axis=-1)
    ascending = np.take_along_axis(strengths, order, axis=-1)
    place = np.arange(strengths.shape[-1], dtype=np.int32)
    step = ascending[..., 1:] != ascending[..., :-1]
    edge = np.ones((*step.shape[:-1], 1), bool)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, step], axis=-1), place, 0), axis=-1)
    ends = np.where(np.concatenate([step, edge], axis=-1), place, strengths.shape[-1])
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    below, equal = np.empty_like(first), np.empty_like(first)
    np.put_along_axis(below, order, first, axis=-1)
    np.put_along_axis(equal, order, last - first + 1, axis=-1)
    return below, equal


def wins_and_ties(strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[b, 1081] each: how many disjoint live hands each live hand beats and ties, on its board."""
    below, equal = ranked(strengths)
    below_with, equal_with = ranked(strengths[:, HANDS_WITH])  # [b, 47, 46]
    for card, place in ((FIRST, PLACE_OF_FIRST), (SECOND, PLACE_OF_SECOND)):
        below = below - below_with[:, card, place]
        equal = equal - equal_with[:, card, place]
    return below, equal + 1  # the hand itself is in all three rows of equals


def compute() -> ranges.PreflopTable:
    win, tie = np.zeros(ranges.NUM_CLASSES), np.zeros(ranges.NUM_CLASSES)  # whole numbers below 2**53
    for live, strengths, times in boards_and_strengths():
        combo = ranges.combo_index(live[:, FIRST], live[:, SECOND])
        class_of_hand = ranges.CLASS_OF_COMBO[combo].reshape(-1)
        beaten, tied = wins_and_ties(strengths)
        for total, count in ((win, beaten), (tie, tied)):
            total += np.bincount(class_of_hand, (count * times[:, None]).reshape(-1), ranges.NUM_CLASSES)
    wins, ties = (total.astype(np.int64) // ranges.COMBOS_PER_CLASS for total in (win, tie))
    return ranges.PreflopTable(wins, ties, DEALS - wins - ties)


def main(out: Path = ranges.PREFLOP_TABLE) -> None:
    """Computes the exact preflop table of the 169 hands against a random hand, in about a minute.

    Args:
        out: The file to write.
    """
    if not out.parent.is_dir():
        print(f"scripts/make_preflop_table.py: there is no folder {out.parent} to write into", file=sys.stderr)
        sys.exit(2)
    start = time.perf_counter()
    table = compute()
    margin = int((ranges.COMBOS_PER_CLASS * (table.win - table.lose)).sum())
    if margin:
        raise SystemExit(f"all hands together win {margin} deals more than they lose: they should break even")
    np.savez_compressed(out, **table._asdict())
    print(f"wrote {out.name} in {time.perf_counter() - start:.0f} s: AA {table.equity[0]:.4%}")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except KeyboardInterrupt:
        sys.exit("stopped")
