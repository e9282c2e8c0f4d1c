"""Double DQN (van Hasselt et al., 2016): the value of every action, learned from transitions of one seat.

With Q the network and Q⁻ a copy of it that is brought up to date now and then, a transition (s, a, r, s') counts

    y = r + discount * Q⁻(s', a*),    a* = the legal action of s' with the largest Q(s', a*)
    loss = mean of weight * L(Q(s, a) - y)

where the discount is γ, or 0 where the game ended (``learners/transitions.py``); L is Huber's loss, x² / 2 up to a
border and a line beyond it, or x². Neither choice nor value ever come from an action that is not legal. Adam,
gradients cut to a norm.

Exploration and the copy go by gradient updates, not by steps of tables, so that they mean the same whether one table
plays or thousands do.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from jaxpoker import core
from jaxpoker.learners.transitions import Transition
from jaxpoker.models.qnet import QNetwork, greedy

Array = jax.Array


class Learned(NamedTuple):
    """What updates change."""

    params: Any  # of Q
    target: Any  # of Q⁻
    optimiser: Any
    updates: Array  # [] int32, done


@dataclasses.dataclass(frozen=True, eq=False)
class DoubleDQN:
    """The update."""

    network: QNetwork
    learning_rate: float = 3e-4
    huber: float | None = 1.0  # border of Huber's loss; None: the mean square
    max_gradient: float = 10.0  # norm beyond which gradients are cut
    sync_every: int = 400  # updates between copies
    epsilon: tuple[float, float] = (1.0, 0.1)  # part of the actions that are random: at first, and at least
    epsilon_decay: float = 0.9995  # per update

    def __post_init__(self) -> None:
        if self.sync_every < 1:
            raise ValueError(f"sync_every = {self.sync_every}: it is 1 update or more")
        if self.huber is not None and self.huber <= 0:
            raise ValueError(f"huber = {self.huber}: the border is above 0; None is the mean square")
        if not 0 <= self.epsilon[1] <= self.epsilon[0] <= 1 or not 0 < self.epsilon_decay <= 1:
            raise ValueError(
                f"epsilon = {self.epsilon}, decay {self.epsilon_decay}: it falls from at most 1 to at least 0"
            )

    def init(self, key: Array) -> Learned:
        params = self.network.init(key)
        target = jax.tree.map(lambda x: x + 0, params)  # another buffer: both are donated
        return Learned(params, target, self._optimiser.init(params), jnp.zeros((), jnp.int32))

    def update(self, learned: Learned, batch: Transition, weight: Array) -> tuple[Learned, Array, dict[str, Array]]:
        """One gradient step on transitions ``[n]`` of those weights ``[n]``; also their errors Q - y ``[n]``."""
        y = self.targets(learned, batch)
        differentiated = jax.value_and_grad(self.loss, has_aux=True)
        (loss, error), gradient = differentiated(learned.params, batch, y, weight)
        change, optimiser = self._optimiser.update(gradient, learned.optimiser, learned.params)
        params = optax.apply_updates(learned.params, change)
        updates = learned.updates + 1
        target = core.select(updates % self.sync_every == 0, params, learned.target)
        metrics = {
            "loss": loss,
            "q_magnitude": jnp.abs(error + y).mean(),
            "gradient_norm": optax.tree.norm(gradient),
            "epsilon": self.epsilon_after(updates),
        }
        return Learned(params, target, optimiser, updates), error, metrics

    def targets(self, learned: Learned, batch: Transition) -> Array:
        """``[n]`` y: Q chooses among the legal actions, Q⁻ says what that is worth."""
        chosen = greedy(self.network.values(learned.params, batch.next_observation), batch.next_legal)
        worth = _of_action(self.network.values(learned.target, batch.next_observation), chosen)
        return batch.reward + jnp.where(batch.discount > 0, batch.discount * worth, 0.0)

    def loss(self, params: Any, batch: Transition, y: Array, weight: Array) -> tuple[Array, Array]:
        """``[]``, see the module's docstring, and the errors ``[n]``."""
        error = _of_action(self.network.values(params, batch.observation), batch.action) - y
        each = error**2 if self.huber is None else optax.losses.huber_loss(error, delta=self.huber)
        return (weight * each).mean(), error

    def epsilon_after(self, updates: Array) -> Array:
        """``[]``: the first ε times the decay for each update, but never below the last."""
        first, least = self.epsilon
        return jnp.maximum(first * self.epsilon_decay ** updates.astype(jnp.float32), least)

    def explore(self, learned: Learned, observation: Array, legal: Array, key: Array) -> Array:
        """``[n]`` int32: the best legal action of observations ``[n, floats]``, with probability ε any legal one."""
        whether_key, which_key = jax.random.split(key)
        explores = jax.random.uniform(whether_key, legal.shape[:-1]) < self.epsilon_after(learned.updates)
        best = greedy(self.network.values(learned.params, observation), legal)
        return jnp.where(explores, core.random_action(which_key, legal), best)

    @functools.cached_property
    def _optimiser(self) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(self.max_gradient), optax.adam(self.learning_rate))


def _of_action(values: Array, action: Array) -> Array:
    """``[n]``: that one of ``values`` ``[n, actions]``."""
    return jnp.take_along_axis(values, action[:, None], axis=1)[:, 0]
