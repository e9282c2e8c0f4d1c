"""What the person at a table is shown, as plain values: nothing of the opponent's cards before the showdown.

Amounts are in big blinds. ``turn`` is the number of actions of the hand; a request names it, so that one that comes
late is known for what it is.
"""

from __future__ import annotations

from typing import Any

from jaxpoker import cards
from jaxpoker.app.dealer import BOT, HERO
from jaxpoker.app.duel import Duel, Event
from jaxpoker.coach.wording import label_at, made_hand
from jaxpoker.games.holdem.table import PREFLOP, STREETS

WHO = {HERO: "you", BOT: "bot", None: "table"}


def table(duel: Duel) -> dict[str, Any]:
    """The table as the person sees it."""
    look = duel.look
    big_blind = int(look.here.big_blind)
    yours = not duel.over and int(look.current_player) == HERO
    seats = {WHO[seat]: _seat(duel, seat) for seat in (HERO, BOT)}
    menu, street = duel.dealer.game.bet_menu, int(look.street)
    actions = [
        {
            "id": action,
            "name": menu.action_name(action, street),
            "label": label_at(look.here, int(look.to[action])) if yours and look.legal[action] else None,
            "legal": bool(yours and look.legal[action]),
        }
        for action in range(len(look.legal))
    ]
    return {
        "hand": duel.hand,
        "turn": int(look.turn),
        "over": duel.over,
        "your_turn": yours,
        "street": STREETS[street],
        "board": _cards(cards.text(look.board)),
        "pot": int(look.pot) / big_blind,
        "seats": seats,
        "actions": actions,
        "events": [_event(event, big_blind) for event in duel.events],
        "result": _result(duel),
        "score": duel.score._asdict(),
        "decisions": len(duel.decisions),
        "opponent": duel.names[BOT],
    }


def _cards(text: str) -> list[str]:
    """ "AhKd" as ["Ah", "Kd"]."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def _seat(duel: Duel, seat: int) -> dict[str, Any]:
    look = duel.look
    big_blind = int(look.here.big_blind)
    seen = seat == HERO or bool(look.showdown)
    return {
        "name": duel.names[seat],
        "cards": _cards(cards.text(look.hole[seat])) if seen else None,
        "made": _made(duel, seat) if seen else None,
        "stack": int(look.stacks[seat]) / big_blind,
        "bet": 0 if duel.over else int(look.bets[seat]) / big_blind,
        "button": int(look.button) == seat,
        "folded": bool(look.folded[seat]),
    }


def _made(duel: Duel, seat: int) -> str | None:
    """What the seat's hand is called with the open board; None before the flop."""
    if int(duel.look.street) == PREFLOP:
        return None
    return made_hand(duel.look.hole[seat], duel.look.board)


def _event(event: Event, big_blind: int) -> dict[str, Any]:
    return {
        "kind": event.kind,
        "who": WHO[event.seat],
        "text": event.text,
        "street": event.street,
        "board": _cards(event.board),
        "pot": event.pot / big_blind,
        "bets": [chips / big_blind for chips in event.bets],
        "stacks": [chips / big_blind for chips in event.stacks],
    }


def _result(duel: Duel) -> dict[str, Any] | None:
    found = duel.result
    if found is None:
        return None
    won, adjusted = found
    return {"won": won, "adjusted": adjusted, "text": duel.events[-1].text}
