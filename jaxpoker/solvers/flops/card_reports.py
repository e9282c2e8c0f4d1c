"""Reports of a solved flop: what is done at each decision of the flop, and which turn and river cards change what.

    rows = card_reports.flop_rows(solved)                     # a row for each decision of the flop
    rows = card_reports.turn_rows(solved, "cc/")              # a row for each turn card after check, check
    rows = card_reports.river_rows(solved, "cc/cc/", "2c")    # a row for each river card after that turn

A row of a card tells what both players have and do on it: EV and equity, how often out of position bets, and how often
in position bets after a check. Cards that are alike by suits have the same rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxpoker import cards
from jaxpoker.cards import NUM_CARDS
from jaxpoker.games import bets
from jaxpoker.solvers.flops import textures
from jaxpoker.solvers.flops.solved import FLOP, RIVER, TURN, SolvedFlop
from jaxpoker.solvers.flops.street_tree import DEALT
from jaxpoker.solvers.subgame.solved import NodeView
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import DECISION, NONE, lines


class NodeRow(NamedTuple):
    """One decision."""

    line: str
    player: int
    actions: tuple[str, ...]
    share: float  # how often the game comes here
    frequencies: tuple[float, ...]  # by action
    ev: tuple[float, float]  # chips of oop and ip, the pot included
    equity: tuple[float, float]


class CardRow(NamedTuple):
    """One turn or river card after a line."""

    card: int
    kind: str  # of textures.CARD_CLASSES
    times: float  # how likely it is to come with this line, beside other cards and lines
    pot: float
    ev: tuple[float, float]
    equity: tuple[float, float]
    oop: tuple[float, ...]  # how often each action of the first decision is taken
    ip: tuple[float, ...]  # ... of the decision after a check


def flop_rows(solved: SolvedFlop) -> list[NodeRow]:
    """All decisions of the flop, in the tree's order."""
    nodes = solved.tree.decisions(street=FLOP)
    shares = {0: 1.0}
    found = []
    for node in nodes.tolist():
        view = solved.node(node)
        row = _row(view, shares[node])
        for slot, frequency in zip(np.flatnonzero(solved.tree.legal(node)), row.frequencies, strict=True):
            shares[int(solved.tree.children[node, slot])] = shares[node] * frequency
        found.append(row)
    return found


def dealt_lines(solved: SolvedFlop) -> list[str]:
    """The lines of the flop after which a turn card comes: "cc/", "cr10c/", ..."""
    if not solved.game.deals_turns:
        return []
    chances = solved.game.streets[0].ends[DEALT]
    return [lines.sequence_of(solved.tree, int(solved.tree.children[node, 0])) for node in chances]


def turn_rows(solved: SolvedFlop, line: str) -> list[CardRow]:
    """All turn cards after ``line``."""
    return _card_rows(solved, line, "", TURN)


def river_rows(solved: SolvedFlop, line: str, turn: str) -> list[CardRow]:
    """All river cards after ``line`` with the ``turn`` card."""
    return _card_rows(solved, line, turn, RIVER)


def all_turn_rows(solved: SolvedFlop) -> dict[str, list[CardRow]]:
    """``turn_rows`` of all lines; each turn is worked out once."""
    found: dict[str, list[CardRow]] = {line: [] for line in dealt_lines(solved)}
    for card in _by_kind(solved):
        for line, rows in found.items():
            rows.append(_card_row(solved, line, (), card))
    return {line: sorted(rows, key=lambda row: row.card) for line, rows in found.items()}


def _by_kind(solved: SolvedFlop) -> list[int]:
    """The turn cards, those that are alike next to each other."""
    known = {turn.card: number for number, turn in enumerate(solved.runouts.turns)}

    def number(card: int) -> int:
        return min(known.get(suits[card // 13] * 13 + card % 13, NUM_CARDS) for suits in solved.runouts.orders)

    return sorted((card for card in range(NUM_CARDS) if card not in solved.spot.board), key=number)


def _card_rows(solved: SolvedFlop, line: str, dealt: str, street: int) -> list[CardRow]:
    node = lines.node_of(solved.tree, line)
    if solved.tree.street[node] != street or solved.tree.turn[node]:
        names = ", ".join(map(repr, dealt_lines(solved)))
        raise ValueError(f"line {line!r}: name one that ends when the card comes; on the flop {names}")
    before = tuple(cards.parse(dealt).tolist()) if dealt else ()
    gone = {*solved.spot.board, *before}
    return [_card_row(solved, line, before, card) for card in range(NUM_CARDS) if card not in gone]


def _card_row(solved: SolvedFlop, line: str, before: tuple[int, ...], card: int) -> CardRow:
    tree, node = solved.tree, lines.node_of(solved.tree, line)
    view = solved.node(node, (*before, card))
    checked = int(tree.children[node, bets.CALL])
    after: tuple[float, ...] = ()
    if checked != NONE and tree.kind[checked] == DECISION:
        after = tuple(solved.node(checked, (*before, card)).frequencies.values())
    row = _row(view, 1.0)
    kind = textures.of_card((*solved.spot.board, *before), card)
    return CardRow(card, kind, float(view.met[view.player].sum()), view.pot, row.ev, row.equity, row.frequencies, after)


def _row(view: NodeView, share: float) -> NodeRow:
    ev, equity = ([float(of_all[p]) for p in PLAYERS] for of_all in (view.range_ev, view.range_equity))
    return NodeRow(
        view.line,
        view.player,
        view.actions,
        share,
        tuple(view.frequencies.values()),
        (ev[0], ev[1]),
        (equity[0], equity[1]),
    )


class KindMean(NamedTuple):
    """The mean over the cards of one kind, by how likely they are."""

    kind: str
    cards: int
    share: float  # of all cards
    ev: tuple[float, float]
    equity: tuple[float, float]
    oop: tuple[float, ...]
    ip: tuple[float, ...]


def by_kind(rows: list[CardRow]) -> list[KindMean]:
    """What each kind of card does."""
    found, total = [], max(sum(row.times for row in rows), 1e-30)
    for kind in textures.CARD_CLASSES:
        here = [row for row in rows if row.kind == kind]
        weights = np.array([row.times for row in here])
        if not len(here) or not weights.sum():
            continue

        def mean(name: str, here: list[CardRow] = here, weights: np.ndarray = weights) -> tuple[float, ...]:
            values = np.array([getattr(row, name) for row in here], float)
            known = np.where(np.isnan(values), 0, weights[:, None])  # NaN: nothing comes there, or it is not kept
            total = known.sum(axis=0)
            sums = (np.nan_to_num(values) * known).sum(axis=0)
            return tuple(np.where(total > 0, sums / np.where(total > 0, total, 1), np.nan).tolist())

        (oop, ip), (ours, theirs) = mean("ev"), mean("equity")
        share = float(weights.sum()) / total
        found.append(KindMean(kind, len(here), share, (oop, ip), (ours, theirs), mean("oop"), mean("ip")))
    return found
