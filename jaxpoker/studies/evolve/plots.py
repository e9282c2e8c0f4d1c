"""Pictures of the neuroevolution experiment, drawn from the rows of its ``metrics.jsonl`` (the extra ``plots``).

    plots.all_plots(run.plots, run.metrics(), "starting stacks")
    plots.adaptation(run.plots / "adaptation.png", {"maniac": {"with memory": ..., "without": ...}}, "mBB")

One row is one generation; the names of the metrics are those of ``studies/evolve/dashboard.py``. A metric that is null
in a generation has no point there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from jaxpoker import plots
from jaxpoker.studies.evolve.dashboard import (
    ACTION_COLOURS,
    ACTIONS,
    STATISTICS,
    bottom_of,
    opponents_of,
    parts_of_one,
)
from jaxpoker.studies.update_plots import Row, window_of

GENERATION = "generation"
_ADAPTATION_WINDOW = 25  # hands


def all_plots(folder: str | Path, rows: Sequence[Row], unit: str) -> list[Path]:
    """Draws fitness, earnings, statistics and actions into the folder; returns the files.

    ``unit`` is that of the earnings, such as "starting stacks" or "mBB/hand".
    """
    if not rows:
        raise ValueError("there are no rows of metrics to draw: play a generation first")
    paths = [Path(folder) / f"{name}.png" for name in ("fitness", "earnings", "statistics", "actions")]
    fitness(paths[0], rows)
    earnings(paths[1], rows, unit)
    statistics(paths[2], rows)
    actions(paths[3], rows)
    return paths


def fitness(path: str | Path, rows: Sequence[Row]) -> None:
    """Best, mean and worst average normalised earnings of the population; what is below ``bottom_of`` is cut off."""
    series = {name: _curve(rows, f"fitness_{name}") for name in ("best", "mean", "worst")}
    heights = np.concatenate([y for _, y in series.values()])
    bottom = bottom_of(heights)
    cut = bottom if bottom > heights.min() else None
    plots.curves(path, series, GENERATION, "average normalised earnings", "Fitness", bottom=cut)


def earnings(path: str | Path, rows: Sequence[Row], unit: str) -> None:
    """What the best individual and the population on average earn, one panel per opponent."""
    groups = {"best individual": "earnings", "mean of the population": "population_earnings"}
    panels = {
        opponent: {label: _curve(rows, f"{group}/{opponent}") for label, group in groups.items()}
        for opponent in _opponents(rows)
    }
    plots.curve_panels(path, _drawable(panels), GENERATION, unit, "Earnings by opponent", lines={"": 0.0})


def statistics(path: str | Path, rows: Sequence[Row]) -> None:
    """VPIP, PFR, AF, WSD and WSDW of the best individual, one panel each, one curve per opponent.

    Each generation has another best individual: curves are moving averages over 1/25 of the generations.
    """
    panels = {
        name.upper(): {opponent: _curve(rows, f"{name}/{opponent}") for opponent in _opponents(rows)}
        for name in STATISTICS
    }
    words = {
        "VPIP": "part of hands",
        "PFR": "part of hands",
        "AF": "bets and raises per call",
        "WSD": "part of flops",
        "WSDW": "part of showdowns",
    }
    window = window_of(rows)
    title = "How the best individual plays" + (f" (moving average of {window} generations)" if window > 1 else "")
    plots.curve_panels(path, _drawable(panels), GENERATION, words, title, smooth=window)


def actions(path: str | Path, rows: Sequence[Row]) -> None:
    """The best individual's actions as areas, one panel per opponent; all-ins are apart from calls and raises."""
    panels = {}
    for opponent in _opponents(rows):
        mixes = {row["step"]: [row.get(f"{action}/{opponent}") for action in ACTIONS] for row in rows}
        known = {step: parts_of_one(mix) for step, mix in mixes.items() if None not in mix}
        if known:
            x, parts = list(known), np.array(list(known.values()))  # [generations], [generations, actions]
            panels[opponent] = {action.replace("_", "-"): (x, parts[:, i]) for i, action in enumerate(ACTIONS)}
    title = "Actions of the best individual"
    plots.area_panels(path, panels, GENERATION, "part of its actions", title, ACTION_COLOURS)


def adaptation(
    path: str | Path,
    series: Mapping[str, Mapping[str, ArrayLike]],
    unit: str,
    window: int = _ADAPTATION_WINDOW,
) -> None:
    """Mean earnings per hand by the hand's number in a session: does the player get better as it knows its opponent?

    Args:
      path: the PNG file.
      series: by opponent, then by label such as "with opponent memory" and "without": ``[hands]`` means over sessions,
        NaN at hands that no session reached.
      unit: of the earnings per hand.
      window: hands of the moving average; the means themselves are drawn faint.
    """
    panels = {}
    for opponent, by_label in series.items():
        curves = {}
        for label, means in by_label.items():
            y = np.asarray(means, np.float64)
            reached = np.isfinite(y)
            curves[label] = (np.flatnonzero(reached) + 1, y[reached])
        panels[opponent] = curves
    title = f"Adaptation within a session (moving average of {window} hands)"
    plots.curve_panels(path, _drawable(panels), "hand of the session", unit, title, lines={"": 0.0}, smooth=window)


def _opponents(rows: Sequence[Row]) -> list[str]:
    return opponents_of(name for row in rows for name in row)


def _curve(rows: Sequence[Row], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Generations and values of a metric, where it has one."""
    known = [(row["step"], row[name]) for row in rows if row.get(name) is not None]
    points = np.array(known, np.float64).reshape(-1, 2)
    return points[:, 0], points[:, 1]


def _drawable(panels: Mapping[str, plots.Series]) -> dict[str, plots.Series]:
    """The panels without the curves that have no point, and without those that have no curve then."""
    kept = {
        title: {label: (x, y) for label, (x, y) in series.items() if np.size(y)} for title, series in panels.items()
    }
    return {title: series for title, series in kept.items() if series}
