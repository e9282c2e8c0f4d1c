"""The pictures of a run that solves a spot (the extra ``plots``)."""

from __future__ import annotations

from jaxpoker import plots, runs
from jaxpoker.solvers.spots import charts
from jaxpoker.solvers.spots.words import AnySolved
from jaxpoker.solvers.subgame.menus import SEATS
from jaxpoker.studies.spot.config import Config


def draw(run: runs.Run[Config], solved: AnySolved) -> None:
    """The root's strategy and both ranges as 13 x 13 grids, and exploitability against iterations."""
    root = solved.at()
    title = charts.title_of(solved, root)
    names, reach = charts.names_of(solved, root), charts.class_shares(root)
    plots.hand_grid(run.plots / "root.png", {title: charts.class_mix(root)}, actions=names, reach={title: reach})
    held = {f"Range of {name.upper()}": charts.class_weights(solved, root, seat) for seat, name in enumerate(SEATS)}
    plots.hand_grid(run.plots / "ranges.png", held, actions=("held",))
    shown = [row for row in run.metrics() if (row["exploitability_percent"] or 0) > 0]
    if shown:
        steps, percents = [row["step"] for row in shown], [row["exploitability_percent"] for row in shown]
        plots.curves(
            run.plots / "exploitability.png",
            {solved.algorithm.name: (steps, percents)},
            "iterations",
            "exploitability (% of the pot)",
            solved.spot.text,
            log_x=True,
            log_y=True,
        )
