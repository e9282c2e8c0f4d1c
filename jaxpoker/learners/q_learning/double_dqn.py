"""Double DQN (van Hasselt et al., 2016): the value of every action, learned from transitions of one seat.

With Q the network and Q⁻ a copy of it that is brought up to date now and then, a transition (s, a, r, s') counts

    y = r + discount * Q⁻(s', a*),    a* = the legal action of s' with the largest Q(s', a*)
    loss = mean of weight * L(Q(s, a) - y)

where the discount is γ, or 0 where the game ended (``learners/q_learning/transitions.py``); L is Huber's loss, x² / 2
up to a border and a line beyond it, or x². Neither choice nor value ever come from an action that is not legal. Adam,
gradients cut to a norm.

Exploration and the copy go by gradient steps, not by turns of tables, so that they mean the same whether one table
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
from jaxpoker.learners.q_learning.transitions import Transition
from jaxpoker.models.qnet import QNetwork, greedy

Array = jax.Array


class Learned(NamedTuple):
    """What updates change."""

    params: Any  # of Q
    target: Any  # of Q⁻
    optimiser: Any
    updates: Array  # [] int32, gradient steps done


@dataclasses.dataclass(frozen=True, eq=False)
class DoubleDQN:
    """The update."""

    network: QNetwork
    learning_rate: float | optax.Schedule = 3e-4
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
        return self.of(self.network.init(key))

    def of(self, params: Any) -> Learned:
        """The beginning, with a network that is there."""
        target = jax.tree.map(lambda x: x + 0, params)  # another buffer: both are donated
        return Learned(params, target, self._optimiser.init(params), jnp.zeros((), jnp.int32))

    def update(self, learned: Learned, batches: Transition, weight: Array) -> tuple[Learned, Array, dict[str, Array]]:
        """Gradient steps on transitions ``[steps, n]`` of those weights ``[steps, n]``; also their errors Q - y.

        The copy stays what it is for all of them, so that what it says is computed at once; it is brought up to date
        at the end if a multiple of ``sync_every`` was passed.
        """
        worth = self.network.values(learned.target, batches.next_observation)  # [steps, n, actions]

        def step(carry: tuple[Any, Any], given: tuple[Transition, Array, Array]) -> tuple[tuple[Any, Any], Any]:
            params, optimiser = carry
            batch, weight, worth = given
            y = self.targets(params, batch, worth)
            (loss, error), gradient = jax.value_and_grad(self.loss, has_aux=True)(params, batch, y, weight)
            change, optimiser = self._optimiser.update(gradient, optimiser, params)
            metrics = {
                "loss": loss,
                "q_magnitude": jnp.abs(error + y).mean(),
                "gradient_norm": optax.tree.norm(gradient),
            }
            return (optax.apply_updates(params, change), optimiser), (error, metrics)

        carry = (learned.params, learned.optimiser)
        (params, optimiser), (error, metrics) = jax.lax.scan(step, carry, (batches, weight, worth))
        updates = learned.updates + len(weight)
        passed = updates // self.sync_every > learned.updates // self.sync_every
        after = Learned(params, core.select(passed, params, learned.target), optimiser, updates)
        means = {name: value.mean() for name, value in metrics.items()}
        return after, error, {**means, "epsilon": self.epsilon_after(updates)}

    def targets(self, params: Any, batch: Transition, worth: Array) -> Array:
        """``[n]`` y: Q chooses among the legal actions; ``worth`` ``[n, actions]`` is what Q⁻ says of all of them."""
        chosen = greedy(self.network.values(params, batch.next_observation), batch.next_legal)
        return batch.reward + jnp.where(batch.discount > 0, batch.discount * _of_action(worth, chosen), 0.0)

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
