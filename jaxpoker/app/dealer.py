"""The compiled part of a game against one opponent: deals, steps and the opponent's answers, and what is to be seen.

All shapes are fixed, so that after ``warm_up`` nothing compiles any more, whatever happens at the table.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxpoker.coach import PlayerModel
from jaxpoker.coach.rollouts import replayed
from jaxpoker.coach.wording import made_hand
from jaxpoker.games.bets import Facing
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import BOARD_CARDS, FLOP, RIVER, TURN, State
from jaxpoker.players import Player

Array = jax.Array
Numbers = Any  # an array of jax where the table is looked at, of NumPy afterwards

HERO, BOT = 0, 1  # seats; the button moves
REPLAYS = 16  # of a deal by the bot in both seats


class Look(NamedTuple):
    """A table as plain arrays; the dealer sees all cards, ``views`` decides who else does."""

    current_player: Numbers
    over: Numbers  # bool
    showdown: Numbers  # bool
    street: Numbers
    button: Numbers
    turn: Numbers  # actions of the hand so far
    pot: Numbers  # all chips put in
    bets: Numbers  # [2]
    stacks: Numbers  # [2]
    folded: Numbers  # [2]
    hole: Numbers  # [2, 2]
    board: Numbers  # [5] face up, NO_CARD where none
    here: Facing
    to: Numbers  # [actions] chips of the menu's entries
    legal: Numbers  # [actions]


@functools.partial(jax.jit, static_argnums=0)
def _look(game: Holdem, state: State) -> Look:
    to, legal = game.choices(state)
    return Look(
        state.current_player,
        state.terminated,
        state.showdown,
        state.street,
        state.button,
        state.num_acted,
        state.pot,
        state.bets,
        state.stacks,
        state.folded,
        state.hole,
        state.board,
        game.facing(state),
        to,
        legal & ~state.terminated,
    )


@functools.partial(jax.jit, static_argnums=0)
def _deal(game: Holdem, key: Array, button: Array) -> tuple[State, Look]:
    state = game.start(game.deal(key), button=button)
    return state, _look(game, state)


@functools.partial(jax.jit, static_argnums=0)
def _act(game: Holdem, state: State, to: Array) -> tuple[State, Look]:
    state = game.act(state, to)
    return state, _look(game, state)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _answer(game: Holdem, player: Player, params: Any, memory: Any, state: State, key: Array) -> tuple[Array, Any]:
    return player.act(params, memory, game, state, key)


@functools.partial(jax.jit, static_argnums=0)
def _first_memory(player: Player, params: Any) -> Any:
    return player.init_memory(params)


@functools.partial(jax.jit, static_argnums=0)
def _new_hand(player: Player, memory: Any) -> Any:
    return player.new_hand(memory)


class Dealer:
    """One for all tables with the same opponent."""

    def __init__(self, game: Holdem, model: PlayerModel) -> None:
        self.game, self.model = game, model

    def first_memory(self) -> Any:
        """What the opponent remembers of somebody it has not met."""
        return _first_memory(self.model.player, self.model.params)

    def new_hand(self, memory: Any) -> Any:
        """What it remembers at the start of a hand."""
        return _new_hand(self.model.player, memory)

    def deal(self, key: Array, button: int) -> tuple[State, Look]:
        state, look = _deal(self.game, key, button)
        return state, jax.device_get(look)

    def act(self, state: State, to: int) -> tuple[State, Look]:
        """The table after the player to act went ``to`` chips."""
        state, look = _act(self.game, state, to)
        return state, jax.device_get(look)

    def answer(self, memory: Any, state: State, key: Array) -> tuple[int, Any]:
        """Chips that the opponent, who is to act, goes to, and what it remembers."""
        to, memory = _answer(self.game, self.model.player, self.model.params, memory, state, key)
        return int(to), memory

    def bots_result(self, first: State, key: Array) -> float:
        """Big blinds that the bot makes in the hero's seat of this deal, against itself, in the mean."""
        return float(np.mean(replayed(self.game, self.model, first, HERO, key, REPLAYS)))

    def warm_up(self) -> None:
        """Compiles everything: a deal, the opponent's answer, and the words for hands on every street."""
        key = jax.random.key(0)
        state, _ = self.deal(key, BOT)
        memory = self.new_hand(self.first_memory())
        to, memory = self.answer(memory, state, key)
        self.act(state, to)
        self.new_hand(memory)
        self.bots_result(state, key)
        hole, board = np.arange(2), np.arange(2, 7)
        for street in (FLOP, TURN, RIVER):
            made_hand(hole, board[: BOARD_CARDS[street]])
