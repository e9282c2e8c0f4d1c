"""Class against class before the flop: exact counts for each of the 169 x 169 match-ups."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from jaxpoker.files import DATA, shipped_arrays

TABLE = DATA / "matchups.npz"
BOARDS = math.comb(48, 5)  # 1,712,304 boards for each two hands


class Matchups(NamedTuple):
    """Exact counts of class i (row) against class j (column), in the order of ``ranges.CLASS_NAMES``.

    Each two combos of i and j that share no card count on each of the 1,712,304 boards that they leave:
    win + tie + lose = 1,712,304 * combos.
    """

    win: np.ndarray  # [169, 169] int64
    tie: np.ndarray  # [169, 169] int64, symmetric
    combos: np.ndarray  # [169, 169] int64, symmetric: two combos that share no card

    @property
    def lose(self) -> np.ndarray:
        """[169, 169] int64: what i loses to j, j wins from i."""
        return self.win.T

    @property
    def equity(self) -> np.ndarray:
        """[169, 169] float64: the share of the pot of class i, (win + tie / 2) / all."""
        return (self.win + self.tie / 2) / (self.combos * BOARDS)


@functools.cache
def matchups() -> Matchups:
    """The shipped table, which scripts/make_matchup_table.py computes; read-only."""
    win, combos = (counts.astype(np.int64) for counts in shipped_arrays(TABLE, "win", "combos"))
    counts = Matchups(win, combos * BOARDS - win - win.T, combos)
    for array in counts:
        array.flags.writeable = False
    return counts
