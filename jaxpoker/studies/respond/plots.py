"""Pictures of the respond experiment (the extra ``plots``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jaxpoker import plots
from jaxpoker.studies.update_plots import Row


def learning(path: Path, rows: Sequence[Row], target: str, test: float, measure: str) -> None:
    """What the network won of its target in each validation, with intervals, and what the response won in the test."""
    known = [row for row in rows if row.get(measure) is not None]
    minutes = [row["seconds"] / 60 for row in known]
    label = "validation"
    widths = {label: [row["mbb_ci95"] for row in known]} if measure == "mbb" else {}
    unit = "mBB/hand, with 95% intervals" if measure == "mbb" else "part of the best response's gain"
    last = {"test of the best": test} if measure == "mbb" else {"best": test}
    plots.curves(
        path,
        {label: (minutes, [row[measure] for row in known])},
        "minutes of training",
        unit,
        f"What a learned response wins of {target}",
        lines=last,
        intervals=widths,
    )
