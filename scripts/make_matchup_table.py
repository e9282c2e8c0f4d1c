#!/usr/bin/env python3
"""Computes jaxpoker/data/matchups.npz: exact wins of each of the 169 hands against each other one.

Each of the 134,459 five-card boards that differ by more than the names of the suits is dealt once and counts as
often as there are boards like it. On a board the 1,326 combos are compared with each other, all at once; a combo
that holds a card of the board beats none and loses to none. Two combos that share a card are taken out at the end.
Takes about half a minute.
"""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import tyro

from jaxpoker import equity, ranges
from jaxpoker.equity.boards import combo_masks, rank_masks
from jaxpoker.equity.matchups import BOARDS, TABLE, Matchups
from jaxpoker.equity.showdowns import four, overlap, strength

BOARDS_RANKED_AT_ONCE = 512
BOARDS_COMPARED_AT_ONCE = 16  # their strengths and a row of counts stay in the cache
ABOVE_ALL = np.iinfo(np.int32).max


@jax.jit
def ranked(boards: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Strengths [b, 1326] of all combos on boards given as rank masks [4, b], as ours and as theirs.

    A combo that the board blocks is below all others as ours and above all others as theirs, so it never wins,
    loses or ties.
    """
    board, hole = four(boards[:, :, None]), four(jnp.asarray(rank_masks(combo_masks()), jnp.int32)[:, None, :])
    strengths, blocked = strength(board, hole), overlap(board, hole)
    return jnp.where(blocked, -1, strengths), jnp.where(blocked, ABOVE_ALL, strengths)


@functools.partial(jax.jit, donate_argnums=0)
def add_showdowns(
    totals: tuple[jax.Array, jax.Array], ours: jax.Array, theirs: jax.Array, times: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Adds the wins and ties on b boards that count ``times`` [b] to ``totals``, two int32 [1326, 1326]."""
    win, tie = totals
    ours, theirs, times = ours[:, :, None], theirs[:, None, :], times[:, None, None]
    win = win + jnp.where(ours > theirs, times, 0).sum(axis=0)
    tie = tie + jnp.where(ours == theirs, times, 0).sum(axis=0)
    return win, tie


def sum_over_classes(of_combos: np.ndarray) -> np.ndarray:
    """Numbers [1326, 1326] of pairs of combos, those that share no card added up to int64 [169, 169]."""
    masks = combo_masks()
    disjoint = (masks[:, None] & masks) == 0
    by_class = np.argsort(ranges.CLASS_OF_COMBO, kind="stable")
    starts = np.cumsum(ranges.COMBOS_PER_CLASS) - ranges.COMBOS_PER_CLASS
    counts = np.where(disjoint, of_combos, 0).astype(np.int64)[np.ix_(by_class, by_class)]
    return np.add.reduceat(np.add.reduceat(counts, starts, axis=0), starts, axis=1)


def compute(boards: np.ndarray, times: np.ndarray) -> Matchups:
    """The match-ups on boards given as 52-bit masks uint64 [b]; all boards' ``times`` [b] add up to an int32."""
    short = -boards.size % BOARDS_COMPARED_AT_ONCE
    masks = rank_masks(np.pad(boards, (0, short))).astype(np.int32)
    counts = np.pad(times, (0, short)).astype(np.int32)  # the boards that fill up the last block do not count
    shape = (ranges.NUM_COMBOS, ranges.NUM_COMBOS)
    totals = (jnp.zeros(shape, jnp.int32), jnp.zeros(shape, jnp.int32))
    for start in range(0, counts.size, BOARDS_RANKED_AT_ONCE):
        block = slice(start, start + BOARDS_RANKED_AT_ONCE)
        ours, theirs = (np.asarray(strengths) for strengths in ranked(masks[:, block]))
        for first in range(0, len(ours), BOARDS_COMPARED_AT_ONCE):
            few = slice(first, first + BOARDS_COMPARED_AT_ONCE)
            totals = add_showdowns(totals, ours[few], theirs[few], counts[block][few])
    win, tie = (sum_over_classes(np.asarray(total)) for total in totals)
    return Matchups(win, tie, sum_over_classes(np.ones(shape)))


def check(table: Matchups) -> None:
    """Stops unless every deal is won, tied or lost, and all opponents together are a random hand."""
    missing = table.combos * BOARDS - table.win - table.tie - table.lose
    if missing.any():
        i, j = np.unravel_index(np.abs(missing).argmax(), missing.shape)
        names = f"{ranges.CLASS_NAMES[i]} against {ranges.CLASS_NAMES[j]}"
        raise SystemExit(f"{names}: {missing[i, j]} deals are neither won, tied nor lost, there should be none")
    against_random = ranges.preflop_table()
    for outcome, of_class in (("win", against_random.win), ("tie", against_random.tie)):
        difference = getattr(table, outcome).sum(axis=1) - ranges.COMBOS_PER_CLASS * of_class
        if difference.any():
            i = int(np.abs(difference).argmax())
            raise SystemExit(
                f"{outcome} of {ranges.CLASS_NAMES[i]} against all hands is {difference[i]} deals off the preflop "
                "table, which counts them in another way: they should be equal"
            )


def main(out: Path = TABLE) -> None:
    """Computes the exact table of each of the 169 hands against each other one, in about half a minute.

    Args:
        out: The file to write.
    """
    if not out.parent.is_dir():
        print(f"scripts/make_matchup_table.py: there is no folder {out.parent} to write into", file=sys.stderr)
        sys.exit(2)
    start = time.perf_counter()
    table = compute(*equity.canonical_boards(5, equity.ALL_SUIT_ORDERS))
    check(table)
    np.savez_compressed(out, win=table.win.astype(np.int32), combos=table.combos.astype(np.uint8))  # ties are the rest
    aces, kings = (ranges.CLASS_NAMES.index(name) for name in ("AA", "KK"))
    shown = f"AA against KK {table.equity[aces, kings]:.4%}"
    print(f"wrote {out.name} in {time.perf_counter() - start:.0f} s: {shown}")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except KeyboardInterrupt:
        sys.exit("stopped")
