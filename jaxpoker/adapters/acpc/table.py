"""A hand of hold'em as the ACPC's lines tell it, and the lines of a hand.

    MATCHSTATE:0:17:cr300c/cc/:AhKh|/Qh7h2c/3d
               |  |      |        |  the board
               |  |      |        hands by position, empty where hidden
               |  |      betting: f, c, and r with all chips put in during the hand
               |  number of the hand
               position of who is told: 0 is the first seat left of the button, the last one has it

Positions are seats here: the button is the last seat, so that heads-up position 0 has the big blind.
"""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards
from jaxpoker.errors import RunError
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.deal import BOARD_CARDS, Deal
from jaxpoker.games.holdem.table import State

Array = jax.Array

VERSION = "VERSION:2.0.0"
_LINE = re.compile(r"MATCHSTATE:(\d+):(\d+):([^:]*):([^:]*)")
_ACTION = re.compile(r"f|c|r(\d+)|/")


class ProtocolError(RunError):
    """A line that is not of the protocol, or an action that cannot be."""


class MatchState(NamedTuple):
    """One line, read."""

    position: int
    hand: int
    betting: str
    hole: tuple[str, ...]  # by position, "" where hidden
    board: str  # "Qh7h2c3d"


def read(line: str) -> MatchState:
    """The line of a dealer."""
    found = _LINE.fullmatch(line.strip())
    if found is None:
        raise ProtocolError(f"no line of the ACPC's protocol: {line.strip()!r}")
    hole, *board = found[4].split("/")
    return MatchState(int(found[1]), int(found[2]), found[3], tuple(hole.split("|")), "".join(board))


class Summary(NamedTuple):
    """What is asked of a state after every action, as one array."""

    player: int
    over: int
    illegal: int
    street: int
    showdown: int
    call_to: int  # chips "to" of a call or a check


class Hand:
    """A hand under way: a state of the game, and its betting as text."""

    def __init__(self, game: Holdem, deal: Any, stacks: Any = None) -> None:
        if game.ante:
            raise ProtocolError(f"ante = {game.ante}: the ACPC's games have none")
        self.game = game
        self.state, summary, chips = _first(game.without_stakes(), deal, *_stakes(game, stacks))
        self.betting = ""
        self._take(summary, chips)

    def _take(self, summary: Array, chips: Array) -> None:
        now = Summary(*np.asarray(summary).tolist())
        put_in, bets_now, stacks = np.asarray(chips).tolist()
        self.now, self.put_in, self.stacks = now, put_in, stacks
        self.before = [total - bet for total, bet in zip(put_in, bets_now, strict=True)]  # on earlier streets

    @property
    def over(self) -> bool:
        return bool(self.now.over)

    def act(self, to: int) -> str:
        """The player to act goes "to" so many chips; returns the protocol's word for it."""
        street, player = self.now.street, self.now.player
        before, calls = self.before[player], to == self.now.call_to
        self.state, summary, chips = _acted(self.state, to)
        self._take(summary, chips)
        if self.now.illegal:
            raise ProtocolError(f"position {player} cannot go to {to} chips after {self.betting!r}")
        word = "f" if to < 0 else "c" if calls else f"r{before + to}"
        self.betting += word + "/" * (self.now.street - street)
        return word

    def to_of(self, word: str) -> int:
        """The chips "to" that a word of the protocol stands for."""
        if word == "f":
            return bets.FOLD_CHIPS
        if word == "c":
            return self.now.call_to
        if not re.fullmatch(r"r\d+", word):
            raise ProtocolError(f"no action of the protocol: {word!r}; they are f, c and r with a number")
        return int(word[1:]) - self.before[self.now.player]

    def follow(self, betting: str) -> None:
        """Plays what ``betting`` has more than this hand."""
        if not betting.startswith(self.betting):
            raise ProtocolError(f"the betting {betting!r} does not go on from {self.betting!r}")
        while len(betting) > len(self.betting):
            found = _ACTION.match(betting, len(self.betting))
            if found is None or found[0] == "/":
                raise ProtocolError(f"{betting[len(self.betting) :]!r} after {self.betting!r} in {betting!r}")
            self.act(self.to_of(found[0]))
            if not betting.startswith(self.betting):
                raise ProtocolError(f"streets of {betting!r} do not end where the rules end them: {self.betting!r}")

    def line(self, position: int, number: int, hole: np.ndarray, board: np.ndarray) -> str:
        """What ``position`` is told: its hand and, at a showdown, those that are still in."""
        folded = np.asarray(self.state.folded) if self.now.showdown else None
        shown = [
            cards.text(hand) if seat == position or (folded is not None and not folded[seat]) else ""
            for seat, hand in enumerate(hole)
        ]
        streets = [cards.text(board[BOARD_CARDS[s - 1] : BOARD_CARDS[s]]) for s in range(1, self.now.street + 1)]
        return f"MATCHSTATE:{position}:{number}:{self.betting}:{'/'.join(['|'.join(shown), *streets])}"


def _stakes(game: Holdem, stacks: Any) -> tuple[np.ndarray, np.ndarray]:
    """Stacks, and the blinds."""
    chips = np.broadcast_to(np.asarray(game.stack if stacks is None else stacks, np.int32), (game.num_players,))
    return chips, np.array([game.small_blind, game.big_blind], np.int32)


def _summary(state: State) -> tuple[State, Array, Array]:
    here = state.game.facing(state)
    call_to = here.own_bet + here.to_call
    now = [state.current_player, state.terminated, state.illegal, state.street, state.showdown, call_to]  # Summary
    summary = jnp.stack([x.astype(jnp.int32) for x in now])
    return state, summary, jnp.stack([state.committed, state.bets, state.stacks])


@functools.partial(jax.jit, static_argnums=0)
def _first(game: Holdem, deal: Deal, stacks: Array, blinds: Array) -> tuple[State, Array, Array]:
    return _summary(game.start(deal, stacks, game.num_players - 1, blinds[0], blinds[1], 0))


@jax.jit
def _acted(state: State, to: Array | int) -> tuple[State, Array, Array]:
    return _summary(state.game.act(state, jnp.asarray(to, jnp.int32)))
