"""What an equity calculation returns."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import jax
import numpy as np

Number = TypeVar("Number", float, jax.Array)


class Equity(NamedTuple):
    """One player's result. Probabilities are of the whole, and ``lose`` is what is left."""

    equity: float  # win + the share of ties
    win: float  # wins alone
    tie: float  # shares the pot
    standard_error: float  # of equity; 0 when exact
    deals: int  # deals counted: combinations of hands and boards, or samples
    exact: bool
    counts: tuple[int, int, int] | None = None  # exact deals won, tied, lost, where all weights are 0 or 1

    @property
    def lose(self) -> float:
        return 1 - self.win - self.tie

    def __str__(self) -> str:
        margin = "exact" if self.exact else f"± {self.standard_error:.2%}"
        kind = "combinations" if self.exact else "samples"
        return f"{self.equity:.2%} (win {self.win:.2%}, tie {self.tie:.2%}), {margin}, {self.deals:,} {kind}"


class Equities(tuple[Equity, ...]):
    """One ``Equity`` per player, in order; its text is one line per player.

    ``equity``, ``win``, ``tie`` and ``standard_error`` are those of the first player, the hero.
    """

    @property
    def equity(self) -> float:
        return self[0].equity

    @property
    def win(self) -> float:
        return self[0].win

    @property
    def tie(self) -> float:
        return self[0].tie

    @property
    def standard_error(self) -> float:
        return self[0].standard_error

    def __str__(self) -> str:
        return "\n".join(str(player) for player in self)


def mean_and_error(win: Number, tie: Number, lose: Number) -> tuple[Number, Number]:
    """Equity against one player and its standard error, from counts of sampled deals won, tied and lost.

    The variance of 1, 1/2 or 0 with probabilities w, t and l is the sum over pairs of outcomes of their
    probabilities times the squared difference: w l + (w + l) t / 4.
    """
    deals = win + tie + lose
    w, t, x = win / deals, tie / deals, lose / deals
    return w + t / 2, ((w * x + (w + x) * t / 4) / deals) ** 0.5


def exact_pair(weights: np.ndarray, win: np.ndarray, tie: np.ndarray, deals_each: int, swap: bool) -> Equities:
    """Exact results of two players from the deals [...] that the first (``swap``: the second) wins and ties.

    Each entry of ``weights`` [...] stands for ``deals_each`` deals.
    """
    weights = weights.astype(np.float64)
    total = float(weights.sum()) * deals_each
    won, tied = float((weights * win).sum()), float((weights * tie).sum())
    lost = total - won - tied
    deals = int(np.count_nonzero(weights)) * deals_each
    whole = bool(np.all((weights == 0) | (weights == 1)))
    outcomes = [(won, tied, lost), (lost, tied, won)]
    return Equities(
        Equity((w + t / 2) / total, w / total, t / total, 0.0, deals, True, (int(w), int(t), int(x)) if whole else None)
        for w, t, x in (outcomes[::-1] if swap else outcomes)
    )
