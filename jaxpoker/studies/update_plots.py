"""What a learner wrote down update by update, as curves (the extra ``plots``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxpoker import plots

Row = Mapping[str, Any]

WINDOWS = 25  # of a moving average, one after the other


def window_of(rows: Sequence[Row]) -> int:
    """Rows that a moving average over them takes at a time: 1/25 of all."""
    return max(len(rows) // WINDOWS, 1)


def updates(path: Path, rows: Sequence[Row], units: Mapping[str, str], title: str = "Updates") -> None:
    """A panel for each metric of ``units`` (metric: what it is measured in), update by update."""
    steps = [row["step"] for row in rows]
    panels = {name.replace("_", " "): {"each update": (steps, [row[name] for row in rows])} for name in units}
    words = {name.replace("_", " "): unit for name, unit in units.items()}
    window = window_of(rows)
    plots.curve_panels(path, panels, "update", words, f"{title} (moving average of {window})", smooth=window)
