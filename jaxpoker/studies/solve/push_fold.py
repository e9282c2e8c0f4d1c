"""A push/fold strategy for people: who jams and who calls, as grids, as ranges and as a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console

from jaxpoker import charts, plots, ranges
from jaxpoker.solvers.exact.exact_game import ExactGame

ALL_IN = 2  # of the push/fold menu
PURE = 0.005  # hands within half a percent of always or never are shown as that


def show(console: Console, game: ExactGame, strategy: np.ndarray, title: str, picture: Path) -> dict[str, float]:
    """Both ranges as grids, as text and as a ``picture``; returns how many percent of hands jam and call."""
    jam, call = np.zeros(ranges.NUM_CLASSES), np.zeros(ranges.NUM_CLASSES)
    for decision, node in enumerate(game.tree.decisions().tolist()):
        hands = strategy[decision * ranges.NUM_CLASSES : (decision + 1) * ranges.NUM_CLASSES, ALL_IN]
        if game.tree.player[node] == 0:
            jam = hands
        else:
            call = hands
    share = ranges.COMBOS_PER_CLASS / ranges.NUM_COMBOS
    percents = {"jam_percent": float(100 * jam @ share), "call_percent": float(100 * call @ share)}
    jam, call = (np.where(hands > 1 - PURE, 1, np.where(hands < PURE, 0, hands)) for hands in (jam, call))
    sides = {
        f"The small blind jams {percents['jam_percent']:.2f}%": (jam, ["jam"]),
        f"The big blind calls {percents['call_percent']:.2f}%": (call, ["call"]),
    }
    grids = [charts.hand_grid(hands, f"{head} at {title}", names) for head, (hands, names) in sides.items()]
    console.print(charts.side_by_side(*grids))
    for head, (hands, _) in sides.items():
        if hands.any():
            console.print(f"[bold]{head}:[/] {ranges.text(hands.round(3)[ranges.CLASS_OF_COMBO])}", soft_wrap=True)
    plots.hand_grid(
        picture,
        {head: hands for head, (hands, _) in sides.items()},
        title,
        {head: names for head, (_, names) in sides.items()},
    )
    return percents
