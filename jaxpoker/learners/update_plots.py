"""What a learner wrote down update by update, as curves (the extra ``plots``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxpoker import plots

Row = Mapping[str, Any]

POINTS_OF_A_CURVE = 25  # that a moving average runs over one of


def updates(path: Path, rows: Sequence[Row], units: Mapping[str, str], title: str = "Updates") -> None:
    """A panel for each metric of ``units`` (metric: what it is measured in), update by update."""
    steps = [row["step"] for row in rows]
    panels = {name.replace("_", " "): {"each update": (steps, [row[name] for row in rows])} for name in units}
    words = {name.replace("_", " "): unit for name, unit in units.items()}
    window = max(len(rows) // POINTS_OF_A_CURVE, 1)
    plots.curve_panels(path, panels, "update", words, f"{title} (moving average of {window})", smooth=window)
