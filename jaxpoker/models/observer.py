"""A small network for small games: what a player observes -> 64 -> 64 -> logits of the actions, and a value; tanh."""

from __future__ import annotations

import functools
from typing import Any

import jax
from flax import nnx

from jaxpoker import core
from jaxpoker.models.modules import functions_of
from jaxpoker.models.policy import Output, PolicyNetwork

Array = jax.Array

HIDDEN_UNITS = 64


class Observer(nnx.Module):
    """The network."""

    def __init__(self, observation_size: int, num_actions: int, rngs: nnx.Rngs) -> None:
        self.first = nnx.Linear(observation_size, HIDDEN_UNITS, rngs=rngs)
        self.second = nnx.Linear(HIDDEN_UNITS, HIDDEN_UNITS, rngs=rngs)
        self.policy = nnx.Linear(HIDDEN_UNITS, num_actions, rngs=rngs)
        self.value = nnx.Linear(HIDDEN_UNITS, 1, rngs=rngs)

    def __call__(self, observation: Array) -> Output:
        """Of observations ``[..., observation_size]``."""
        hidden = jax.nn.tanh(self.second(jax.nn.tanh(self.first(observation))))
        return Output(self.policy(hidden), self.value(hidden)[..., 0])


@functools.cache
def network(game: core.Game) -> PolicyNetwork:
    """The network for ``game``."""
    init, of = functions_of(lambda rngs: Observer(game.observation_size, game.num_actions, rngs))

    def said(params: Any, game: core.Game, state: Any) -> Output:
        return of(params)(jax.vmap(game.observe)(state, state.current_player))

    return PolicyNetwork(init, said)
