"""What a network that plays is: a policy over a game's actions and the value of the seat to act.

Learners and players take any of them alike. Unless a network says otherwise its policy is the softmax of its logits, of
which those of actions that are not legal are -1e9, in training and in play.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

Array = jax.Array

ILLEGAL_LOGIT = -1e9


class Output(NamedTuple):
    """What a network says."""

    logits: Array  # [..., actions]
    value: Array  # [...] expected sum of the rewards to come of the seat to act, discounted


def same_table(state: Any) -> Any:
    """A table looked at as it is."""
    return state


def same_action(state: Any, action: Array) -> Array:
    """What goes with it."""
    return action


class Odds(NamedTuple):
    """What a policy has to say of an action."""

    log_probability: Array  # [n] of the action
    entropy: Array  # [n] of the policy there, in nats


def masked(logits: Array, legal: Array) -> Array:
    """``logits`` with those that are not ``legal`` at -1e9."""
    return jnp.where(legal, logits, ILLEGAL_LOGIT)


def log_softmax_of(output: Output, tables: Any) -> Array:
    """``[n, actions]``: log-probabilities of the softmax of the legal logits."""
    return jax.nn.log_softmax(masked(output.logits, tables.legal_action_mask))


def drawn_action(output: Output, tables: Any, key: Array) -> Array:
    """``[n]`` int32: drawn from the softmax of the legal logits."""
    return jax.random.categorical(key, log_softmax_of(output, tables)).astype(jnp.int32)


def action_odds(output: Output, tables: Any, action: Array) -> Odds:
    """Of an ``action`` ``[n]`` under the softmax of the legal logits."""
    log_probabilities = log_softmax_of(output, tables)
    chosen = jnp.take_along_axis(log_probabilities, action[:, None], axis=1)[:, 0]
    return Odds(chosen, -(jnp.exp(log_probabilities) * log_probabilities).sum(axis=1))


class PolicyNetwork(NamedTuple):
    """Pure functions. A network may look at a table in another order than it has; its answers are then read back.

    An action is a whole number: an id, as ``game.step`` takes it, or where ``chips`` says so an amount in chips, as
    hold'em's ``game.act`` takes it.
    """

    init: Callable[[Array], Any]  # key -> params of a network that has learned nothing
    said: Callable[[Any, Any, Any], Any]  # (params, game, tables [n] as looked at) -> output [n] with a value [n]
    look: Callable[[Any], Any] = same_table  # one table -> that table as the network looks at it
    answer: Callable[[Any, Array], Array] = same_action  # (one table, action of the table looked at) -> its action
    drawn: Callable[[Any, Any, Array], Array] = drawn_action  # (output [n], tables as looked at, key) -> actions [n]
    odds: Callable[[Any, Any, Array], Odds] = action_odds  # (output [n], tables as looked at, actions [n]) -> [n]
    chips: bool = False
    weighs_wins: bool = False  # it looks at the win probability that a deal carries
