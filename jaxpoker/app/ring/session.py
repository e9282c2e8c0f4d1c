"""A person at a table of three to ten: whose turn it is, and what is seen.

    ring = Ring([dealer, ...], seed=0)        # one dealer for each opponent, seats 1 and up; the person has seat 0
    ring.act(2)                               # an entry of the menu; all others answer until the person is asked again
    ring.table()                              # plain values: nothing of others' cards before a showdown
    ring.next_hand()

Stacks are reset for every hand and the button moves on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from jaxpoker import cards
from jaxpoker.app.dealer import HERO, Dealer
from jaxpoker.app.opponents import named
from jaxpoker.coach.wording import label_at, made_hand
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import BOARD_CARDS, PREFLOP, STREETS
from jaxpoker.match import POSITIONS

FOR_MANY = ("tag", "lag", "calling machine", "scared limper", "hothead maniac", "random")  # at tables of any size


def dealers_of(names: str, players: int) -> list[Dealer]:
    """An opponent for each other seat: ``names`` with commas, from the first on again when there are fewer."""
    game = Holdem(num_players=players, menu="nine", stack=1000, small_blind=5, big_blind=10)
    opponents = [named(name) for name in names.split(",")]
    for one in opponents:
        if one.name not in FOR_MANY:
            raise ValueError(f"{one.title} plays heads-up: at a table of {players} sit {', '.join(FOR_MANY)}")
    models = [one.model(game) for one in opponents]
    return [Dealer(game, models[seat % len(models)]) for seat in range(players - 1)]


class Ring:
    """One session of one person against as many opponents as there are ``dealers``."""

    def __init__(self, dealers: Sequence[Dealer], seed: int) -> None:
        self.dealers = dict(enumerate(dealers, start=1))  # by seat
        self.game = dealers[0].game
        self.num_seats = len(dealers) + 1
        self.names = ("You", *(f"{dealer.model.name} {seat}" for seat, dealer in self.dealers.items()))
        self.hand, self.won = 0, 0.0
        self._key = jax.random.key(seed)
        self._memories = {seat: dealer.first_memory() for seat, dealer in self.dealers.items()}
        self.next_hand()

    @property
    def over(self) -> bool:
        return bool(self.look.over)

    def act(self, action: int) -> None:
        """The person takes menu entry ``action``, and the others answer until the person is asked again."""
        if self.over or not 0 <= action < len(self.look.legal) or not self.look.legal[action]:
            raise ValueError(f"action {action} is not legal here")
        self._move(int(self.look.to[action]))
        self._others_move()

    def next_hand(self) -> None:
        """A new hand, when there is none or the last one is over."""
        if self.hand and not self.over:
            raise ValueError(f"hand {self.hand} is not over: play it to its end first")
        self.hand += 1
        self.events: list[str] = []
        self.state, self.look = self.dealers[1].deal(self._next_key(), (self.hand - 1) % self.num_seats)
        self._memories = {seat: dealer.new_hand(self._memories[seat]) for seat, dealer in self.dealers.items()}
        self.events.append(f"Hand {self.hand}. {self.names[int(self.look.button)]}: the button")
        self._others_move()

    def table(self) -> dict[str, Any]:
        """The table as the person sees it; amounts in big blinds."""
        look, big_blind = self.look, int(self.look.here.big_blind)
        yours = not self.over and int(look.current_player) == HERO
        return {
            "hand": self.hand,
            "over": self.over,
            "street": STREETS[int(look.street)],
            "board": cards.text(look.board),
            "pot": int(look.pot) / big_blind,
            "seats": [self._seat(seat, big_blind) for seat in range(self.num_seats)],
            "actions": [
                {
                    "id": action,
                    "label": label_at(look.here, int(look.to[action])) if yours and look.legal[action] else None,
                    "legal": bool(yours and look.legal[action]),
                }
                for action in range(len(look.legal))
            ],
            "events": list(self.events),
            "won": self.won,
        }

    def _seat(self, seat: int, big_blind: int) -> dict[str, Any]:
        look = self.look
        folded = bool(look.folded[seat])
        seen = seat == HERO or (bool(look.showdown) and not folded)
        return {
            "name": self.names[seat],
            "position": POSITIONS[self.num_seats][(seat - int(look.button)) % self.num_seats],
            "cards": cards.text(look.hole[seat]) if seen else None,
            "made": made_hand(look.hole[seat], look.board) if seen and int(look.street) > PREFLOP else None,
            "stack": int(look.stacks[seat]) / big_blind,
            "bet": 0 if self.over else int(look.bets[seat]) / big_blind,
            "folded": folded,
        }

    def _next_key(self) -> jax.Array:
        self._key, key = jax.random.split(self._key)
        return key

    def _others_move(self) -> None:
        while not self.over and (seat := int(self.look.current_player)) != HERO:
            to, self._memories[seat] = self.dealers[seat].answer(self._memories[seat], self.state, self._next_key())
            self._move(to)
        if self.over:
            self._finish()

    def _move(self, to: int) -> None:
        before, seat = self.look, int(self.look.current_player)
        self.state, self.look = self.dealers[1].act(self.state, to)
        self.events.append(f"{self.names[seat]}: {label_at(before.here, to)}")
        last = STREETS.index("river") if self.look.showdown else int(self.look.street)
        for street in range(int(before.street) + 1, last + 1):
            new = cards.text(self.look.board[BOARD_CARDS[street - 1] : BOARD_CARDS[street]])
            self.events.append(f"{STREETS[street].capitalize()}: {new}")

    def _finish(self) -> None:
        look, big_blind = self.look, int(self.look.here.big_blind)
        if look.showdown:
            for seat in np.flatnonzero(~np.asarray(look.folded)).tolist():
                if seat != HERO:
                    self.events.append(f"{self.names[seat]} shows {cards.text(look.hole[seat])}")
        for seat, name in enumerate(self.names):
            won = (int(look.stacks[seat]) - int(self.game.stack)) / big_blind
            if won > 0:
                self.events.append(f"{name} win{'' if seat == HERO else 's'} {won:g} BB")
        self.won += (int(look.stacks[HERO]) - int(self.game.stack)) / big_blind
