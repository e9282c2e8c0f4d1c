"""The simple rule players: random, call, check-fold, min-raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker import core
from jaxpoker.games import bets
from jaxpoker.games.protocols import ChipGame
from jaxpoker.players.contract import Act, Player, Policy, from_policy, on_menu, regardless_of_cards

Array = jax.Array


def _uniform(params: Any, memory: Any, game: core.Game, state: Any) -> tuple[Array, Any]:
    mask = state.legal_action_mask.astype(jnp.float32)
    return mask / mask.sum(), memory


def random(game: core.Game) -> Player:
    """Any legal action of the game (of its menu, where choices are chips), each as likely."""
    player = from_policy("random", _uniform)
    return on_menu(player) if isinstance(game, ChipGame) else player


def _wants(chips: Callable[[bets.Facing], Array]) -> Act:
    """Goes "to" ``chips(facing)``, or as near to it as is legal."""

    def act(params: Any, memory: Any, game: ChipGame, state: Any, key: Array) -> tuple[Array, Any]:
        return game.nearest_legal(state, chips(game.facing(state))), memory

    return act


def _takes(action: int, game: ChipGame) -> Policy | None:
    """The menu's ``action``, or check/call where that is not legal; None on menus where nobody may check or call."""

    def policy(params: Any, memory: Any, game: ChipGame, state: Any) -> tuple[Array, Any]:
        choice = jnp.where(state.legal_action_mask[action], action, bets.CALL)
        return (jnp.arange(game.num_actions) == choice).astype(jnp.float32), memory

    return policy if game.bet_menu.may_call else None


def call(game: ChipGame) -> Player:
    """Checks or calls, always."""
    return regardless_of_cards(Player("call", _wants(lambda facing: facing.price), _takes(bets.CALL, game)))


def check_fold(game: ChipGame) -> Player:
    """Checks when that is free, else folds; the small blind too."""
    fold = _wants(lambda facing: jnp.full_like(facing.price, bets.FOLD_CHIPS))
    return regardless_of_cards(Player("check-fold", fold, _takes(bets.FOLD, game)))


def min_raise(game: ChipGame) -> Player:
    """Raises the minimum at every decision until it is all-in; calls where it may not raise; never folds."""
    return regardless_of_cards(Player("min-raise", _wants(lambda facing: facing.min_raise_to)))
