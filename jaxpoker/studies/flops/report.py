"""What a run over many flops says at its end: tables by texture and by turn card, CSV, and figures of the summary."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker import cards
from jaxpoker.cards import NUM_CARDS
from jaxpoker.dashboard import print_line
from jaxpoker.files import write_whole
from jaxpoker.solvers.flops import textures
from jaxpoker.studies.flops.chosen import Chosen
from jaxpoker.studies.flops.facts import Facts, Layout

FLOPS_CSV, TURNS_CSV = "flops.csv", "turns.csv"
_SHARE, _EV, _EQUITY, _ACTIONS = 0, slice(1, 3), slice(3, 5), 5


class Group(NamedTuple):
    """Flops of one texture, or all."""

    kind: str
    name: str
    flops: int
    share: float
    figures: dict[str, float]


def figures_of_flops(facts: Facts, layout: Layout) -> dict[str, np.ndarray]:
    """By name ``[F]``: EV and equity of oop, and how often each action is taken at the first two decisions, in %."""
    found = {
        "EV OOP": facts.quality[:, 0],
        "equity OOP": 100 * facts.decisions[:, 0, _EQUITY.start],
    }
    for place in shown_decisions(layout):
        after = f" after {layout.decisions[place]}" if layout.decisions[place] else ""
        for at, name in enumerate(layout.actions[place]):
            if name != "check":
                who = layout.players[place].upper()
                found[f"{who} {name}{after}"] = 100 * facts.decisions[:, place, _ACTIONS + at]
    return {name: values.astype(float) for name, values in found.items()}


def shown_decisions(layout: Layout) -> list[int]:
    """The first decision, and the one after a check."""
    return [place for place, line in enumerate(layout.decisions) if line in ("", "check")]


def by_texture(chosen: Chosen, figures: dict[str, np.ndarray]) -> list[Group]:
    """All flops, then those of each texture: weighted means."""
    known = [textures.of_flop(board) for board in chosen.boards]
    groups = [_group("", "all flops", np.ones(len(known), bool), chosen.weights, figures)]
    for kind, names in textures.TEXTURES.items():
        for name in names:
            there = np.array([of_flop[kind] == name for of_flop in known])
            if there.any():
                groups.append(_group(kind, name, there, chosen.weights, figures))
    return groups


def _group(kind: str, name: str, there: np.ndarray, weights: np.ndarray, figures: dict[str, np.ndarray]) -> Group:
    share = float(weights[there].sum())
    means = {label: float((values[there] * weights[there]).sum()) / share for label, values in figures.items()}
    return Group(kind, name, int(there.sum()), share / float(weights.sum()), means)


class OfCards(NamedTuple):
    """The turn cards of one kind after one line, over all flops."""

    line: str
    kind: str
    share: float  # of the turn cards
    figures: dict[str, float]


def by_turn_card(chosen: Chosen, facts: Facts, layout: Layout) -> list[OfCards]:
    """For each line and kind of turn card: means over all flops, cards by how likely they are, flops by their weight
    and by how often the line is taken on them.
    """
    kinds = np.array([[_kind(board, card) for card in range(NUM_CARDS)] for board in chosen.boards])
    found = []
    for place, line in enumerate(layout.dealt):
        likely = facts.turns[:, place, :, _SHARE].astype(float)
        weights = likely * chosen.weights[:, None]
        total = weights.sum()
        for kind in textures.CARD_CLASSES:
            of_kind = np.where(kinds == kind, weights, 0)
            if total > 0 and of_kind.sum() > 0:
                figures = {
                    name: float((values * of_kind).sum() / of_kind.sum())
                    for name, values in _turn_figures(facts, layout, place).items()
                }
                found.append(OfCards(line, kind, float(of_kind.sum() / total), figures))
    return found


def _kind(board: np.ndarray, card: int) -> str:
    return "" if card in board else textures.of_card(board, card)


def _turn_figures(facts: Facts, layout: Layout, place: int) -> dict[str, np.ndarray]:
    """By name ``[F, 52]``, after a line of the flop."""
    of_line, wide = facts.turns[:, place], layout.most
    found = {"EV OOP": of_line[..., 1], "equity OOP": 100 * of_line[..., 3]}
    for seat, names in zip(("OOP", "IP after check"), layout.turn_actions[place], strict=True):
        first = _ACTIONS + (wide if seat != "OOP" else 0)
        for at, name in enumerate(names):
            if name != "check":
                found[f"{seat} {name}"] = 100 * of_line[..., first + at]
    return found


# --- on the screen ------------------------------------------------------------------------------


def say(console: Console, chosen: Chosen, facts: Facts, layout: Layout) -> None:
    """The tables by texture and by turn card."""
    groups = by_texture(chosen, figures_of_flops(facts, layout))
    shown = Table(title=f"{len(chosen.boards)} flops by texture; EV in % of the pot, shares in %", box=box.SIMPLE)
    for column in ("", "", "flops", "share", *groups[0].figures):
        shown.add_column(column, justify="left" if not column else "right", no_wrap=not column)
    before = ""
    for group in groups:
        figures = (f"{value:.1f}" for value in group.figures.values())
        kind = "" if group.kind == before else group.kind
        shown.add_row(kind, group.name, str(group.flops), f"{100 * group.share:.0f}", *figures)
        before = group.kind
    console.print(shown)
    cards_of = by_turn_card(chosen, facts, layout)
    for line in dict.fromkeys(of.line for of in cards_of if of.line in lines_shown(facts, layout)):
        here = [of for of in cards_of if of.line == line]
        table = Table(title=f"Turn cards after {line}; EV in % of the pot, shares in %", box=box.SIMPLE)
        for column in ("turn card", "share", *here[0].figures):
            table.add_column(
                column, justify="left" if column == "turn card" else "right", no_wrap=column == "turn card"
            )
        for of in here:
            table.add_row(of.kind, f"{100 * of.share:.0f}", *(f"{value:.1f}" for value in of.figures.values()))
        console.print(table)
    quality = facts.quality
    print_line(
        console,
        f"Each flop is exploitable for {quality[:, 2].max():.3f}% of the pot at most, after {quality[:, 3].mean():.0f} "
        "iterations on average",
    )


def lines_shown(facts: Facts, layout: Layout, most: int = 2) -> list[str]:
    """The lines that are taken most before the turn."""
    likely = facts.turns[..., _SHARE].sum(axis=(0, 2))
    return [layout.dealt[place] for place in np.argsort(-likely, kind="stable")[:most].tolist()]


# --- files --------------------------------------------------------------------------------------


def write_csv(folder: Path, chosen: Chosen, facts: Facts, layout: Layout) -> None:
    """``flops.csv``, a row for each flop with all its decisions; ``turns.csv``, a row for each flop, line and card."""
    rows: list[dict[str, Any]] = []
    for flop, (board, weight) in enumerate(zip(chosen.boards, chosen.weights, strict=True)):
        ev_oop, ev_ip, exploitability, iterations = facts.quality[flop].tolist()
        row: dict[str, Any] = {"flop": cards.text(board), "weight": weight, **textures.of_flop(board)}
        row |= {"ev_oop_percent": ev_oop, "ev_ip_percent": ev_ip, "exploitability_percent": exploitability}
        row |= {"iterations": int(iterations), "equity_oop": float(facts.decisions[flop, 0, _EQUITY.start])}
        for place, (line, names) in enumerate(zip(layout.decisions, layout.actions, strict=True)):
            here = facts.decisions[flop, place].tolist()
            title = f"{layout.players[place]} after {line}" if line else layout.players[place]
            row[f"{title}: share"] = here[_SHARE]
            row |= {f"{title}: {name}": here[_ACTIONS + at] for at, name in enumerate(names)}
        rows.append(row)
    write_whole(folder / FLOPS_CSV, _as_csv(rows))
    rows, wide = [], layout.most
    for flop, board in enumerate(chosen.boards):
        for place, line in enumerate(layout.dealt):
            for card in range(NUM_CARDS):
                here = facts.turns[flop, place, card].tolist()
                if not here[_SHARE]:
                    continue
                row = {"flop": cards.text(board), "line": line, "turn": cards.text(card)}
                row |= {"kind": textures.of_card(board, card), "likelihood": here[_SHARE]}
                row |= {"ev_oop_percent": here[1], "ev_ip_percent": here[2], "equity_oop": here[3]}
                for seat, names in zip(("oop", "ip after check"), layout.turn_actions[place], strict=True):
                    first = _ACTIONS + (0 if seat == "oop" else wide)
                    row |= {f"{seat}: {_general(name)}": here[first + at] for at, name in enumerate(names)}
                rows.append(row)
    write_whole(folder / TURNS_CSV, _as_csv(rows))


def _general(action: str) -> str:
    """An action without its chips, which differ from line to line: columns are shared."""
    return action.split()[0]


def _as_csv(rows: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()})
    return out.getvalue()


def figures(chosen: Chosen, facts: Facts, layout: Layout) -> dict[str, Any]:
    """The figures of ``summary.json``: weighted means over the flops."""
    whole = by_texture(chosen, figures_of_flops(facts, layout))[0]
    return {
        "flops": len(chosen.boards),
        "means": {name: round(value, 4) for name, value in whole.figures.items()},
        "most_exploitable_percent": float(facts.quality[:, 2].max()),
        "iterations": float(facts.quality[:, 3].mean()),
    }
