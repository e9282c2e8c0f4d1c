"""ChicagoNet: one network for Chicago with 2 to 6 players, 4,087 -> 256 -> 256 -> heads of 64, 5 and 1.

    discards   64 logits of the draws
    tricks      5 logits of the cards to play
    value       1 expected sum of the player's rewards to come, discounted

Of an observation's 4,087 floats some forty are not zero. ``from_entries`` takes those alone (``chicago_view.entries``):
its first layer sums the rows of the kernel at their places, times their values, instead of multiplying by all rows.
Its loop, and that of its derivative, has as many turns as the fullest observation of a batch has entries.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from jaxpoker.games.chicago import Chicago
from jaxpoker.games.chicago import view as chicago_view
from jaxpoker.games.chicago.table import HAND, NUM_DRAWS, State
from jaxpoker.games.chicago.view import OBSERVATION_SIZE, Entries
from jaxpoker.models import sorted_hand
from jaxpoker.models.modules import functions_of
from jaxpoker.models.policy import Output, PolicyNetwork

Array = jax.Array

HIDDEN_UNITS = 256


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
        bias = self.first.bias
        assert bias is not None
        return self._after_first(summed_rows(self.first.kernel[...], _in_front(entries)) + bias[...])

    def _after_first(self, sums: Array) -> Output:
        hidden = jax.nn.relu(self.second(jax.nn.relu(sums)))
        logits = jnp.concatenate([self.discards(hidden), self.tricks(hidden)], axis=-1)
        return Output(logits, self.value(hidden)[..., 0])


def _in_front(entries: Entries) -> Entries:
    """The same entries in order of their places, so that those past the end come last.

    One sort of whole numbers, place and position packed, is ten times as fast as a sort of places with their values.
    """
    count = entries.place.shape[-1]
    bits = count.bit_length()
    packed = jnp.sort((entries.place << bits) | jnp.arange(count, dtype=jnp.int32), axis=-1)
    return Entries(packed >> bits, jnp.take_along_axis(entries.value, packed & ((1 << bits) - 1), axis=-1))


def _most(entries: Entries) -> Array:
    """[] int32: entries of the fullest observation."""
    return (entries.place < OBSERVATION_SIZE).sum(axis=-1, dtype=jnp.int32).max()


@jax.custom_vjp
def summed_rows(kernel: Array, entries: Entries) -> Array:
    """``observation @ kernel`` ``[..., 256]`` of observations given as entries ``[..., n]``, those past the end last.

    It has a derivative by the kernel alone: entries are data.
    """

    def add(k: Array, sums: Array) -> Array:
        rows = kernel.at[entries.place[..., k]].get(mode="fill", fill_value=0)
        return sums + rows * entries.value[..., k, None]

    nothing = jnp.zeros((*entries.place.shape[:-1], kernel.shape[-1]), kernel.dtype)
    return jax.lax.fori_loop(0, _most(entries), add, nothing)


def _summed_rows_and_entries(kernel: Array, entries: Entries) -> tuple[Array, tuple[Array, Entries]]:
    return summed_rows(kernel, entries), (kernel, entries)


def _by_kernel(kept: tuple[Array, Entries], by_sums: Array) -> tuple[Array, None]:
    """d/dK of observation @ K: every row gets the derivatives of the sums that it went into, times the entries."""
    kernel, entries = kept

    def add(k: Array, gradient: Array) -> Array:
        return gradient.at[entries.place[..., k]].add(by_sums * entries.value[..., k, None], mode="drop")

    return jax.lax.fori_loop(0, _most(entries), add, jnp.zeros_like(kernel)), None


summed_rows.defvjp(_summed_rows_and_entries, _by_kernel)


@functools.cache
def _functions() -> tuple[Callable[[Array], Any], Callable[[Any], ChicagoNet]]:
    return functions_of(ChicagoNet)


def init(key: Array) -> Any:
    """The 1,130,310 parameters of a network that has learned nothing."""
    return _functions()[0](key)


def net_of(params: Any) -> ChicagoNet:
    """The network that has ``params``."""
    return _functions()[1](params)


@functools.cache
def network(sorts_hand: bool = True) -> PolicyNetwork:
    """ChicagoNet as learners and players take it: it is shown the hand by rank, or with ``sorts_hand=False`` as it is.

    Where in the hand a card lies means nothing, but the first layer has weights of its own for each place: a hand would
    have to be learned in each of its 120 orders.
    """

    def said(params: Any, game: Chicago, state: State) -> Output:
        return net_of(params).from_entries(jax.vmap(chicago_view.entries)(state, state.current_player))

    if sorts_hand:
        return PolicyNetwork(init, said, sorted_hand.look, sorted_hand.answer)
    return PolicyNetwork(init, said)
