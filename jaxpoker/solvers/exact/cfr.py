"""Counterfactual regret minimisation on the public tree: vanilla, CFR+, linear, discounted and predictive CFR+.

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
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import devices
from jaxpoker.solvers.action_sums import over_actions
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.exact.exact_game import PLAYERS, PublicGame, mean_under

Array = jax.Array


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

    def grown(self, regrets: Array, instant: Array, t: Array) -> Array:
        """Regrets after iteration ``t``, whose instantaneous ones are ``instant``; any shape."""
        if not self.alpha == self.beta == math.inf:
            powers = (self.alpha, self.beta)
            positive, negative = (1.0 if power == math.inf else _discount(t - 1, power) for power in powers)
            regrets = regrets * jnp.where(regrets > 0, positive, negative)
        regrets = regrets + instant
        return jnp.maximum(regrets, 0) if self.floor else regrets

    def averaged(self, average: Array, strategy: Array, reach: Array, t: Array) -> Array:
        """The sum of strategies times reach after iteration ``t``, in units of this iteration's weight: what was there
        shrinks, so that numbers stay small.
        """
        if self.gamma == 0 and self.delay == 0:
            return average + reach * strategy
        kept = (jnp.maximum(t - 1 - self.delay, 0) / jnp.maximum(t - self.delay, 1)) ** self.gamma
        return average * kept + jnp.where(t > self.delay, reach, 0) * strategy


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


@flax.struct.dataclass
class State:
    """Everything that an iteration changes, one array ``[actions, slots]`` per player."""

    step: Array  # [] int32, iterations done
    regrets: tuple[Array, Array]
    strategies: tuple[Array, Array]  # the current ones
    averages: tuple[Array, Array]  # weighted sums of strategies times own reach, in units of the last weight


@dataclasses.dataclass(frozen=True)
class CFR:
    """A solver of one game: ``state = solver.run(solver.init(), 1000)``, ``solver.average(state)``.

    It is a learner too (``jaxpoker.runs``): ``update`` goes on by a tenth of the iterations done and says how good the
    average strategy is by then, but it never goes beyond iteration ``last``.

    An iteration takes microseconds, less than devices need to tell each other anything, so that the devices of a mesh
    share nothing: each does all of it, and the strategy is there for whoever plays it on that mesh.
    """

    game: PublicGame
    algorithm: Algorithm = ALGORITHMS["cfr+"]
    dtype: type = np.float32
    last: int = np.iinfo(np.int32).max
    mesh: jax.sharding.Mesh | None = None  # the solution is on each of its devices

    def __post_init__(self) -> None:
        if np.dtype(self.dtype) == np.float64 and jax.dtypes.canonicalize_dtype(np.float64) != np.float64:
            raise ValueError("float64 needs jax_enable_x64: set JAX_ENABLE_X64=1 or jax.config.update it first")

    def init(self, key: Array | None = None) -> State:
        """No regrets yet, all legal actions alike. Nothing is random: ``key`` is there for the learner's contract."""

        def each(value: Callable[[np.ndarray], np.ndarray]) -> tuple[Array, Array]:
            first, second = (jnp.array(value(side.legal), self.dtype) for side in self.game.sides)
            return first, second

        def begin(key: Array | None) -> State:
            return State(jnp.zeros((), jnp.int32), each(np.zeros_like), each(_even), each(np.zeros_like))

        return devices.begun(self.mesh, begin, key)

    @functools.partial(jax.jit, static_argnums=0)
    def run(self, state: State, iterations: Array | int) -> State:
        """The state after so many iterations more; their number is data and compiles once."""
        return jax.lax.fori_loop(0, iterations, lambda _, state: self.iterate(state), state)

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def update(self, state: State) -> tuple[State, dict[str, Array]]:
        """The state at the next report, and the quality of the average strategy there."""
        iterations = jnp.clip(state.step // 10, 1, self.last - state.step)
        state = self.run(state, iterations)
        quality = best_response.quality(self.game, self.average(state))
        return state, {"exploitability": quality.exploitability, "value": quality.value}

    def iterate(self, state: State) -> State:
        """One iteration: both players' regrets, strategies and averages."""
        t = (state.step + 1).astype(self.dtype)
        regrets, averages, current = list(state.regrets), list(state.averages), list(state.strategies)
        for player in PLAYERS:
            against = current if self.algorithm.alternating else state.strategies
            mine = current[player]
            reach = self.game.reach_ends(1 - player, against[1 - player])
            values, _ = self.game.sweep(player, reach, mean_under(mine))
            instant = jnp.where(self.game.sides[player].legal, values - over_actions(values * mine), 0)
            averages[player] = self.algorithm.averaged(averages[player], mine, self.game.own_reach(player, mine), t)
            regrets[player] = self.algorithm.grown(regrets[player], instant, t)
            hoped = regrets[player] + instant if self.algorithm.predictive else regrets[player]
            current[player] = regret_matching(hoped, self.game.sides[player].legal)
        pairs = ((side[0], side[1]) for side in (regrets, current, averages))
        return State(state.step + 1, *pairs)

    def average(self, state: State) -> Array:
        """The average strategy as a table ``[rows, actions]``, uniform where a player never goes."""
        return _average(self.game, state.averages)


@functools.partial(jax.jit, static_argnums=0)
def _average(game: PublicGame, averages: tuple[Array, Array]) -> Array:
    first, second = (regret_matching(average, side.legal) for average, side in zip(averages, game.sides, strict=True))
    return game.table((first, second))


def regret_matching(regrets: Array, legal: np.ndarray) -> Array:
    """Strategies ``[actions, slots]`` in proportion to the positive parts of ``regrets``; legal ones alike if none."""
    positive = jnp.where(legal, jnp.maximum(regrets, 0), 0)
    total = over_actions(positive)
    return jnp.where(total > 0, positive / jnp.where(total > 0, total, 1), jnp.asarray(_even(legal), regrets.dtype))


def _even(legal: np.ndarray) -> np.ndarray:
    """All legal actions alike."""
    return legal / np.maximum(legal.sum(axis=0), 1)


def _discount(t: Array, power: float) -> Array:
    """t^power / (t^power + 1), written such that no power of t overflows into 0/0."""
    return 1 / (1 + t**-power)
