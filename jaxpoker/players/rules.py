"""The simple rule players: random, call, check-fold, min-raise."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker import core
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.players.contract import Player, from_policy, on_menu

Array = jax.Array


def _uniform(params: Any, memory: Any, game: core.Game, state: Any) -> tuple[Array, Any]:
    mask = state.legal_action_mask.astype(jnp.float32)
    return mask / mask.sum(), memory


def random(game: core.Game) -> Player:
    """Any legal action of the game (in hold'em: of its menu), each as likely."""
    player = from_policy("random", _uniform)
    return on_menu(player) if isinstance(game, Holdem) else player


def _holdem_rule(name: str, wanted: Any, action_id: int | None) -> Player:
    """A hold'em player that wants to go "to" ``wanted(spot)`` chips, as near as is legal; one menu id or none."""

    def act(params: Any, memory: Any, game: Holdem, state: Any, key: Array) -> tuple[Array, Any]:
        return game.nearest_legal(state, wanted(game.spot(state))), memory

    def policy(params: Any, memory: Any, game: Holdem, state: Any) -> tuple[Array, Any]:
        legal = state.legal_action_mask
        choice = jnp.where(legal[action_id], action_id, bets.CALL)
        return (jnp.arange(game.num_actions) == choice).astype(jnp.float32), memory

    return Player(name, act, policy if action_id is not None else None)


def call(game: core.Game) -> Player:
    """Checks or calls, always."""
    return _holdem_rule("call", lambda spot: spot.price, bets.CALL)


def check_fold(game: core.Game) -> Player:
    """Checks when that is free, else folds; the small blind too."""
    return _holdem_rule("check-fold", lambda spot: jnp.full_like(spot.price, bets.FOLD_CHIPS), bets.FOLD)


def min_raise(game: core.Game) -> Player:
    """Raises the minimum at every decision until it is all-in; calls where it may not raise; never folds."""
    return _holdem_rule("min-raise", lambda spot: spot.min_raise_to, None)
