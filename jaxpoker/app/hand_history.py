"""Finished hands in the Poker Hand History format (PHH; Kim, "Recording and describing poker hands", 2024).

A ``.phh`` file is one hand in TOML, a ``.phhs`` file many, each in a section of its own; PokerKit writes them. Player
p1 sits left of the button and posts the big blind, p2 has the button. Cards that nobody showed are ``????``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from jaxpoker.games.holdem.histories import VARIANT, require_pokerkit
from jaxpoker.games.holdem.table import FLOP, RIVER


@dataclasses.dataclass(frozen=True)
class HandRecord:
    """A hand as it was played at a table of two; seats are those of the table."""

    number: int
    names: tuple[str, str]
    button: int
    starting_stacks: tuple[int, int]
    blinds: tuple[int, int]
    hole: tuple[str, str]  # "AhKd", or UNKNOWN
    actions: tuple[tuple[int, int, int], ...]  # street, seat, chips "to"; a fold is negative
    calls: tuple[bool, ...]  # of the actions: no raise
    board: str  # all cards that were dealt face up, "Kd7s2d5c"
    shown: bool  # a showdown
    finishing_stacks: tuple[int, int]


def _place(record: HandRecord, seat: int) -> int:
    """The number of a seat's player: 1 left of the button, 2 with it."""
    return 2 if seat == record.button else 1


def _actions(record: HandRecord) -> list[str]:
    """The hand in PHH's notation: deals, "p1 f", "p2 cc", "p1 cbr 30", "p1 sm AhKd"."""
    big_blind_seat = 1 - record.button
    order = (big_blind_seat, record.button)
    lines = [f"d dh p{_place(record, seat)} {record.hole[seat]}" for seat in order]
    dealt = 0

    def deal_to(street: int) -> None:
        nonlocal dealt
        for to in range(dealt + 1, street + 1):
            first, last = (0, 6) if to == FLOP else (2 * to + 2, 2 * to + 4)
            lines.append(f"d db {record.board[first:last]}")
        dealt = max(dealt, street)

    for (street, seat, to), calls in zip(record.actions, record.calls, strict=True):
        deal_to(street)
        player = f"p{_place(record, seat)}"
        lines.append(f"{player} f" if to < 0 else f"{player} cc" if calls else f"{player} cbr {to}")
    if record.shown:
        deal_to(RIVER)
        lines += [f"p{_place(record, seat)} sm {record.hole[seat]}" for seat in order]
    return lines


def _history(record: HandRecord) -> Any:
    """The hand as an object of PokerKit."""
    order = (1 - record.button, record.button)
    return require_pokerkit().HandHistory(
        variant=VARIANT,
        antes=[0, 0],
        blinds_or_straddles=list(record.blinds),
        min_bet=record.blinds[1],
        starting_stacks=[record.starting_stacks[seat] for seat in order],
        finishing_stacks=[record.finishing_stacks[seat] for seat in order],
        players=[_plain(record.names[seat]) for seat in order],
        hand=record.number,
        actions=_actions(record),
    )


def _plain(name: str) -> str:
    """A name without quotes and control characters, which PokerKit would not write as TOML."""
    return "".join(c for c in name if c.isprintable() and c not in "'\\")


def phh(record: HandRecord) -> str:
    """The hand as the text of a ``.phh`` file."""
    text: str = _history(record).dumps()
    return text + "\n"


def phhs(records: Sequence[HandRecord]) -> str:
    """Many hands as the text of a ``.phhs`` file."""
    text: str = require_pokerkit().HandHistory.dumps_all([_history(record) for record in records])
    return text + "\n"
