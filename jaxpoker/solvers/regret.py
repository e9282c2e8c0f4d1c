"""Regret minimisation: the one kernel of all solvers.

Every information set keeps a regret R(a) for each action and plays by regret matching,

    strategy(a) = max(R(a), 0) / sum over b of max(R(b), 0),    uniform over the legal actions where that is 0/0.

In iteration t a player's instantaneous regret is r(a) = u(a) - sum over b of strategy(b) u(b), with u the
counterfactual values against the other's strategy. Regrets grow by it after a discount of what was there:

    R(a) <- d R(a) + r(a),    d = s^alpha / (s^alpha + 1) for a positive R(a), with beta for a negative one; s = t - 1

What converges to equilibrium is the average of the strategies, weighted by own reach times max(t - delay, 0)^gamma.

    name     alpha   beta   gamma
    cfr      inf     inf    0       no discount (Zinkevich et al., 2007)
    cfr+     inf     -      1       R is floored at 0 after each update (Tammelin, 2014)
    linear   1       1      1       iteration t counts t times (Brown & Sandholm, 2019)
    dcfr     1.5     0      2       discounted (Brown & Sandholm, 2019)
    pcfr+    inf     -      2       floored, and the next strategy matches R + r, r as a forecast (Farina et al., 2021)

Updates alternate by default: seat 0 first, and seat 1 against seat 0's new strategy, as in OpenSpiel. Simultaneous ones
take both old strategies.

A *lock* holds the strategy of some information sets fixed: they play what the lock says, learn nothing, and their
average is the lock's strategy to the bit, while all others are solved around them.

Where the values come from is not this file's business. ``exact/cfr.py``, ``sampling/public_cfr.py`` and
``sampling/walk_cfr.py`` are loops around it. A table is an array ``[actions, ...]`` of information sets, or any pytree
of such arrays: all functions here take both.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.action_sums import over_actions

Array = jax.Array

MAX_FINE_GAMMA = 6.0
Table = Any  # [actions, ...] numbers of information sets, or a pytree of such arrays


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """How regrets grow and how strategies are averaged; see the module's docstring."""

    name: str
    alpha: float = math.inf  # discount of positive regrets
    beta: float = math.inf  # ... of negative ones
    gamma: float = 0.0  # iteration t counts t ** gamma in the average
    floor: bool = False  # regrets never fall below 0
    predictive: bool = False
    alternating: bool = True
    delay: int = 0  # iterations that the average leaves out

    @property
    def discounts(self) -> bool:
        """Whether all regrets shrink in each iteration, those without an instantaneous one, too."""
        return not self.alpha == self.beta == math.inf

    def grown(self, regrets: Table, instant: Table, t: Array) -> Table:
        """Regrets after iteration ``t``, whose instantaneous ones are ``instant``."""
        return jax.tree.map(functools.partial(self._grown, t), regrets, instant)

    def _grown(self, t: Array, regrets: Array, instant: Array) -> Array:
        if self.discounts:
            powers = (self.alpha, self.beta)
            positive, negative = (1.0 if power == math.inf else _discount(t - 1, power) for power in powers)
            regrets = regrets * jnp.where(regrets > 0, positive, negative)
        regrets = regrets + instant
        return jnp.maximum(regrets, 0) if self.floor else regrets

    def averaged(self, averages: Table, strategy: Table, reach: Table, t: Array) -> Table:
        """The sum of strategies times ``reach`` (a table without the axis of actions) after iteration ``t``.

        It is in units of this iteration's weight: what was there shrinks, so that numbers stay small.
        """
        return jax.tree.map(functools.partial(self._averaged, t), averages, strategy, reach)

    def _averaged(self, t: Array, average: Array, strategy: Array, reach: Array) -> Array:
        if self.gamma == 0 and self.delay == 0:
            return average + reach * strategy
        kept = (jnp.maximum(t - 1 - self.delay, 0) / jnp.maximum(t - self.delay, 1)) ** self.gamma
        return average * kept + jnp.where(t > self.delay, reach, 0) * strategy

    def summed(self, averages: Table, strategy: Table, reach: Table, t: Array) -> Table:
        """``averaged`` in units that stay the same: what was there need not be touched, so that it may be a part."""
        weight = self._weight(t)
        return jax.tree.map(lambda average, mix, comes: average + weight * comes * mix, averages, strategy, reach)

    def unit(self, iteration: int) -> float:
        """What an iteration counts in the units of ``summed``; in those of ``averaged`` it is 1."""
        counts: float = (max(iteration - self.delay, 0) * 2.0**-16) ** self.gamma
        return counts

    def averaged_finely(self, averages: FineSum, strategy: Table, reach: Table, t: Array) -> FineSum:
        """``averaged`` for a million iterations: terms are not lost, however small they are beside their sum.

        Iteration t counts t^gamma, scaled such that the sums of 2^31 iterations stay floats for every gamma up to 6.
        """
        if self.gamma > MAX_FINE_GAMMA:
            raise ValueError(f"gamma = {self.gamma:g}: averages here are weighted by at most t ** {MAX_FINE_GAMMA}")
        weight = self._weight(t)
        terms = jax.tree.map(lambda strategy, reach: weight * reach * strategy, strategy, reach)
        return plus(averages, terms)

    def _weight(self, t: Array) -> Array:
        """Of iteration ``t``, scaled such that sums of 2^31 iterations stay floats."""
        since = jnp.maximum(t - self.delay, 0)
        return jnp.where(since > 0, (since * 2.0**-16) ** self.gamma, 0)

    def weight_of(self, iterations: int) -> float:
        """What the first ``iterations`` count in the average, in units of the last one's weight."""
        last = iterations - self.delay
        return sum(t**self.gamma for t in range(1, last + 1)) / max(last, 1) ** self.gamma

    def to_match(self, regrets: Table, instant: Table) -> Table:
        """What the next strategy is matched to: the regrets or, to predict, these and the last ones once more."""
        return jax.tree.map(jnp.add, regrets, instant) if self.predictive else regrets


class FineSum(NamedTuple):
    """A sum with twice the digits of its floats: ``high + low``, of which ``low`` is what ``high`` cannot hold."""

    high: Table
    low: Table


def plus(total: FineSum, terms: Table) -> FineSum:
    """``total + terms``; what rounding takes from ``high`` goes to ``low`` (Knuth's two-sum)."""
    high = jax.tree.map(jnp.add, total.high, terms)
    lost = jax.tree.map(_lost, total.high, terms, high)
    return FineSum(high, jax.tree.map(jnp.add, total.low, lost))


def _lost(one: Array, other: Array, rounded: Array) -> Array:
    """``one + other - rounded``, exactly."""
    others = rounded - one
    return (one - (rounded - others)) + (other - others)


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("cfr"),
        Algorithm("cfr+", gamma=1.0, floor=True),
        Algorithm("linear", alpha=1.0, beta=1.0, gamma=1.0),
        Algorithm("dcfr", alpha=1.5, beta=0.0, gamma=2.0),
        Algorithm("pcfr+", gamma=2.0, floor=True, predictive=True),
    )
}


class Lock(NamedTuple):
    """The information sets of one player that play a given strategy and learn nothing."""

    held: Table  # [...] bool: which they are, a table without the axis of actions
    strategy: Table  # [actions, ...]: what they play; anything elsewhere

    def applied(self, strategy: Table) -> Table:
        """``strategy`` with the locked information sets as the lock says."""
        return jax.tree.map(jnp.where, self.held, self.strategy, strategy)


Locks = tuple[Lock | None, ...]  # of each player
NO_LOCKS: Locks = (None, None)


def matched(sums: Table, legal: Table, lock: Lock | None = None) -> Table:
    """Strategies in proportion to the positive parts of ``sums``; all ``legal`` actions alike where there is none.

    Of regrets it is regret matching; of averages, which are sums of strategies, it is the average strategy. Locked
    information sets play what the ``lock`` says.
    """
    strategy = jax.tree.map(_matched, sums, legal)
    return strategy if lock is None else lock.applied(strategy)


def instant_regrets(values: Table, strategy: Table, legal: Table, lock: Lock | None = None) -> Table:
    """r(a) = u(a) - sum over b of strategy(b) u(b), of ``values`` u; 0 where an action is not legal, or locked."""
    found = jax.tree.map(_instant, values, strategy, legal)
    return found if lock is None else jax.tree.map(lambda held, regret: jnp.where(held, 0, regret), lock.held, found)


def uniform(legal: np.ndarray) -> np.ndarray:
    """``[actions, ...]``: all ``legal`` actions alike; 0 where there is none."""
    return legal / np.maximum(legal.sum(axis=0), 1)


def _matched(sums: Array, legal: np.ndarray | Array) -> Array:
    positive = jnp.where(legal, jnp.maximum(sums, 0), 0)
    total = over_actions(positive)
    if isinstance(legal, np.ndarray):
        even = jnp.asarray(uniform(legal), sums.dtype)
    else:  # known when it runs
        even = legal / jnp.maximum(over_actions(legal.astype(sums.dtype)), 1)
    return jnp.where(total > 0, positive / jnp.where(total > 0, total, 1), even)


def _instant(values: Array, strategy: Array, legal: np.ndarray | Array) -> Array:
    return jnp.where(legal, values - over_actions(values * strategy), 0)


def _discount(t: Array, power: float) -> Array:
    """t^power / (t^power + 1), written such that no power of t overflows into 0/0."""
    return 1 / (1 + t**-power)
