"""A table of three to ten in the terminal: seats with their positions, actions by number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console

from jaxpoker.app.dealer import HERO
from jaxpoker.app.ring.session import Ring
from jaxpoker.app.terminal import Leaves, card_text, read_action

HELP = """  A number takes that action; f folds, c checks or calls, a goes all-in.
  n (or an empty line) deals the next hand when one is over, ? shows this text, q leaves."""


def play(ring: Ring, console: Console, read: Callable[[str], str]) -> None:
    """The game in the terminal, until the person leaves (``Leaves``)."""
    console.print(HELP, highlight=False)
    told = (0, 0)  # hand, events
    while True:
        view = ring.table()
        if view["hand"] != told[0]:
            console.rule()
            told = (view["hand"], 0)
        for event in view["events"][told[1] :]:
            console.print(f"  {event}", highlight=False, markup=False)
        told = (view["hand"], len(view["events"]))
        if view["over"]:
            hands = "1 hand" if view["hand"] == 1 else f"{view['hand']} hands"
            console.print(f"  {hands}: {view['won']:+.1f} BB", highlight=False)
        else:
            _show(view, console)
        word = read("next hand> " if view["over"] else "> ").strip().lower()
        try:
            if word == "q":
                raise Leaves
            if word == "?":
                console.print(HELP, highlight=False)
            elif view["over"]:
                if word not in ("", "n"):
                    raise ValueError(f"{word!r} is not understood: n deals the next hand, q leaves")
                ring.next_hand()
            else:
                ring.act(read_action(word, view["actions"]))
        except ValueError as error:
            console.print(f"  {error}", style="yellow", highlight=False, markup=False)


def _show(view: dict[str, Any], console: Console) -> None:
    """Seats, own cards and what may be done."""
    for seat in view["seats"]:
        state = "folded" if seat["folded"] else f"bet {seat['bet']:g}" if seat["bet"] else ""
        console.print(f"  {seat['position']:>5}  {seat['name']:<24} {seat['stack']:6g} BB  {state}", highlight=False)
    you = view["seats"][HERO]
    made = f" ({you['made']})" if you["made"] else ""
    board = f"   board {card_text(_pairs(view['board']))}" if view["board"] else ""
    console.print(f"\n  [bold]You[/bold] {card_text(_pairs(you['cards']))}{made}{board}   pot {view['pot']:g} BB")
    legal = [action for action in view["actions"] if action["legal"]]
    console.print("  " + "   ".join(f"[bold]{one['id'] + 1}[/bold] {one['label']}" for one in legal), highlight=False)


def _pairs(text: str) -> list[str]:
    """ "AhKd" as ["Ah", "Kd"]."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]
