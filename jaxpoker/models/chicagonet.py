"""ChicagoNet: one network for Chicago with 2 to 6 players, 4,087 -> 256 -> 256 -> heads of 64, 5 and 1.

    discards   64 logits of the draws
    tricks      5 logits of the cards to play
    value       1 expected sum of the player's rewards to come, discounted

Of an observation's 4,087 floats some forty are not zero. ``from_entries`` takes those alone (``chicago_view.entries``):
its first layer sums the rows of the kernel at their places, times their values, instead of multiplying by all rows.
It is for acting: its loop has as many turns as the fullest observation has entries, and no derivative in reverse.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jaxpoker.games.chicago_table import HAND, NUM_DRAWS
from jaxpoker.games.chicago_view import OBSERVATION_SIZE, Entries

Array = jax.Array

HIDDEN_UNITS = 256
NUM_PARAMETERS = 1_130_310
ILLEGAL_LOGIT = -1e9


class Output(NamedTuple):
    """What the network says."""

    logits: Array  # [..., 69] of the game's actions, draws first
    value: Array  # [...]


class ChicagoNet(nnx.Module):
    """The network; ReLU after both hidden layers."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.first = nnx.Linear(OBSERVATION_SIZE, HIDDEN_UNITS, rngs=rngs)
        self.second = nnx.Linear(HIDDEN_UNITS, HIDDEN_UNITS, rngs=rngs)
        self.discards = nnx.Linear(HIDDEN_UNITS, NUM_DRAWS, rngs=rngs)
        self.tricks = nnx.Linear(HIDDEN_UNITS, HAND, rngs=rngs)
        self.value = nnx.Linear(HIDDEN_UNITS, 1, rngs=rngs)

    def __call__(self, observation: Array) -> Output:
        """Of observations ``[..., 4087]``."""
        return self._after_first(self.first(observation))

    def from_entries(self, entries: Entries) -> Output:
        """Of observations given as their entries ``[..., n]``: the same numbers, but for the order of the sum."""
        kernel, bias = self.first.kernel[...], self.first.bias
        assert bias is not None
        place, value = jax.lax.sort((entries.place, entries.value), num_keys=1)  # what is past the end comes last
        most = (place < OBSERVATION_SIZE).sum(axis=-1).max()

        def add(k: Array, sums: Array) -> Array:
            rows = kernel.at[place[..., k]].get(mode="fill", fill_value=0)  # [..., 256]
            return sums + rows * value[..., k, None]

        start = jnp.broadcast_to(bias[...], (*place.shape[:-1], HIDDEN_UNITS))
        return self._after_first(jax.lax.fori_loop(0, most, add, start))

    def _after_first(self, sums: Array) -> Output:
        hidden = jax.nn.relu(self.second(jax.nn.relu(sums)))
        logits = jnp.concatenate([self.discards(hidden), self.tricks(hidden)], axis=-1)
        return Output(logits, self.value(hidden)[..., 0])


@functools.cache
def _graph() -> Any:
    """The network without its parameters (``nnx.GraphDef``)."""
    with jax.ensure_compile_time_eval():
        graph, params = nnx.split(ChicagoNet(nnx.Rngs(0)))
    size = sum(int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(params))
    assert size == NUM_PARAMETERS, f"{size:,} parameters, not {NUM_PARAMETERS:,}"
    return graph


def init(key: Array) -> Any:
    """Parameters of a network that has learned nothing."""
    return nnx.split(ChicagoNet(nnx.Rngs(key)))[1]


def apply(params: Any, observation: Array) -> Output:
    """``ChicagoNet.__call__`` with ``params``."""
    net: ChicagoNet = nnx.merge(_graph(), params)
    return net(observation)


def apply_entries(params: Any, entries: Entries) -> Output:
    """``ChicagoNet.from_entries`` with ``params``."""
    net: ChicagoNet = nnx.merge(_graph(), params)
    return net.from_entries(entries)


def masked(logits: Array, legal: Array) -> Array:
    """``logits`` with those that are not ``legal`` at -1e9."""
    return jnp.where(legal, logits, ILLEGAL_LOGIT)
