"""The compiled part of a game against one opponent: deals, steps and the opponent's answers, and what is to be seen.

All shapes are fixed, so that after ``warm_up`` nothing compiles any more, whatever happens at the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np

from jaxpoker.coach import PlayerModel
from jaxpoker.coach.rollouts import replayed
from jaxpoker.coach.wording import made_hand
from jaxpoker.games.bets import Spot
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem_table import BOARD_CARDS, FLOP, RIVER, TURN, State

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
    strengths: Numbers  # [2] at the showdown
    here: Spot
    to: Numbers  # [actions] chips of the menu's entries
    legal: Numbers  # [actions]


class Dealer:
    """One for all tables with the same opponent."""

    def __init__(self, game: Holdem, model: PlayerModel) -> None:
        self.game, self.model = game, model
        player = model.player

        def look(state: State) -> Look:
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
                state.deal.strength,
                game.spot(state),
                to,
                legal & ~state.terminated,
            )

        def deal(key: Array, button: Array) -> tuple[State, Look]:
            state = game.start(game.deal(key), button=button)
            return state, look(state)

        def act(state: State, to: Array) -> tuple[State, Look]:
            state = game.act(state, to)
            return state, look(state)

        def answer(params: Any, memory: Any, state: State, key: Array) -> tuple[Array, Any]:
            return player.act(params, memory, game, state, key)

        self._deal, self._act, self._answer = jax.jit(deal), jax.jit(act), jax.jit(answer)
        self._first_memory = jax.jit(player.init_memory)
        self.new_hand = jax.jit(player.new_hand)

    def first_memory(self) -> Any:
        """What the opponent remembers of somebody it has not met."""
        return self._first_memory(self.model.params)

    def deal(self, key: Array, button: int) -> tuple[State, Look]:
        state, look = self._deal(key, button)
        return state, jax.device_get(look)

    def act(self, state: State, to: int) -> tuple[State, Look]:
        """The table after the player to act went ``to`` chips."""
        state, look = self._act(state, to)
        return state, jax.device_get(look)

    def answer(self, memory: Any, state: State, key: Array) -> tuple[int, Any]:
        """Chips that the opponent, who is to act, goes to, and what it remembers."""
        to, memory = self._answer(self.model.params, memory, state, key)
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
