"""What a blueprint plays, for people: bar charts, 13 x 13 grids and tables to export.

    print(charts.card(solved, node, bucket))                # position, situation, a bar for each action
    console.print(charts.grid(solved, node))                # of a preflop decision
    charts.save_grids("preflop.png", solved, nodes)
    charts.as_csv(solved, node)                             # the whole strategy of a decision

``solved`` is a blueprint, ``node`` a decision of its tree.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.console import RenderableType
from rich.table import Table

from jaxpoker import charts, plots, ranges
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.solvers.blueprint.blueprint import Blueprint
from jaxpoker.solvers.tree import CHANCE, DECISION, Tree, lines
from jaxpoker.solvers.tree.chips import chips_at
from jaxpoker.solvers.tree.infosets import POSITIONS

BAR_WIDTH = 40  # of an action that is always taken
LABEL_WIDTH = 20


# --- words ------------------------------------------------------------------------------------


def action_label(tree: Tree, node: int, action: int, in_big_blinds: bool = False) -> str:
    """An action as players say it: "Fold", "Check", "Call 20", "Bet 33", "Raise to 25", "All-in (1000)"; in big blinds
    "Raise to 2.5 BB".
    """
    chips, seat = chips_at(tree), int(tree.player[node])
    price, own = int(chips.price[node]), int(chips.bets[node, seat])

    def amount(number: int) -> str:
        return f"{number / _big_blind(tree):g} BB" if in_big_blinds else str(number)

    if action == bets.FOLD:
        return "Fold"
    to = int(tree.to[node, action])
    if to <= price:
        return "Check" if to == own else f"Call {amount(to - own)}"
    if to - price == int(chips.behind[node]):
        return f"All-in ({amount(to)})"
    return f"Raise to {amount(to)}" if price else f"Bet {amount(to)}"


def _big_blind(tree: Tree) -> int:
    assert isinstance(tree.game, Holdem)
    return tree.game.big_blind


def situation(tree: Tree, node: int, in_big_blinds: bool = False) -> str:
    """The betting that leads to a decision: "first to act", "BTN raises to 25, BB calls 15 | BB checks"."""
    streets: list[list[str]] = [[]]
    for step in tree.path(node)[1:]:
        parent = int(tree.parent[step])
        if tree.kind[parent] == CHANCE:
            streets.append([])
            continue
        word, *rest = action_label(tree, parent, int(tree.action[step]), in_big_blinds).split()
        said = " ".join(["goes all-in" if word == "All-in" else f"{word.lower()}s", *rest])
        streets[-1].append(f"{POSITIONS[int(tree.player[parent])]} {said}")
    return " | ".join(", ".join(said) or "first to act" for said in streets)


def bars(labels: Sequence[str], probabilities: Sequence[float]) -> list[str]:
    """A line for each action, the most frequent first: ``Raise to 25           70.8%  ████████``."""
    lines = []
    for i in np.argsort(-np.asarray(probabilities), kind="stable").tolist():
        blocks = "█" * int(BAR_WIDTH * probabilities[i] + 1e-6)
        lines.append(f"{labels[i]:<{LABEL_WIDTH}} {probabilities[i]:>6.1%}  {blocks}".rstrip())
    return lines


def legal_mix(blueprint: Blueprint, node: int, bucket: int) -> tuple[list[str], list[float]]:
    """Labels and probabilities of the legal actions of a decision."""
    legal = np.nonzero(blueprint.tree.legal(node))[0].tolist()
    mix = blueprint.at(node)[bucket]
    return [action_label(blueprint.tree, node, action) for action in legal], [float(mix[action]) for action in legal]


def card(blueprint: Blueprint, node: int, bucket: int, hand: str = "", facts: Sequence[str] = ()) -> str:
    """Who holds what where, more ``facts`` line by line, and a bar for each action."""
    tree = blueprint.tree
    strength = blueprint.abstraction.text(int(tree.street[node]), bucket)
    lines = [
        f"Hand Strength: {strength[0].upper()}{strength[1:]}",
        f"Position: {POSITIONS[int(tree.player[node])]}",
        f"Situation: {situation(tree, node)}",
    ]
    if hand:
        lines.insert(0, f"Hand: {hand}")
    return "\n".join([*lines, *facts, "", *(f"  {line}" for line in bars(*legal_mix(blueprint, node, bucket)))])


def table(blueprint: Blueprint, node: int) -> Table:
    """What each bucket does at a decision."""
    tree, street = blueprint.tree, int(blueprint.tree.street[node])
    legal = np.nonzero(tree.legal(node))[0].tolist()
    shown = Table(title=f"{POSITIONS[int(tree.player[node])]}: {situation(tree, node)}", box=box.SIMPLE)
    shown.add_column("hand strength")
    for action in legal:
        shown.add_column(action_label(tree, node, action), justify="right", min_width=len("100.0%"))
    held = (
        set(blueprint.class_buckets.tolist()) if street == 0 else set(range(blueprint.abstraction.num_buckets[street]))
    )
    for bucket in sorted(held, reverse=True):
        mix = blueprint.at(node)[bucket]
        shown.add_row(blueprint.abstraction.text(street, bucket), *(f"{mix[action]:.1%}" for action in legal))
    return shown


# --- export -----------------------------------------------------------------------------------


def node_rows(blueprint: Blueprint, node: int) -> list[dict[str, Any]]:
    """The whole strategy of a decision: a row for each hand before the flop, for each bucket after it."""
    tree, street = blueprint.tree, int(blueprint.tree.street[node])
    legal = np.nonzero(tree.legal(node))[0].tolist()
    labels = [action_label(tree, node, action) for action in legal]
    strategy = blueprint.at(node)

    def mix(bucket: int) -> dict[str, float]:
        return {label: round(float(strategy[bucket, action]), 6) for label, action in zip(labels, legal, strict=True)}

    if street:
        numbers = range(blueprint.abstraction.num_buckets[street])
        return [{"bucket": b, "cards": blueprint.abstraction.text(street, b), **mix(b)} for b in numbers]
    _, reach = blueprint.preflop_grid(node)
    return [
        {"hand": hand, "bucket": int(bucket), "reach": round(float(comes), 6), **mix(int(bucket))}
        for hand, bucket, comes in zip(ranges.CLASS_NAMES, blueprint.class_buckets, reach, strict=True)
    ]


def as_csv(blueprint: Blueprint, node: int) -> str:
    """``node_rows`` as CSV."""
    rows, out = node_rows(blueprint, node), io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_json(blueprint: Blueprint, node: int) -> dict[str, Any]:
    """A decision and ``node_rows`` as plain values."""
    tree = blueprint.tree
    return {
        "position": POSITIONS[int(tree.player[node])],
        "street": STREETS[int(tree.street[node])],
        "sequence": lines.sequence_of(tree, node),
        "situation": situation(tree, node),
        "strategy": node_rows(blueprint, node),
    }


# --- grids ------------------------------------------------------------------------------------


class _Grid(NamedTuple):
    title: str
    mix: np.ndarray  # [169, legal actions]
    actions: list[str]
    reach: np.ndarray  # [169]


def _grid_of(blueprint: Blueprint, node: int, in_big_blinds: bool = False) -> _Grid:
    """Of a preflop decision: all-in and the raises first, then call and fold."""
    tree = blueprint.tree
    mix, reach = blueprint.preflop_grid(node)
    legal = np.nonzero(tree.legal(node))[0].tolist()
    largest = int(np.argmax(np.where(tree.legal(node), tree.to[node], -1)))
    legal.sort(key=lambda action: (action < bets.FIRST_SIZE, action != largest, abs(action - bets.FIRST_SIZE)))
    labels = [action_label(tree, node, action, in_big_blinds) for action in legal]
    if not in_big_blinds:
        title = f"{POSITIONS[int(tree.player[node])]}: {situation(tree, node)}"
    else:
        stack = f"{blueprint.game.stack / blueprint.game.big_blind:g} big blinds"
        who = ("The button", "The big blind")[int(tree.player[node])]
        title = f"{who}, {stack} deep: {situation(tree, node, in_big_blinds)}"
    return _Grid(title, mix[:, legal], labels, reach)


def grid(blueprint: Blueprint, node: int, in_big_blinds: bool = False) -> RenderableType:
    """The 13 x 13 grid of a preflop decision: coloured by its actions, dim where a hand seldom comes there.

    Bets are in chips, or ``in_big_blinds`` with words that need no explanation.
    """
    title, mix, actions, reach = _grid_of(blueprint, node, in_big_blinds)
    return charts.hand_grid(mix, title, actions, reach=reach)


def save_grids(
    path: str | Path, blueprint: Blueprint, nodes: Sequence[int], title: str = "", in_big_blinds: bool = False
) -> None:
    """The grids of preflop decisions side by side as a PNG file."""
    grids = [_grid_of(blueprint, node, in_big_blinds) for node in nodes]
    plots.hand_grid(
        path,
        {each.title: each.mix for each in grids},
        title,
        {each.title: each.actions for each in grids},
        reach={each.title: each.reach for each in grids},
    )


def opening_nodes(tree: Tree) -> list[int]:
    """Decisions worth a look: the button's first, and the big blind's after a limp and after the smallest raise."""
    first = [int(tree.following()[0, action]) for action in range(bets.CALL, tree.num_actions)]
    answers = [node for node in first if node >= 0 and tree.kind[node] == DECISION and tree.street[node] == 0]
    return [0, *answers[:2]]
