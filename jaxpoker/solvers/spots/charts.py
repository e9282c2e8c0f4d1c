"""One decision of a solved spot for people: the 13 x 13 grid, both ranges, hands one by one, CSV and JSON.

    node = spots.find(solved, "check")
    console.print(charts.grid(solved, node))                  # what each class of hands does
    console.print(charts.range_grids(solved, node))                 # what both players hold
    charts.rows(solved, node, "AKs")                          # weight, EV, equity and strategy, hand by hand

A cell of the grid is the mean over the class's hands, weighted by how likely each of them is there.
"""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np
from rich import box
from rich.console import RenderableType
from rich.table import Table

from jaxpoker import cards, charts, ranges
from jaxpoker.solvers.spots import words
from jaxpoker.solvers.spots.words import AnySolved
from jaxpoker.solvers.subgame.menus import SEATS
from jaxpoker.solvers.subgame.solved import NodeView
from jaxpoker.solvers.tree import lines

_DIGITS = 6  # of numbers in files


def names_of(solved: AnySolved, node: NodeView) -> tuple[str, ...]:
    """The actions of a node in words, in the order of ``node.actions``."""
    return words.action_names(solved.tree, lines.node_of(solved.tree, node.line))


def held(solved: AnySolved, node: NodeView) -> np.ndarray:
    """``[2, 1326]`` from 0 to 1: the weight of each hand by its range and its own actions.

    ``node.reach`` has the chance of the cards dealt on the way as well: one of those that a board and two hands leave.
    """
    dealt = range(len(solved.spot.board), len(node.board))
    return np.clip(node.reach * math.prod(cards.NUM_CARDS - opened - 4 for opened in dealt), 0, 1)


def frequencies(solved: AnySolved, node: NodeView) -> dict[str, float]:
    """How often the player takes each action, by its name."""
    return dict(zip(names_of(solved, node), node.frequencies.values(), strict=True))


# --- by class of hands ------------------------------------------------------------------------


def class_mix(node: NodeView) -> np.ndarray:
    """``[169, actions]``: what the player does with each class; 0 of classes that it does not hold."""
    weights = node.met[node.player]
    total = np.bincount(ranges.CLASS_OF_COMBO, weights, ranges.NUM_CLASSES)
    mixes = [np.bincount(ranges.CLASS_OF_COMBO, weights * played, ranges.NUM_CLASSES) for played in node.strategy]
    return np.stack(mixes, axis=1) / np.where(total > 0, total, 1)[:, None]


def class_weights(solved: AnySolved, node: NodeView, seat: int) -> np.ndarray:
    """``[169]`` from 0 to 1: how much of each class a player holds, of the hands that the board leaves."""
    live = ~np.isin(ranges.COMBOS, node.board).any(axis=1)
    there = np.bincount(ranges.CLASS_OF_COMBO, live, ranges.NUM_CLASSES)
    weights = np.bincount(ranges.CLASS_OF_COMBO, held(solved, node)[seat], ranges.NUM_CLASSES)
    return np.clip(weights / np.where(there > 0, there, 1), 0, 1)


def class_shares(node: NodeView) -> np.ndarray:
    """``[169]`` from 0 to 1: how likely each combo of a class is at the decision, beside the likeliest class."""
    met = np.bincount(ranges.CLASS_OF_COMBO, node.met[node.player], ranges.NUM_CLASSES) / ranges.COMBOS_PER_CLASS
    return met / max(met.max(), 1e-30)


def title_of(solved: AnySolved, node: NodeView) -> str:
    """Who acts where: "IP on Ks 7h 3d 9h after check, pot 100"."""
    line = words.line_of(solved.tree, lines.node_of(solved.tree, node.line))
    after = f" after {line}" if line else ""
    return f"{SEATS[node.player].upper()} on {cards.text(node.board)}{after}, pot {node.pot:g}"


def grid(solved: AnySolved, node: NodeView) -> RenderableType:
    """The strategy of a node as a 13 x 13 grid."""
    names = names_of(solved, node)
    return charts.hand_grid(class_mix(node), title_of(solved, node), names, reach=class_shares(node))


def range_grids(solved: AnySolved, node: NodeView) -> RenderableType:
    """What both players hold at a node, side by side."""
    both = [
        charts.hand_grid(class_weights(solved, node, seat), f"Range of {name.upper()}", ("held",))
        for seat, name in enumerate(SEATS)
    ]
    return charts.side_by_side(*both)


def summary(solved: AnySolved, node: NodeView) -> Table:
    """EV, equity and combos of both players, and how often each action is taken."""
    table = Table(box=box.SIMPLE)
    for column in ("", "EV", "equity", "combos"):
        table.add_column(column, justify="left" if not column else "right")
    for seat, name in enumerate(SEATS):
        ev, equity = node.range_ev[seat], node.range_equity[seat]
        table.add_row(name.upper(), _known(ev), f"{equity:.1%}", f"{held(solved, node)[seat].sum():.1f}")
    for name, share in frequencies(solved, node).items():
        table.add_row(f"{SEATS[node.player].upper()} {name}", f"{share:.1%}", "", "")
    return table


def _known(ev: float) -> str:
    """A flop's file may keep no rivers, and then no EV of a turn."""
    return "?" if math.isnan(ev) else f"{ev:.2f}"


# --- hand by hand -----------------------------------------------------------------------------


def rows(solved: AnySolved, node: NodeView, hands: str = "", seat: int | None = None) -> list[dict[str, Any]]:
    """A row for each hand that comes here: player, hand, weight, ev, equity, and the actions of who acts.

    ``hands``: a range such as "AKs" or "AhKh" that limits them. ``seat``: of one player alone.
    """
    wanted = ranges.as_weights(hands) > 0 if hands else np.ones(ranges.NUM_COMBOS, bool)
    names, weights, found = names_of(solved, node), held(solved, node), []
    for player, name in enumerate(SEATS):
        if seat not in (None, player):
            continue
        for combo in np.flatnonzero(wanted & (node.reach[player] > 0)).tolist():
            acts = node.strategy[:, combo].tolist() if player == node.player else [None] * len(names)
            found.append(
                {
                    "player": name,
                    "hand": ranges.combo_name(combo),
                    "weight": _rounded(weights[player, combo]),
                    "ev": _rounded(node.ev[player, combo]),
                    "equity": _rounded(node.equity[player, combo]),
                    **{action: _rounded(share) for action, share in zip(names, acts, strict=True)},
                }
            )
    return found


def _rounded(value: Any) -> float | None:
    return None if value is None or np.isnan(value) else round(float(value), _DIGITS)


def hands_table(solved: AnySolved, node: NodeView, hands: str) -> Table:
    """``rows`` as a table."""
    found = rows(solved, node, hands)
    if not found:
        raise ValueError(
            f"nobody holds {hands!r} after {node.line!r}: the range, the board or earlier actions exclude it"
        )
    table = Table(box=box.SIMPLE)
    for column in found[0]:
        table.add_column(column, justify="left" if column in ("player", "hand") else "right")
    shares = {"weight", "equity", *names_of(solved, node)}
    for row in found:
        table.add_row(*(_shown(value, name in shares) for name, value in row.items()))
    return table


def _shown(value: Any, share: bool) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.1%}" if share else f"{value:.2f}"


def as_csv(solved: AnySolved, node: NodeView, hands: str = "") -> str:
    """``rows`` as CSV; an empty field is an action of the other player, or an EV that nothing defines."""
    out = io.StringIO()
    columns = ["player", "hand", "weight", "ev", "equity", *names_of(solved, node)]
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(solved, node, hands))
    return out.getvalue()


def as_json(solved: AnySolved, node: NodeView, hands: str = "") -> dict[str, Any]:
    """A node as plain values: where it is, what is done, both ranges as text, and ``rows``."""

    def of_both(values: Any) -> dict[str, Any]:
        return {name: value for name, value in zip(SEATS, values, strict=True)}

    return {
        "line": words.line_of(solved.tree, lines.node_of(solved.tree, node.line)),
        "board": cards.text(node.board),
        "pot": node.pot,
        "player": SEATS[node.player],
        "frequencies": {name: _rounded(share) for name, share in frequencies(solved, node).items()},
        "ev": of_both(_rounded(x) for x in node.range_ev),
        "equity": of_both(_rounded(x) for x in node.range_equity),
        "combos": of_both(_rounded(x) for x in held(solved, node).sum(axis=1)),
        "ranges": of_both(ranges.text(np.round(x, 4)) for x in held(solved, node)),
        "hands": rows(solved, node, hands),
    }
