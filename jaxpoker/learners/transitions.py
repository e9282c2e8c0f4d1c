"""Transitions of one seat: what it saw, did and was paid until it decided again or the game ended.

Others act in between. A decision therefore waits, with all that its seat is paid meanwhile, whoever's action pays it,
until

    the seat is to act again     next is what that seat sees then and what it may do; the discount is γ
    the game ends                there is no next; the discount is 0

Next is always the same seat's view, never that of whoever is to act. Games that are under way wait on from call to
call, so that no reward is lost where a segment of play ends. At every turn of a table each seat has at most one
transition to give: those of a game that ended are given at the next turn.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker import core

Array = jax.Array


class Transition(NamedTuple):
    """One row of experience."""

    observation: Array  # [floats] float32
    action: Array  # [] int32
    reward: Array  # [] float32
    next_observation: Array  # [floats] of the same seat; without meaning where the discount is 0
    next_legal: Array  # [actions] bool
    discount: Array  # [] float32: γ, or 0 at the end of a game


class Waiting(NamedTuple):
    """Every seat's last decision: ``[tables, seats]`` each."""

    observation: Array  # [tables, seats, floats]
    action: Array
    paid: Array  # since then
    open: Array  # bool: there is one that has not been given
    over: Array  # bool: its game has ended


def nobody_waits(game: core.Game, tables: int) -> Waiting:
    """Before anybody has decided."""
    shape = (tables, game.num_players)
    return Waiting(
        jnp.zeros((*shape, game.observation_size)),
        jnp.zeros(shape, jnp.int32),
        jnp.zeros(shape),
        jnp.zeros(shape, jnp.bool_),
        jnp.zeros(shape, jnp.bool_),
    )


class Turn(NamedTuple):
    """One turn of each table: ``[tables]``, the seats' rewards ``[tables, seats]``."""

    observation: Array  # [tables, floats] what the seat to act saw
    legal: Array  # [tables, actions] what it could do
    seat: Array  # int32, the one to act
    action: Array
    learns: Array  # bool: the decision is one to learn from
    rewards: Array  # [tables, seats] of the turn
    over: Array  # bool: the game ended with it


def after_turn(waiting: Waiting, turn: Turn, gamma: float) -> tuple[Waiting, Transition, Array]:
    """What waits after a turn, the transitions that it gives ``[tables, seats]``, and which of them are there.

    Games are told turn by turn; the next turn of a table after ``over`` is the first of a new game.
    """
    seats = jnp.arange(waiting.open.shape[1], dtype=jnp.int32)
    acts = turn.seat[:, None] == seats
    gives = waiting.open & (waiting.over | acts)
    shape = waiting.open.shape
    given = Transition(
        observation=waiting.observation,
        action=waiting.action,
        reward=waiting.paid,
        next_observation=jnp.broadcast_to(turn.observation[:, None], waiting.observation.shape),
        next_legal=jnp.broadcast_to(turn.legal[:, None], (*shape, turn.legal.shape[-1])),
        discount=jnp.where(waiting.over, 0.0, gamma),
    )
    stays = waiting.open & ~gives
    now = Waiting(
        observation=jnp.where(acts[..., None], turn.observation[:, None], waiting.observation),
        action=jnp.where(acts, turn.action[:, None], waiting.action),
        paid=jnp.where(stays, waiting.paid, 0.0) + turn.rewards,
        open=stays | (acts & turn.learns[:, None]),
        over=jnp.broadcast_to(turn.over[:, None], shape),
    )
    return now, given, gives
