"""A person against an opponent, hand after hand: whose turn it is, what may be done, and how it went.

    duel = Duel(dealer, key)
    duel.act(hand=1, turn=0, action=6)        # the person's; the opponent answers at once
    duel.next_hand(hand=1)

Stacks are reset for every hand and the button moves. Every request names the hand and the turn that it is about; one
that is late, doubled, out of turn or not legal is a ``Refusal`` and changes nothing. They are dealt with one by one.

Luck: the score is told by AIVAT, too (``jaxpoker.aivat``), when the opponent tells how likely its actions are. The luck
of the person's cards, of the board and of the opponent's mixed actions is taken out, and the mean stays: it is as true
in the long run and steadier in the short. It is a mean over all hands that the opponent might have held, so it says
nothing of a hand that was not shown.
"""

from __future__ import annotations

import collections
import contextlib
import threading
from collections.abc import Iterator
from typing import NamedTuple

import jax
import numpy as np

from jaxpoker import cards
from jaxpoker.aivat.over_hands import Turn
from jaxpoker.app.dealer import BOT, HERO, Dealer, Look
from jaxpoker.app.hand_history import HandRecord
from jaxpoker.coach.wording import label_at
from jaxpoker.games.holdem.histories import UNKNOWN
from jaxpoker.games.holdem.table import BOARD_CARDS, STREETS, State

Array = jax.Array

HANDS_KEPT = 1_000  # finished hands of a session that are kept for download


class Refusal(Exception):
    """Something that cannot be done; ``status`` is what HTTP calls it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Event(NamedTuple):
    """Something that happened at the table, and how the table looked after it. Chips are chips."""

    kind: str  # "hand", "action", "street", "showdown" or "result"
    seat: int | None
    text: str
    street: str
    board: str
    pot: int
    bets: tuple[int, int]
    stacks: tuple[int, int]


class Decision(NamedTuple):
    """A decision of the person and what came of it, for a review."""

    state: State
    action: int  # id


class Score(NamedTuple):
    """The session so far, in big blinds."""

    hands: int
    won: float
    adjusted: float | None  # by AIVAT; None where the opponent does not tell how it plays
    adjusted_error: float | None  # the standard error of ``adjusted``, from two hands on


class Duel:
    """One session of one person."""

    def __init__(self, dealer: Dealer, key: Array, names: tuple[str, str] = ("You", "Bot")) -> None:
        self.dealer, self.names = dealer, names
        self.lock = threading.RLock()
        self.history: collections.deque[HandRecord] = collections.deque(maxlen=HANDS_KEPT)
        self.hand = 0
        self._key, self._memory = key, dealer.first_memory()
        self._results: list[tuple[float, float | None]] = []  # what the person won, and by AIVAT
        self._deal()

    # --- what is asked ------------------------------------------------------------------------

    def act(self, hand: int, turn: int, action: int) -> None:
        """The person takes menu entry ``action``, and the opponent answers until the person is asked again."""
        with self.lock, self._whole_or_not_at_all():
            self.require_turn(hand, turn)
            if not 0 <= action < len(self.look.legal) or not self.look.legal[action]:
                legal = ", ".join(map(str, np.flatnonzero(self.look.legal).tolist()))
                raise Refusal(422, f"action {action} is not legal here: legal are {legal}")
            self.decisions.append(Decision(self.state, action))
            self._move(HERO, int(self.look.to[action]))
            self._bot_moves()

    def next_hand(self, hand: int) -> None:
        """The hand after ``hand``, which must be over."""
        with self.lock, self._whole_or_not_at_all():
            self.require_hand(hand)
            if not self.over:
                raise Refusal(409, f"hand {hand} is not over: play it to its end first")
            self._deal()

    def require_hand(self, hand: int) -> None:
        if hand != self.hand:
            raise Refusal(409, f"hand {hand} is not the one being played: that is hand {self.hand}")

    def require_turn(self, hand: int, turn: int) -> None:
        """A decision of the person that is being waited for."""
        self.require_hand(hand)
        if self.over:
            raise Refusal(409, f"hand {hand} is over: ask for the next one")
        if turn != int(self.look.turn):
            raise Refusal(409, f"turn {turn} of hand {hand} is past or to come: it is turn {int(self.look.turn)}")
        if int(self.look.current_player) != HERO:
            raise Refusal(409, f"it is not your turn in hand {hand}")

    @property
    def played(self) -> bool:
        """Whether the person has acted at all."""
        return self.hand > 1 or bool(self.decisions)

    @property
    def over(self) -> bool:
        return bool(self.look.over)

    @property
    def score(self) -> Score:
        """Of the hands that are over."""
        count, won = len(self._results), sum(won for won, _ in self._results)
        if not self.dealer.tells:
            return Score(count, won, None, None)
        adjusted = [aside for _, aside in self._results if aside is not None]
        error = float(np.std(adjusted, ddof=1) * np.sqrt(count)) if count > 1 else None
        return Score(count, won, sum(adjusted), error)

    # --- the hand -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def _whole_or_not_at_all(self) -> Iterator[None]:
        """Whatever goes wrong inside, the session is as it was before."""
        before = {
            name: value.copy() if isinstance(value, list | collections.deque) else value
            for name, value in vars(self).items()
        }
        try:
            yield
        except BaseException:
            vars(self).update(before)
            raise

    def _next_key(self) -> Array:
        self._key, key = jax.random.split(self._key)
        return key

    def _deal(self) -> None:
        self.hand += 1
        button = HERO if self.hand % 2 else BOT
        self.state, self.look = self.dealer.deal(self._next_key(), button)
        self._memory = self.dealer.new_hand(self._memory)
        self.events: list[Event] = []
        self.decisions: list[Decision] = []
        self._actions: list[tuple[int, int, int]] = []
        self._calls: list[bool] = []
        self._turns: list[Turn] = []
        who = "You have" if button == HERO else f"{self.names[BOT]} has"
        self._say("hand", None, f"Hand {self.hand}. {who} the button.", self.look)
        self._bot_moves()

    def _bot_moves(self) -> None:
        while not self.over and int(self.look.current_player) == BOT:
            to, self._memory = self.dealer.answer(self._memory, self.state, self._next_key())
            self._move(BOT, to)
        if self.over:
            self._finish()

    def _move(self, seat: int, to: int) -> None:
        before = self.look
        self._turns.append(Turn(self.state, np.int32(to), self._memory))
        self._actions.append((int(before.street), seat, to))
        self._calls.append(to <= int(before.here.price))
        self.state, self.look = self.dealer.act(self.state, to)
        label = label_at(before.here, to)
        # Chips of the street are still in front of the seats when the action is told.
        bets, stacks = before.bets.copy(), before.stacks.copy()
        if to >= 0:
            paid = min(to, int(before.here.own_bet + before.here.stack)) - int(before.here.own_bet)
            bets[seat] += paid
            stacks[seat] -= paid
        told = before._replace(bets=bets, stacks=stacks, pot=before.pot + (bets.sum() - before.bets.sum()))
        self._say("action", seat, label, told)
        last = 3 if self.look.showdown else int(self.look.street)
        for street in range(int(before.street) + 1, last + 1):
            opened = self.look.board.copy()
            opened[BOARD_CARDS[street] :] = cards.NO_CARD
            streets = told._replace(street=np.asarray(street), board=opened, bets=np.zeros_like(bets))
            new = cards.text(opened[BOARD_CARDS[street - 1] : BOARD_CARDS[street]])
            self._say("street", None, f"{STREETS[street].capitalize()}: {new}", streets)

    def _finish(self) -> None:
        look, big_blind = self.look, int(self.look.here.big_blind)
        start = int(self.dealer.game.stack)
        won = (int(look.stacks[HERO]) - start) / big_blind
        aside = self.dealer.luck_aside(self._turns, self.state) if self.dealer.tells else None
        self._results.append((won, aside))
        shown = bool(look.showdown)
        if shown:
            self._say("showdown", None, f"{self.names[BOT]} shows {cards.text(look.hole[BOT])}", look)
        self._say("result", None, _result_text(won, self.names[BOT]), look)
        starting = (start, start)
        blinds = (self.dealer.game.small_blind, self.dealer.game.big_blind)
        hole = (cards.text(look.hole[HERO]), cards.text(look.hole[BOT]) if shown else UNKNOWN)
        self.history.append(
            HandRecord(
                self.hand,
                self.names,
                int(look.button),
                starting,
                blinds,
                hole,
                tuple(self._actions),
                tuple(self._calls),
                cards.text(look.board),
                shown,
                (int(look.stacks[HERO]), int(look.stacks[BOT])),
            )
        )

    def _say(self, kind: str, seat: int | None, text: str, look: Look) -> None:
        bets, stacks = (tuple(map(int, chips)) for chips in (look.bets, look.stacks))
        street, board = STREETS[int(look.street)], cards.text(look.board)
        self.events.append(Event(kind, seat, text, street, board, int(look.pot), bets, stacks))  # type: ignore[arg-type]

    @property
    def result(self) -> tuple[float, float | None] | None:
        """Of the hand that is over: what the person won, and that by AIVAT, in big blinds."""
        return self._results[-1] if self.over else None


def _result_text(won: float, bot: str) -> str:
    if won == 0:
        return "The pot is split."
    return f"You win {won:g} BB." if won > 0 else f"{bot} wins {-won:g} BB."
