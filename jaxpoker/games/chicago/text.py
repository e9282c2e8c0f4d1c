"""A table of Chicago in words, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxpoker import cards
from jaxpoker.games.chicago.reveals import HIGHER, SILENT, said
from jaxpoker.games.chicago.reveals import PASS as PASSES
from jaxpoker.games.chicago.table import DRAW_0, HAND, NOT_YET, NUM_DRAWS, TRICKS, TURN_DOWN, leaders

if TYPE_CHECKING:
    from jaxpoker.games.chicago.table import State

_PHASES = ("draw 0", "draw 1", "tricks")
_SUITS = dict(zip(cards.SUITS, "♣♦♥♠", strict=True))


def card_text(card: int) -> str:
    """``"A♠"``."""
    text = cards.text(card)
    return text[0].replace("T", "10") + _SUITS[text[1]]


def cards_text(ids: np.ndarray) -> str:
    return " ".join(card_text(int(card)) for card in np.asarray(ids).reshape(-1) if card >= 0)


def action_text(state: State, action: int) -> str:
    """An action of the player to act."""
    seat = int(state.current_player)
    hand = np.asarray(state.hands)[seat]
    if action >= NUM_DRAWS:
        return f"play {card_text(int(hand[action - NUM_DRAWS]))}"
    if bool(state.deciding[seat]):
        shown = card_text(int(state.shown[seat]))
        return f"turn {shown} down" if action == TURN_DOWN else f"keep {shown}"
    discards = hand[[action >> i & 1 == 1 for i in range(HAND)]]
    if not len(discards):
        return "stand pat"
    return f"discard {cards_text(discards)}" + (" and turn the new card down" if action >= TURN_DOWN else "")


def hidden_action_text(state: State, action: int) -> str:
    """An action of the player to act as the others see it: of discards only the number."""
    if action >= NUM_DRAWS or bool(state.deciding[int(state.current_player)]):
        return action_text(state, action)
    count = (action % TURN_DOWN).bit_count()
    if count == 0:
        return "stands pat"
    return f"discards {count}" + (" and turns the new card down" if action >= TURN_DOWN else "")


def _reveal_lines(state: State) -> list[str]:
    """One line for each component of the tie-break that was spoken about."""
    players, start = int(state.players), int(state.start)
    lines = []
    for words in np.asarray(said(state.reveals, players)).tolist():
        spoken = []
        for place, word in enumerate(words):
            if word != SILENT:
                says = {HIGHER: "higher", PASSES: "pass"}.get(word, str(word))
                spoken.append(f"seat {(start + place) % players} {says}")
        if spoken:
            lines.append(", ".join(spoken))
    return lines


def _seat_line(state: State, seat: int, player: int | None) -> str:
    """Score, cards, draws and announcement of a seat as ``player`` sees them."""
    hand = np.asarray(state.hands)[seat]
    shown_hand = cards_text(hand) if player in (None, seat) else " ".join("??" for card in hand if card >= 0)
    in_circle = int(state.last_scores[seat]) >= state.game.target
    marks = ("*" if seat == int(state.start) else "") + ("○" if in_circle else "")
    parts = [f"seat {seat}{marks:<2} {int(state.scores[seat]):>3} points", f"{shown_hand:<{4 * HAND - 1}}"]
    draws = np.asarray(state.draws)[:, seat].tolist()
    drawn = [str((draw % TURN_DOWN).bit_count()) for draw in draws if draw != NOT_YET]
    if drawn:
        parts.append(f"drew {', '.join(drawn)}")
    shown = int(state.shown[seat])
    if shown >= 0:
        decided = "turned down" if draws[1] >= TURN_DOWN else "to decide" if bool(state.deciding[seat]) else "kept"
        parts.append(f"{card_text(shown)} face up, {decided}")
    if int(state.phase) > DRAW_0:
        parts.append("announced" if bool(state.announced[seat]) else "passed")
    return "  ".join(parts).rstrip()


def table(state: State, player: int | None = None) -> str:
    """The whole table, or what ``player`` sees of it.

    round 2, tricks; * starts the round, ○ is in the circle
    seat 0    12 points  A♠ K♥ Q♦ 5♦          drew 2, 1  Q♦ face up, kept  announced
    seat 1*    7 points  ?? ?? ?? ??          drew 3, 0  passed
    trick 1: seat 1 9♦, seat 0 10♦
    seat 0 to act
    """
    phase, players = int(state.phase), int(state.players)
    head = f"round {int(state.round)}, {_PHASES[phase]}; * starts the round, ○ is in the circle"
    lines = [head, *(_seat_line(state, seat, player) for seat in range(players))]
    lines += [f"tie-break: {line}" for line in _reveal_lines(state)]
    played = np.asarray(state.table)
    led_by = np.asarray(leaders(state)).tolist()
    for trick in range(HAND if phase == TRICKS else 0):
        clockwise = [(led_by[trick] + place) % players for place in range(players)]
        in_trick = [
            f"seat {seat} {card_text(int(played[trick, seat]))}" for seat in clockwise if played[trick, seat] >= 0
        ]
        if in_trick:
            lines.append(f"trick {trick + 1}: {', '.join(in_trick)}")
    if bool(state.terminated):
        won = "by an illegal action" if bool(state.illegal) else f"seat {int(state.winner)} wins"
        lines.append(f"the game is over, {won}")
    elif bool(state.truncated):
        lines.append(f"the game is over after {int(state.round)} rounds, nobody wins")
    else:
        lines.append(f"seat {int(state.current_player)} to act")
    return "\n".join(lines)
