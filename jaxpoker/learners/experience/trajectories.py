"""Trajectories: what was seen, done and paid at many tables, and the advantage of each decision for its own seat.

Tables go on from segment to segment; where a game ends, another is dealt. A segment is T turns of N tables, one
decision each, whoever's turn it is. Rewards come at any turn and are booked for the seat that gets them: a decision is
paid all that its seat gets until that seat decides again, or the game ends. With V the value of a decision, r what it
is paid and V' the value of the seat's next decision in this game (0 if there is none), generalised advantages (Schulman
et al., 2016) go from decision to decision of one seat, and so does the discount:

    δ = r + γ V' - V,    A = δ + γ λ A',    return = A + V

λ = 1 gives the sum of discounted rewards: REINFORCE with a baseline. A segment breaks games off. The seat to act then
is given the value of its next decision; the last decision of each other seat is not learned from, for what it will be
paid is not known yet, and only lends its value to the one before.

States are kept as they are, some 300 bytes of small whole numbers. Who learns makes observations of them, a minibatch
at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker import core
from jaxpoker.learners.experience.sparring import SEATS, Sparring, Tables, choice_of
from jaxpoker.models.policy import PolicyNetwork

Array = jax.Array


class Decision(NamedTuple):
    """What was decided at each of a batch of tables."""

    action: Array  # [n] int32, of the table as the network looks at it
    log_probability: Array  # [n] of that action
    value: Array  # [n] of the seat to act
    learns: Array  # [n] bool: it is the learner's own decision, not an opponent's


class Trajectory(NamedTuple):
    """A segment, the earliest turn first."""

    state: Any  # [T, N, ...] as the network looks at it
    decision: Decision  # [T, N] each
    rewards: Array  # [T, N, seats] of the turn
    over: Array  # [T, N] bool: the game ended with it


class Advantages(NamedTuple):
    """Of every decision of a segment, see the module's docstring."""

    advantage: Array  # [T, N]
    returns: Array  # [T, N]
    complete: Array  # [T, N] bool: all that the decision was paid is known


Decide = Callable[[Any, Array], Decision]  # tables [n] as looked at, key -> decisions [n]


def decide(network: PolicyNetwork, output: Any, tables: Any, key: Array) -> Decision:
    """Actions drawn from the policy that the network's ``output`` is at ``tables`` ``[n]``; all are learned from."""
    action = network.drawn(output, tables, key)
    log_probability = network.odds(output, tables, action).log_probability
    return Decision(action, log_probability, output.value, jnp.ones(action.shape, jnp.bool_))


def by_network(network: PolicyNetwork, params: Any, game: core.Game) -> Decide:
    """Decides what the network with ``params`` draws; all of it is learned from."""

    def decide_all(tables: Any, key: Array) -> Decision:
        return decide(network, network.said(params, game, tables), tables, key)

    return decide_all


def collect(
    game: core.Game,
    network: PolicyNetwork,
    decide: Decide,
    tables: Any,
    key: Array,
    turns: int,
    start: Callable[[Any], Any] | None = None,
) -> tuple[Any, Trajectory]:
    """The tables ``[N]`` after so many ``turns``, and what happened. ``start`` is that of ``core.play_on``."""

    def turn(tables: Any, key: Array) -> tuple[Any, Trajectory]:
        decide_key, deal_key = jax.random.split(key)
        looked_at = jax.vmap(network.look)(tables)
        decision = decide(looked_at, decide_key)
        action = jax.vmap(network.answer)(tables, decision.action)
        step = game.act if network.chips else game.step
        after, rewards, over = core.play_on(game, tables, action, deal_key, start, step)
        return after, Trajectory(looked_at, decision, rewards, over)

    return jax.lax.scan(turn, tables, jax.random.split(key, turns))


def collect_sparring(
    sparring: Sparring,
    network: PolicyNetwork,
    decide: Decide,
    tables: Tables,
    params: tuple[Any, ...],
    key: Array,
    turns: int,
) -> tuple[Tables, Trajectory]:
    """As ``collect``, against opponents who have ``params``. Only the learner's seat is paid, and learned from."""
    hands = sparring.hands(key)

    def turn(tables: Tables, key: Array) -> tuple[Tables, Trajectory]:
        decide_key, turn_key = jax.random.split(key)
        looked_at = jax.vmap(network.look)(tables.state)
        decision = decide(looked_at, decide_key)
        action = jax.vmap(network.answer)(tables.state, decision.action)
        choice = action if network.chips else choice_of(sparring.game, tables.state, action)
        after, turn = sparring.turn(tables, choice, params, turn_key, hands)
        own = sparring.own_seats(len(choice))[:, None] == jnp.arange(SEATS, dtype=jnp.int32)
        rewards = jnp.where(own, turn.reward[:, None], 0.0)
        return after, Trajectory(looked_at, decision._replace(learns=turn.is_own), rewards, turn.over)

    return jax.lax.scan(turn, tables, jax.random.split(key, turns))


class _Ahead(NamedTuple):
    """What comes after a turn, seat by seat: ``[N, seats]`` each."""

    value: Array  # of the seat's next decision in this game, 0 if there is none
    advantage: Array  # of that decision
    paid: Array  # rewards from here to that decision
    known: Array  # bool: that decision, or the end of the game, is known


def advantages(trajectory: Trajectory, end: Any, end_value: Array, discount: float, trace: float) -> Advantages:
    """A segment's advantages by one pass from its end; ``discount`` is γ and ``trace`` λ.

    ``end`` ``[N]`` are the tables after the segment and ``end_value`` ``[N]`` the values of the seats to act there.
    """
    seats = jnp.arange(trajectory.rewards.shape[-1], dtype=jnp.int32)

    def turn(ahead: _Ahead, now: tuple[Array, Array, Array, Array]) -> tuple[_Ahead, Advantages]:
        actor, value, rewards, over = now
        mine = actor[:, None] == seats
        ends = over[:, None]
        ahead = _Ahead(
            jnp.where(ends, 0.0, ahead.value),
            jnp.where(ends, 0.0, ahead.advantage),
            jnp.where(ends, 0.0, ahead.paid) + rewards,
            ends | ahead.known,
        )

        def own(x: Array) -> Array:
            return jnp.where(mine, x, 0).sum(axis=1)

        complete = (mine & ahead.known).any(axis=1)
        surprise = own(ahead.paid) + discount * own(ahead.value) - value
        advantage = jnp.where(complete, surprise + discount * trace * own(ahead.advantage), 0.0)
        before = _Ahead(
            jnp.where(mine, value[:, None], ahead.value),
            jnp.where(mine, advantage[:, None], ahead.advantage),
            jnp.where(mine, 0.0, ahead.paid),
            mine | ahead.known,
        )
        return before, Advantages(advantage, advantage + value, complete)

    to_act = end.current_player[:, None] == seats
    nothing = jnp.zeros(to_act.shape, jnp.float32)
    ahead = _Ahead(jnp.where(to_act, end_value[:, None], 0.0), nothing, nothing, to_act)
    value = trajectory.decision.value
    turns = (trajectory.state.current_player, value, trajectory.rewards, trajectory.over)
    return jax.lax.scan(turn, ahead, turns, reverse=True)[1]
