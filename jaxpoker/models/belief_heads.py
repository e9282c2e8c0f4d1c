"""What a belief says: the heads on top of the belief transformer, each two hidden layers of ReLU.

    value        z -> expected sum of the rewards to come
    policy       z -> logits of the actions
    legal        z -> logits that each action is legal, for beliefs that are imagined
    range        z -> logits of the opponent's hand
    transition   z, action -> the observer's belief at its next decision

A latent step runs from one decision of the observer to its next: the opponent's reply and the public cards are inside
it, as they are on average. It also says what the observer is paid meanwhile, and how likely it is that there is a next
decision at all.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

Array = jax.Array

MAX_LOG_VARIANCE = 5.0  # either way


class LatentStep(NamedTuple):
    """Where an action leads, from one decision of the observer to its next."""

    latent: Array  # [..., latent] the next belief, if there is one; a draw if the transition is probabilistic
    mean: Array  # [..., latent] of that draw; the same as ``latent`` if it is deterministic
    log_variance: Array | None  # [..., latent] of that draw; None if it is deterministic
    reward: Array  # [...] what the observer is paid on the way
    goes_on: Array  # [...] logit that the observer decides again


class Head(nnx.Module):
    """inputs -> hidden -> hidden -> outputs."""

    def __init__(self, inputs: int, hidden: int, outputs: int, rngs: nnx.Rngs) -> None:
        self.first = nnx.Linear(inputs, hidden, rngs=rngs)
        self.second = nnx.Linear(hidden, hidden, rngs=rngs)
        self.last = nnx.Linear(hidden, outputs, rngs=rngs)

    def __call__(self, x: Array) -> Array:
        """``[..., outputs]`` of ``[..., inputs]``."""
        return self.last(jax.nn.relu(self.second(jax.nn.relu(self.first(x)))))


class Transition(nnx.Module):
    """The belief that follows an action: z' = g(z, a), or drawn from a normal distribution with diagonal variance.

    A draw is mean + exp(log variance / 2) ε, ε standard normal, so that gradients reach both.
    """

    def __init__(self, latent: int, num_actions: int, probabilistic: bool, rngs: nnx.Rngs) -> None:
        self.num_actions = num_actions
        self.mean = Head(latent + num_actions, latent, latent, rngs)
        self.log_variance = Head(latent + num_actions, latent, latent, rngs) if probabilistic else None
        self.outcome = Head(latent + num_actions, latent, 2, rngs)

    def __call__(self, z: Array, action: Array, noise: Array | None = None) -> LatentStep:
        """From ``z`` ``[..., latent]`` by ``action`` ``[...]``; ``noise`` ``[..., latent]`` is ε, 0 when None."""
        both = jnp.concatenate([z, jax.nn.one_hot(action, self.num_actions)], axis=-1)
        mean, outcome = self.mean(both), self.outcome(both)
        if self.log_variance is None:
            return LatentStep(mean, mean, None, outcome[..., 0], outcome[..., 1])
        log_variance = jnp.clip(self.log_variance(both), -MAX_LOG_VARIANCE, MAX_LOG_VARIANCE)
        latent = mean if noise is None else mean + jnp.exp(log_variance / 2) * noise
        return LatentStep(latent, mean, log_variance, outcome[..., 0], outcome[..., 1])


def divergence(mean: Array, log_variance: Array) -> Array:
    """``[...]``: KL of the normal distribution from the standard one, - ½ Σ (1 + log σ² - μ² - σ²)."""
    return -0.5 * (1 + log_variance - mean**2 - jnp.exp(log_variance)).sum(axis=-1)
