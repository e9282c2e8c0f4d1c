"""Pictures of the Double DQN experiment (the extra ``plots``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from jaxpoker import plots
from jaxpoker.match import Estimate
from jaxpoker.plots import Bars, HeatMap
from jaxpoker.studies import update_plots
from jaxpoker.studies.update_plots import Row

UPDATES = {
    "return": "per hand, while exploring",
    "loss": "mean of a gradient step",
    "q_magnitude": "unit of the rewards learned",
    "epsilon": "part of the actions",
    "replay_age": "transitions added since",
    "gradient_norm": "before it is cut",
}
_POINTS_OF_AN_AREA = 100


def learning(
    path: Path, rows: Sequence[Row], decisions_per_update: int, measure: str, unit: str, title: str = "Learning"
) -> None:
    """What was measured while it learned, by the metrics that begin with ``measure``, against decisions played."""
    measured = [row for row in rows if any(name.startswith(measure) for name in row)]
    names = [name for name in (measured[0] if measured else {}) if name.startswith(measure)]
    x = np.array([row["step"] for row in measured]) * decisions_per_update / 1e6
    curves = {name.removeprefix(measure) or measure: (x, [row[name] for row in measured]) for name in names}
    plots.curves(path, curves, "decisions played (millions)", unit, title, lines={"": 0.0})


def updates(path: Path, rows: Sequence[Row]) -> None:
    """Return, loss, size of the values, exploration, age of what is learned from, and gradients."""
    update_plots.updates(path, rows, UPDATES)


def actions(
    path: Path, rows: Sequence[Row], streets: Sequence[str], names: Sequence[str], decisions_per_update: int
) -> None:
    """How often the learner took each action, street by street, while it explored."""
    parts = np.array_split(np.arange(len(rows)), min(_POINTS_OF_AN_AREA, len(rows)))
    x = [rows[part[-1]]["step"] * decisions_per_update / 1e6 for part in parts]

    def often(street: str, action: str) -> list[float]:
        return [float(np.mean([rows[i][f"action/{street}/{action}"] for i in part])) for part in parts]

    panels = {}
    for street in streets:
        heights = np.array([often(street, action) for action in names])  # [actions, points]
        heights = heights / np.maximum(heights.sum(axis=0), 1e-9)
        panels[street] = {action: (x, y) for action, y in zip(names, heights, strict=True)}
    plots.area_panels(path, panels, "decisions played (millions)", "part of the decisions", "Actions taken")


def results(path: Path, found: Mapping[str, Mapping[str, Estimate]]) -> None:
    """What the network of each phase wins of each rival: a panel per rival, for they differ in size."""
    rivals = list(next(iter(found.values())))
    panels, names = {}, {}
    for rival in rivals:
        heights, intervals = np.array([by_rival[rival][:2] for by_rival in found.values()]).T
        panels[rival] = {"network": Bars(heights, intervals)}
        names[rival] = [f"after {phase}" for phase in found]
    lines = {rival: {"": 0.0} for rival in rivals}
    plots.bar_panels(path, panels, names, "mBB/hand", "Duplicate matches, with 95% intervals", lines)


def cross_play(path: Path, found: Mapping[str, Mapping[str, Estimate]]) -> None:
    """What each network wins of each other, row against column."""
    names = list(found)
    values = np.zeros((len(names), len(names)))
    cells = [["" for _ in names] for _ in names]
    for name, by_rival in found.items():
        for other, result in by_rival.items():
            i, j = names.index(name), names.index(other)
            values[i, j], values[j, i] = result.mean, -result.mean
            cells[i][j] = f"{result.mean:+,.0f}\n± {result.ci95:,.0f}"
            cells[j][i] = f"{-result.mean:+,.0f}\n± {result.ci95:,.0f}"
    panel = HeatMap(values, "against", "network", rows=names, columns=names, cells=cells)
    plots.heat_maps(path, {"mBB/hand of the row against the column": panel}, "Snapshots against each other")
