"""Pictures of the respond experiment (the extra ``plots``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jaxpoker import plots
from jaxpoker.match import Estimate
from jaxpoker.studies.update_plots import Row


def learning(path: Path, rows: Sequence[Row], target: str, test: Estimate | float, measure: str) -> None:
    """What the network won of its target in each validation, and what the response won in the ``test``, with intervals;
    in small games its part of what a best response makes."""
    known = [row for row in rows if row.get(measure) is not None]
    minutes, won = [row["seconds"] / 60 for row in known], [row[measure] for row in known]
    title, xlabel = f"What a learned response wins of {target}", "minutes of training"
    if not isinstance(test, Estimate):
        curve = {f"learned (the best: {test:.1%})": (minutes, won)}
        plots.curves(path, curve, xlabel, "part of what a best response makes", title, lines={"a best response": 1.0})
        return
    series = {
        "while it learned, always the same deals": (minutes, won),
        "the best of them, on other deals": ([minutes[0], minutes[-1]], [test.mean] * 2),
    }
    widths = [[row["mbb_ci95"] for row in known], [test.ci95] * 2]
    intervals = dict(zip(series, widths, strict=True))
    plots.curves(path, series, xlabel, "mBB/hand, with 95% intervals", title, intervals=intervals)
