"""Exact best responses, and how much a strategy loses to them.

A best response knows the strategies of all others and takes at every information set the action with the highest
counterfactual value. With v(p) its value for player p, and u(p) what p's own strategy makes,

    NashConv = sum over players p of v(p) - u(p);    0 exactly in equilibrium,
    exploitability = (v(0) + v(1)) / 2               for two players half of it,

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
from jaxpoker.solvers.sweep import Quality, TableGame, others_of

Array = jax.Array


class BestResponse(NamedTuple):
    """What a player can make of the others' strategies."""

    value: Array  # [] per game
    strategy: Array  # [rows, actions]: the given one with the player's rows replaced by its best response


class NashConv(NamedTuple):
    """What each seat makes, and could make; S seats."""

    values: Array  # [S] when all play the strategy
    best: Array  # [S] of a best response, while all others play it
    gains: Array  # [S] best - values: what a seat gains by its best response
    total: Array  # []: NashConv, the sum of them


@functools.partial(jax.jit, static_argnums=(0, 2))
def best_response(game: TableGame, strategy: Array, player: int) -> BestResponse:
    """The best response of ``player`` to the others' rows of ``strategy``."""
    strategy = jnp.asarray(strategy)
    parts = [game.part(p, strategy) for p in range(game.num_seats)]
    value, parts[player] = game.respond(player, None, others_of(player, parts))
    return BestResponse(value, game.table(tuple(parts)))


def nash_conv(game: TableGame, strategy: Array) -> NashConv:
    """What each seat makes by ``strategy`` ``[rows, actions]``, and gains by its exact best response."""
    strategy = jnp.asarray(strategy)
    found = [_with_best(game, strategy, p) for p in range(game.num_seats)]
    values, best = (jnp.stack(each) for each in zip(*found, strict=True))
    return NashConv(values, best, best - values, (best - values).sum())


@functools.partial(jax.jit, static_argnums=(0, 2))
def _with_best(game: TableGame, strategy: Array, player: int) -> tuple[Array, Array]:
    """What ``player`` makes by its own rows, and by a best response."""
    parts = [game.part(p, strategy) for p in range(game.num_seats)]
    others = others_of(player, parts)
    return game.values(player, None, parts[player], others).value, game.respond(player, None, others).value


def figures(game: TableGame, strategy: Array) -> dict[str, Array]:
    """How good ``strategy`` is, for reports: exploitability and value of two players; of more, NashConv and what each
    seat makes.
    """
    if game.num_seats == 2:
        found = quality(game, strategy)
        return {"exploitability": found.exploitability, "value": found.value}
    measured = nash_conv(game, strategy)
    seats = {f"value_seat_{seat}": measured.values[seat] for seat in range(game.num_seats)}
    return {"nash_conv": measured.total, **seats}


def value(game: TableGame, strategy: Array) -> Array:
    """``[]``: what seat 0 makes per game when all play ``strategy``."""
    return value_against(game, strategy, strategy, 0)


@functools.partial(jax.jit, static_argnums=(0, 3))
def value_against(game: TableGame, strategy: Array, other: Array, player: int) -> Array:
    """``[]``: what ``player`` makes per game when it plays ``strategy`` and all opponents ``other``."""
    own, against = jnp.asarray(strategy), jnp.asarray(other)
    parts = [game.part(p, own if p == player else against) for p in range(game.num_seats)]
    return game.values(player, None, parts[player], others_of(player, parts)).value


@functools.partial(jax.jit, static_argnums=0)
def quality(game: TableGame, strategy: Array) -> Quality:
    """Value and exploitability of ``strategy``, for two players; ``nash_conv`` is for more."""
    game.require_two_players("exploitability")
    strategy = jnp.asarray(strategy)
    return sweep.quality(game, None, (game.part(0, strategy), game.part(1, strategy)))


def exploitability(game: TableGame, strategy: Array | np.ndarray) -> Array:
    """``[]``: half of NashConv of ``strategy`` ``[rows, actions]``, which is checked unless it is being traced."""
    if not isinstance(strategy, jax.core.Tracer):
        require_strategy(game, strategy)
    return quality(game, strategy).exploitability


def require_strategy(game: TableGame, strategy: Array | np.ndarray) -> None:
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
