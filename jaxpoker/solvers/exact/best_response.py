"""Exact best responses, and how much a strategy loses to them.

A best response knows the other's strategy and takes at every information set the action with the highest
counterfactual value. With v(p) its value for player p against the other's strategy,

    exploitability = (v(0) + v(1)) / 2,    half of NashConv; 0 exactly in equilibrium,

in the game's unit: antes in Kuhn and Leduc, big blinds in hold'em. Strategies are tables ``[rows, actions]`` (see
``solvers/exact/exact_game.py``); ``solvers/exact/strategies.py`` makes one of any Player. All functions may be jitted
and vmapped over strategies; ``game`` is static.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers import sweep
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.sweep import PLAYERS, Quality

Array = jax.Array


class BestResponse(NamedTuple):
    """What a player can make of the other's strategy."""

    value: Array  # [] per game
    strategy: Array  # [rows, actions]: the given one with the player's rows replaced by its best response


@functools.partial(jax.jit, static_argnums=(0, 2))
def best_response(game: ExactGame, strategy: Array, player: int) -> BestResponse:
    """The best response of ``player`` to the other's rows of ``strategy``."""
    strategy = jnp.asarray(strategy)
    both = [game.part(p, strategy) for p in PLAYERS]
    value, both[player] = game.respond(player, None, both[1 - player])
    return BestResponse(value, game.table((both[0], both[1])))


def value(game: ExactGame, strategy: Array) -> Array:
    """``[]``: what seat 0 makes per game when both play ``strategy``."""
    return value_against(game, strategy, strategy, 0)


@functools.partial(jax.jit, static_argnums=(0, 3))
def value_against(game: ExactGame, strategy: Array, other: Array, player: int) -> Array:
    """``[]``: what ``player`` makes per game when it plays ``strategy`` and its opponent ``other``."""
    own, against = game.part(player, jnp.asarray(strategy)), game.part(1 - player, jnp.asarray(other))
    return game.values(player, None, own, against).value


@functools.partial(jax.jit, static_argnums=0)
def quality(game: ExactGame, strategy: Array) -> Quality:
    """Value and exploitability of ``strategy``."""
    strategy = jnp.asarray(strategy)
    return sweep.quality(game, None, (game.part(0, strategy), game.part(1, strategy)))


def exploitability(game: ExactGame, strategy: Array | np.ndarray) -> Array:
    """``[]``: half of NashConv of ``strategy`` ``[rows, actions]``, which is checked unless it is being traced."""
    if not isinstance(strategy, jax.core.Tracer):
        require_strategy(game, strategy)
    return quality(game, strategy).exploitability


def require_strategy(game: ExactGame, strategy: Array | np.ndarray) -> None:
    """``ValueError`` unless ``strategy`` has a distribution over the legal actions in each row."""
    table = np.asarray(strategy)
    if table.shape != (game.num_rows, game.num_actions):
        raise ValueError(
            f"a strategy of {game.game.name} is [{game.num_rows}, {game.num_actions}], information sets by actions, "
            f"not {list(table.shape)}"
        )
    legal = game.legal_rows()
    wrong = ~np.isfinite(table).all(axis=1) | (table < 0).any(axis=1) | (np.abs(table.sum(axis=1) - 1) > 1e-4)
    wrong |= (np.where(legal, 0, np.abs(table)) > 1e-6).any(axis=1)
    wrong &= legal.any(axis=1)  # a subgame does not come to all rows
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"row {row} of the strategy, {game.row_text(row)!r}, is {table[row].tolist()}: it should be probabilities "
            f"that sum to 1, 0 for what is not legal (legal are actions {np.nonzero(legal[row])[0].tolist()})"
        )
