"""Whole strategies of small games for people: as CSV, and Kuhn's and Leduc's as a table."""

from __future__ import annotations

import csv
import io

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from jaxpoker import charts
from jaxpoker.solvers.exact.exact_game import ExactGame


def action_names(game: ExactGame) -> list[str]:
    """The name of each action id."""
    return [game.tree.action_text(0, action).split(" to ")[0] for action in range(game.num_actions)]


def as_csv(game: ExactGame, strategy: np.ndarray) -> str:
    """All information sets with their probabilities, empty where an action is not legal."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["information set", *action_names(game)])
    legal = game.legal_rows()
    for row in range(game.num_rows):
        cells = [f"{p:.6f}" if may else "" for p, may in zip(strategy[row], legal[row], strict=True)]
        writer.writerow([game.row_text(row), *cells])
    return out.getvalue()


def table(game: ExactGame, strategy: np.ndarray) -> Table:
    """Kuhn's whole strategy, or Leduc's before the public card (suits play alike: hearts stand for both)."""
    rows = [row for row in range(game.num_rows) if game.row_text(row).count("|") == 1]
    if game.game.name == "leduc":
        rows = [row for row in rows if game.row_text(row)[1] == "h"]
    title = "Strategy" if game.game.name == "kuhn" else "Strategy before the public card (all of it: strategy.csv)"
    shown = Table(title=title, box=box.SIMPLE)
    shown.add_column("seat", justify="right")
    shown.add_column("card")
    shown.add_column("betting")
    for name in action_names(game):
        shown.add_column(name, justify="right", no_wrap=True)
    legal, last = game.legal_rows(), None
    for row in rows:
        card, betting = (part.strip() for part in game.row_text(row).split("|"))
        seat = len(betting.split()) % game.num_seats  # of betting without folds
        if betting != last:
            shown.add_section()
        last = betting
        cells = [charts.bar(p) if may else Text("") for p, may in zip(strategy[row], legal[row], strict=True)]
        shown.add_row(str(seat), card[0], betting or "–", *cells)
    return shown
