"""The picture of a gauntlet: a bar for each opponent, the worst at the top."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jaxpoker import plots
from jaxpoker.match import Estimate


def results(path: Path, ranked: Mapping[str, Estimate], title: str) -> None:
    """Results in the order that they come in, with their intervals; the first one is marked."""
    bars = {name: (result.mean, result.ci95) for name, result in ranked.items()}
    plots.ranked_bars(path, bars, "mBB/hand that the player wins, ± 95%", title, marked=next(iter(ranked)))
