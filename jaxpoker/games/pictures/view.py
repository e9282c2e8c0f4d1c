"""What a picture of a table shows, whatever the game: seats with cards and chips, a board, a pot and a line below.

A game of your own is drawn when its states have ``table_view(seen_by)``, which returns a ``TableView``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jaxpoker import cards
from jaxpoker.games import packed
from jaxpoker.games.chicago import table as chicago_table
from jaxpoker.games.chicago import text as chicago_text
from jaxpoker.games.holdem import table as holdem_table
from jaxpoker.games.kuhn import ACTIONS, Kuhn
from jaxpoker.games.kuhn import State as KuhnState
from jaxpoker.games.leduc import Leduc
from jaxpoker.games.leduc import State as LeducState

FACE_DOWN = ""


class SeatView(NamedTuple):
    """One seat."""

    name: str
    cards: tuple[str, ...]  # "Ah", "K" or FACE_DOWN
    chips: str = ""  # behind, or points
    bet: str = ""  # in front of it
    note: str = ""  # what it won, or did
    acts: bool = False
    out: bool = False  # folded, or an empty seat
    button: bool = False


class TableView(NamedTuple):
    """One table."""

    seats: tuple[SeatView, ...]
    board: tuple[str, ...] = ()
    pot: str = ""
    caption: str = ""


def of_state(state: Any, seen_by: int | None = None) -> TableView:
    """The view of one table: everything, or what the player in seat ``seen_by`` sees."""
    if hasattr(state, "table_view"):
        view: TableView = state.table_view(seen_by)
        return view
    for kind, make in _VIEWS.items():
        if isinstance(state, kind):
            return make(state, seen_by)
    raise TypeError(f"no picture of {type(state).__name__}: give its states table_view(seen_by), see games/pictures")


def _won(amount: float) -> str:
    return f"{amount:+g}" if amount else ""


def _outcome(state: Any, seat: int) -> str:
    """What the last action brought a seat, once it has ended the game."""
    return _won(float(np.asarray(state.rewards)[seat]))


def _of_kuhn(state: Any, seen_by: int | None) -> TableView:
    players, over = int(state.num_players), bool(state.terminated)
    game, turns = Kuhn(players), int(state.turn)
    did: list[list[str]] = [[] for _ in range(players)]
    for turn in range(turns):
        did[turn % players].append(ACTIONS[int(state.bets) >> turn & 1])
    bettors = [any(action == "bet" for action in actions) for actions in did]
    seats = tuple(
        SeatView(
            name=f"seat {seat}",
            cards=(game.card_text(int(packed.card_at(state.table, seat))) if seen_by in (None, seat) else FACE_DOWN,),
            bet=str(1 + bettors[seat]),
            note=_outcome(state, seat) if over else " ".join(did[seat]),
            acts=not over and seat == int(state.current_player),
        )
        for seat in range(players)
    )
    return TableView(seats, pot=str(players + sum(bettors)), caption="over" if over else "")


def _of_leduc(state: Any, seen_by: int | None) -> TableView:
    game, over = Leduc(), bool(state.terminated)
    put_in = np.asarray(game.put_in(state))
    seats = tuple(
        SeatView(
            name=f"seat {seat}",
            cards=(game.card_text(int(packed.card_at(state.table, seat))) if seen_by in (None, seat) else FACE_DOWN,),
            bet=f"{put_in[seat]:g}",
            note=_outcome(state, seat) if over else "",
            acts=not over and seat == int(state.current_player),
            out=bool(state.folded) and seat == int(state.current_player),
        )
        for seat in range(2)
    )
    board = (game.card_text(int(packed.card_at(state.table, 2))),) if int(state.round) else ()
    return TableView(seats, board, f"{put_in.sum():g}", "over" if over else game.street_names[int(state.round)])


def _of_holdem(state: Any, seen_by: int | None) -> TableView:
    over, showdown = bool(state.terminated), bool(state.showdown)
    hole, folded, empty = np.asarray(state.hole), np.asarray(state.folded), [int(s.starting) == 0 for s in state.seats]
    stacks, bets = np.asarray(state.stacks), np.asarray(state.bets)

    def hand(seat: int) -> tuple[str, ...]:
        if empty[seat]:
            return ()
        open_cards = seen_by in (None, seat) or (showdown and not folded[seat])
        return tuple(cards.text(card) if open_cards else FACE_DOWN for card in hole[seat])

    gains = np.array([int(s.won) - int(s.starting) + int(s.behind) for s in state.seats])
    seats = tuple(
        SeatView(
            name=f"seat {seat}" if not empty[seat] else "empty",
            cards=hand(seat),
            chips=f"{stacks[seat]:,}" if not empty[seat] else "",
            bet=f"{bets[seat]:,}" if bets[seat] and not over else "",
            note=_won(gains[seat]) if over else "folded" if folded[seat] and not empty[seat] else "",
            acts=not over and seat == int(state.current_player),
            out=bool(folded[seat]),
            button=seat == int(state.button),
        )
        for seat in range(len(state.seats))
    )
    board = tuple(cards.text(card) for card in np.asarray(state.board) if card != cards.NO_CARD)
    street = holdem_table.STREETS[int(state.street)]
    caption = ("showdown" if showdown else "over") if over else street
    return TableView(seats, board, f"{int(state.pot):,}", caption)


def _of_chicago(state: Any, seen_by: int | None) -> TableView:
    over = bool(state.terminated) or bool(state.truncated)
    hands, scores = np.asarray(state.hands), np.asarray(state.scores)
    tricks = int(state.phase) == chicago_table.TRICKS
    on_table = np.asarray(state.table)[int(state.trick)] if tricks and not over else np.full(len(scores), cards.NO_CARD)
    seats = tuple(
        SeatView(
            name=f"seat {seat}",
            cards=tuple(
                cards.text(int(card)) if seen_by in (None, seat) else FACE_DOWN for card in hands[seat] if card >= 0
            ),
            chips=f"{scores[seat]} points",
            note="wins" if seat == int(state.winner) else "",
            acts=not over and seat == int(state.current_player),
            button=seat == int(state.start),
        )
        for seat in range(int(state.players))
    )
    played = tuple(cards.text(int(card)) for card in on_table if card >= 0)
    caption = "over" if over else chicago_text.table(state).splitlines()[0].split(";")[0]
    return TableView(seats, played, "", caption)


_VIEWS = {
    KuhnState: _of_kuhn,
    LeducState: _of_leduc,
    holdem_table.State: _of_holdem,
    chicago_table.State: _of_chicago,
}
