"""Pictures of games of Chicago and how a network plays them (the extra ``plots``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from jaxpoker import plots
from jaxpoker.plots import Bars
from jaxpoker.studies.reinforce.chicago_evaluation import SOURCES, Style, WinRate


def win_rates(path: Path, found: Mapping[int, Mapping[str, WinRate]]) -> None:
    """Games won, seat by seat, with 95% intervals: one panel per number of players, one row of bars per rival."""
    panels, names, lines = {}, {}, {}
    for players, by_rival in found.items():
        title = f"{players} players"
        seats = ["all seats", *(f"seat {seat}" for seat in range(players))]
        panels[title] = {
            f"against {rival}": Bars(*np.array([estimate[:2] for estimate in (rate.all_seats, *rate.by_seat)]).T)
            for rival, rate in by_rival.items()
        }
        names[title], lines[title] = seats, {"": 1 / players}
    plots.bar_panels(path, panels, names, "games won", "Games won, with 95% intervals", lines)


def style(path: Path, found: Mapping[int, Style]) -> None:
    """Rounds of a game, and points of a player in a round by source, by number of players."""
    sizes = [f"{players} players" for players in found]
    every = list(found.values())
    units = {"rounds of a game": "rounds", "points of a player in a round": "points"}
    rounds, points = units
    panels = {
        rounds: {"rounds": Bars(*np.array([one.rounds[:2] for one in every]).T)},
        points: {source: Bars(*np.array([one.points[source][:2] for one in every]).T) for source in SOURCES},
    }
    names = {title: sizes for title in units}
    plots.bar_panels(path, panels, names, units, "How it plays against itself")


def discards(path: Path, found: Mapping[int, Style]) -> None:
    """How many cards it discards in either draw, by number of players."""
    titles = [f"draw {draw}" for draw in range(2)]
    panels = {
        title: {f"{players} players": Bars(one.discards[draw]) for players, one in found.items()}
        for draw, title in enumerate(titles)
    }
    names = {title: [str(cards) for cards in range(6)] for title in titles}
    plots.bar_panels(path, panels, names, "part of the draws", "Cards discarded")


def calibration(path: Path, found: Mapping[int, Style]) -> None:
    """What decisions were then paid, against the values that the network gave them."""
    series = {f"{players} players": (one.calibration.value, one.calibration.paid) for players, one in found.items()}
    ends = np.array([extreme for x, _ in series.values() for extreme in (x.min(), x.max())])
    exact = np.array([ends.min(), ends.max()])
    unit = "discounted rewards to come"
    plots.curves(path, {**series, "exact": (exact, exact)}, f"value: {unit}", unit, "Calibration of the value head")
