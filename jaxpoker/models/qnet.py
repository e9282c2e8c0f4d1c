"""QNet: the value of every action, observation -> 256 -> 256 -> 256 -> actions, ReLU after each hidden layer.

Heads-up hold'em with its nine actions has 200 floats (``games/holdem/view.py``) and 9 values. Options:

    dueling     Q = V + A - mean of A over all actions, V and A two heads (Wang et al., 2016)
    layer_norm  each hidden layer's sums are normalised before the ReLU (Ba et al., 2016)
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from jaxpoker import core
from jaxpoker.models.modules import functions_of
from jaxpoker.models.policy import masked

Array = jax.Array

HIDDEN_UNITS = 256
HIDDEN_LAYERS = 3


class QNet(nnx.Module):
    """The network."""

    def __init__(
        self, observation_size: int, num_actions: int, rngs: nnx.Rngs, dueling: bool = False, layer_norm: bool = False
    ) -> None:
        sizes = [observation_size, *[HIDDEN_UNITS] * HIDDEN_LAYERS]
        self.hidden = nnx.List([nnx.Linear(a, b, rngs=rngs) for a, b in itertools.pairwise(sizes)])
        self.norms = nnx.List([nnx.LayerNorm(HIDDEN_UNITS, rngs=rngs) for _ in self.hidden]) if layer_norm else None
        self.actions = nnx.Linear(HIDDEN_UNITS, num_actions, rngs=rngs)
        self.value = nnx.Linear(HIDDEN_UNITS, 1, rngs=rngs) if dueling else None

    def __call__(self, observation: Array) -> Array:
        """``[..., actions]`` of observations ``[..., observation_size]``."""
        x = observation
        for i, layer in enumerate(self.hidden):
            x = layer(x)
            if self.norms is not None:
                x = self.norms[i](x)
            x = jax.nn.relu(x)
        actions = self.actions(x)
        if self.value is None:
            return actions
        return self.value(x) + actions - actions.mean(axis=-1, keepdims=True)


def observed(game: core.Game, state: Any, seat: Array) -> Array:
    """The game's own observation."""
    return game.observe(state, seat)


class QNetwork(NamedTuple):
    """Pure functions, as learners and players take them."""

    init: Callable[[Array], Any]  # key -> params of a network that has learned nothing
    values: Callable[[Any, Array], Array]  # (params, observations [..., floats]) -> values [..., actions]
    see: Callable[[Any, Any, Array], Array] = observed  # (game, state, seat) of one table -> what it sees [floats]
    floats: int | None = None  # that it sees; None: as many as the game's observation has
    weighs_wins: bool = False  # it looks at the win probability that a deal carries


def greedy(values: Array, legal: Array) -> Array:
    """``[...]`` int32: the legal action of the largest of ``values`` ``[..., actions]``."""
    return jnp.argmax(masked(values, legal), axis=-1).astype(jnp.int32)


@functools.cache
def network(game: core.Game, dueling: bool = False, layer_norm: bool = False) -> QNetwork:
    """The network for ``game``."""
    init, of = functions_of(lambda rngs: QNet(game.observation_size, game.num_actions, rngs, dueling, layer_norm))
    return QNetwork(init, lambda params, observation: of(params)(observation))
