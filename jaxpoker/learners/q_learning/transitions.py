"""Transitions of a learner's seat: what it saw, did and was paid until it decided again or the game ended.

Others act in between. A decision therefore waits, with all that its seat is paid meanwhile, whoever's action pays it,
until

    the learner is to act again  next is what it sees then and what it may do; the discount is γ
    the game ends                there is no next; the discount is 0

Next is always the same seat's view, never that of whoever is to act. Games that are under way wait on from call to
call, so that no reward is lost where a segment of play ends. At every turn a table has at most one transition to give:
that of a game that ended is given at the next turn.

With n steps, a decision is paid what the seat's next n decisions are paid, discounted, and next is what it sees after
them:

    reward = r + γ r' + ... (n of them, fewer if the game ends),    discount = γⁿ, or 0 if the game ended

Where a segment of play ends sooner, so do the steps.
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


def blank(game: core.Game, floats: int | None = None) -> Transition:
    """A row of zeros of ``game``; the learner sees so many ``floats``, those of the game's observation when None."""
    seen = jnp.zeros(game.observation_size if floats is None else floats)
    legal = jnp.zeros(game.num_actions, jnp.bool_)
    return Transition(seen, jnp.zeros((), jnp.int32), jnp.zeros(()), seen, legal, jnp.zeros(()))


class Waiting(NamedTuple):
    """The learner's last decision at each table: ``[tables]`` each."""

    observation: Array  # [tables, floats]
    action: Array
    paid: Array  # since then
    open: Array  # bool: there is one that has not been given
    over: Array  # bool: its game has ended


def nobody_waits(game: core.Game, tables: int, floats: int | None = None) -> Waiting:
    """Before anybody has decided; ``floats`` as for ``blank``."""
    no = (jnp.zeros(tables, jnp.bool_) for _ in range(2))  # two buffers: both are donated
    seen = jnp.zeros((tables, game.observation_size if floats is None else floats))
    return Waiting(seen, jnp.zeros(tables, jnp.int32), jnp.zeros(tables), *no)


class SeatTurn(NamedTuple):
    """One turn of each table, from the learner's seat: ``[tables]``; the first three mean something where it acts."""

    observation: Array  # [tables, floats] what the learner saw
    legal: Array  # [tables, actions] what it could do
    action: Array  # int32
    is_own: Array  # bool: the learner was to act
    reward: Array  # the learner's, of the turn
    over: Array  # bool: the game ended with it


def after_turn(waiting: Waiting, turn: SeatTurn, gamma: float) -> tuple[Waiting, Transition, Array]:
    """What waits after a turn, the transitions that it gives ``[tables]``, and which of them are there.

    Games are told turn by turn; the next turn of a table after ``over`` is the first of a new game.
    """
    gives = waiting.open & (waiting.over | turn.is_own)
    given = Transition(
        observation=waiting.observation,
        action=waiting.action,
        reward=waiting.paid,
        next_observation=turn.observation,
        next_legal=turn.legal,
        discount=jnp.where(waiting.over, 0.0, gamma),
    )
    stays = waiting.open & ~gives
    now = Waiting(
        observation=jnp.where(turn.is_own[:, None], turn.observation, waiting.observation),
        action=jnp.where(turn.is_own, turn.action, waiting.action),
        paid=jnp.where(stays, waiting.paid, 0.0) + turn.reward,
        open=stays | turn.is_own,
        over=turn.over,
    )
    return now, given, gives


def n_step(given: Transition, gives: Array, steps: int) -> Transition:
    """Transitions over ``steps`` decisions, from those of one ``[turns, tables]``, which are there where ``gives``."""
    turns, tables = gives.shape

    def earlier(following: Array, turn: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        at, gives, discount = turn
        return jnp.where(gives, at, following), jnp.where(discount > 0, following, turns)

    last = jnp.full(tables, turns, jnp.int32)
    at = jnp.arange(turns, dtype=jnp.int32)
    # [turns, tables]: the turn that gives the same seat's next transition of the game, or turns if there is none.
    _, following = jax.lax.scan(earlier, last, (at, gives, given.discount), reverse=True)
    follows, following = following < turns, jnp.minimum(following, turns - 1)

    def of_turn(x: Array, turn: Array) -> Array:
        return jnp.take_along_axis(x, turn.reshape(*turn.shape, *[1] * (x.ndim - 2)), axis=0)

    def with_another(_: Array, so_far: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        reward, discount, ends = (of_turn(x, following) for x in so_far)
        return (
            jnp.where(follows, given.reward + given.discount * reward, given.reward),
            jnp.where(follows, given.discount * discount, given.discount),
            jnp.where(follows, ends, at[:, None]),
        )

    one = (given.reward, given.discount, jnp.broadcast_to(at[:, None], gives.shape))
    # ends: the turn whose next is the one after all steps.
    reward, discount, ends = jax.lax.fori_loop(0, steps - 1, with_another, one)
    return given._replace(
        reward=reward,
        discount=discount,
        next_observation=of_turn(given.next_observation, ends),
        next_legal=of_turn(given.next_legal, ends),
    )
