"""What a network that plays is: a policy over a game's actions and the value of the seat to act.

Learners and players take any of them alike. Actions that are not legal get the logit -1e9 before the softmax, in
training and in play.
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


class PolicyNetwork(NamedTuple):
    """Pure functions. A network may look at a table in another order than it has; its answers are then read back."""

    init: Callable[[Array], Any]  # key -> params of a network that has learned nothing
    said: Callable[[Any, Any, Any], Output]  # (params, game, tables [n] as looked at) -> output [n]
    look: Callable[[Any], Any] = same_table  # one table -> that table as the network looks at it
    answer: Callable[[Any, Array], Array] = same_action  # (one table, action of the table looked at) -> its action


def masked(logits: Array, legal: Array) -> Array:
    """``logits`` with those that are not ``legal`` at -1e9."""
    return jnp.where(legal, logits, ILLEGAL_LOGIT)
