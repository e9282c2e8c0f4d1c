"""Which cards change what: a report of the turn or river cards that may follow a line of a solved flop.

rows = next_cards.rows(solved, "check, check")             # a row for each turn card
rows = next_cards.rows(solved, "check, check; 2c; check, check")
console.print(next_cards.table(solved, "check, check"))    # by kind of card
"""

from __future__ import annotations

import csv
import io
import math

from rich import box
from rich.table import Table

from jaxpoker import cards
from jaxpoker.games import bets
from jaxpoker.solvers.flops import SolvedFlop, card_reports
from jaxpoker.solvers.flops.card_reports import CardRow
from jaxpoker.solvers.spots import words
from jaxpoker.solvers.spots.words import AnySolved
from jaxpoker.solvers.tree import DECISION, lines


def rows(solved: AnySolved, line: str) -> list[CardRow]:
    """A row for each card that may come after ``line``, at whose end betting is over."""
    place, before = _place(solved, line)
    assert isinstance(solved, SolvedFlop)
    letters = lines.sequence_of(solved.tree, place)
    if before:
        return card_reports.river_rows(solved, letters, before)
    return card_reports.turn_rows(solved, letters)


def _place(solved: AnySolved, line: str) -> tuple[int, str]:
    """The decision after the card, and the cards before it."""
    if not isinstance(solved, SolvedFlop):
        raise ValueError(f"{solved.spot.text}: which cards change what is told of flops")
    free = next(card for card in range(cards.NUM_CARDS) if card not in solved.spot.board and _is_free(card, line))
    try:
        place, dealt = words.place_of(solved, f"{line}; {cards.text([free])}")
    except ValueError as error:
        raise ValueError(f"no card is dealt after {line!r}: name a line at whose end the betting is over") from error
    return place, dealt[:-2]


def _is_free(card: int, line: str) -> bool:
    return cards.text([card]).lower() not in line.lower()


def _actions(solved: AnySolved, place: int) -> list[str]:
    """Of oop's first decision after the card, and of ip's after a check."""
    names = [f"OOP {name}" for name in words.action_names(solved.tree, place)]
    checked = int(solved.tree.children[place, bets.CALL])
    if solved.tree.kind[checked] == DECISION:
        names += [f"IP {name} after check" for name in words.action_names(solved.tree, checked)]
    return names


def table(solved: AnySolved, line: str) -> Table:
    """The report by kind of card: EV and equity of both, and how often each action is taken."""
    place, _ = _place(solved, line)
    found = card_reports.by_kind(rows(solved, line))
    names = _actions(solved, place)
    shown = Table(title=f"Cards after {line}", box=box.SIMPLE)
    for column in ("card", "cards", "share", "EV OOP", "EV IP", "equity OOP", *names):
        shown.add_column(column, justify="left" if column == "card" else "right", no_wrap=column == "card")
    for kind in found:
        numbers = ["?" if math.isnan(value) else f"{value:.2f}" for value in kind.ev] + [
            f"{value:.0%}" for value in (kind.equity[0], *kind.oop, *kind.ip)
        ]
        shown.add_row(kind.kind, str(kind.cards), f"{kind.share:.0%}", *numbers)
    return shown


def as_csv(solved: AnySolved, line: str) -> str:
    """A row for each card."""
    place, _ = _place(solved, line)
    names = _actions(solved, place)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["card", "kind", "ev_oop", "ev_ip", "equity_oop", *names])
    for row in rows(solved, line):
        numbers = (*row.ev, row.equity[0], *row.oop, *row.ip)
        writer.writerow([cards.text([row.card]), row.kind, *(f"{value:.6g}" for value in numbers)])
    return out.getvalue()
