"""The compiled part of a game against one opponent: deals, steps and the opponent's answers, and what is to be seen.

All shapes are fixed, so that after ``warm_up`` nothing compiles any more, whatever happens at the table.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import ranges
from jaxpoker.aivat import by_equity
from jaxpoker.aivat.over_hands import Turn, averaged
from jaxpoker.cards import NO_CARD
from jaxpoker.coach import PlayerModel
from jaxpoker.coach.wording import made_hand
from jaxpoker.equity.by_hand import possible_hands, share_by_hand
from jaxpoker.games.bets import FOLD_CHIPS, Facing
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import BOARD_CARDS, FLOP, RIVER, TURN, State
from jaxpoker.players import Entrant, Player

Array = jax.Array
Numbers = Any  # an array of jax where the table is looked at, of NumPy afterwards

HERO, BOT = 0, 1  # seats; the button moves


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


@jax.jit
def _against_all(end: State) -> tuple[Array, Array]:
    """The hero's share of the pot against each hand ``[1326, 4]``, street by street, and ``[1326]`` bool: hands that
    the bot may hold, by the hero's cards and the open ones at the ``end`` of a hand.
    """
    hole, board = end.deal.hole[HERO], end.deal.board

    def share(opened: int) -> Array:
        return jax.lax.cond(
            (end.board != NO_CARD).sum() >= opened,
            lambda: share_by_hand(hole, board[:opened]),
            lambda: jnp.zeros(ranges.NUM_COMBOS),
        )

    shares = jnp.stack([share(int(opened)) for opened in BOARD_CARDS], axis=-1)  # 0 on streets that nobody saw
    return shares, possible_hands(jnp.concatenate([hole, end.board]))


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

    @property
    def tells(self) -> bool:
        """Whether the bot says how likely its actions are with every hand, which ``luck_aside`` needs."""
        return self.model.player.mixture is not None

    def luck_aside(self, turns: Sequence[Turn], end: State) -> float:
        """Big blinds that the hero won of a hand, by AIVAT: the luck of its cards, of the board and of the bot's
        mixed actions taken out.

        It is a mean over all hands that the bot might have held, by what it did. It depends on the hero's cards, on the
        open ones and on the actions, and not on the bot's hand.
        """
        shares, possible = _against_all(end)
        entrant = Entrant(self.model.player, self.model.params)
        return averaged(by_equity(), shares, self.game, entrant, BOT, jnp.asarray(ranges.COMBOS), possible, turns)

    def warm_up(self) -> None:
        """Compiles everything: a deal, the opponent's answer, and the words for hands on every street."""
        key = jax.random.key(0)
        state, _ = self.deal(key, BOT)
        memory = self.new_hand(self.first_memory())
        to, memory = self.answer(memory, state, key)
        after, _ = self.act(state, to)
        self.new_hand(memory)
        if self.tells:
            heros = Turn(self.deal(key, HERO)[0], np.int32(FOLD_CHIPS), memory)  # of the types that a game has
            self.luck_aside([Turn(state, np.int32(to), memory), heros], after)
        hole, board = np.arange(2), np.arange(2, 7)
        for street in (FLOP, TURN, RIVER):
            made_hand(hole, board[: BOARD_CARDS[street]])
