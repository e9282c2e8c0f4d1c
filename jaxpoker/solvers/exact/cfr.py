"""Counterfactual regret minimisation on the tree of a small game: every deal counts in every iteration.

    leduc = exact_game.whole(jaxpoker.make("leduc"))
    solver = CFR(leduc, ALGORITHMS["cfr+"])                       # or solvers.make("cfr+", jaxpoker.make("leduc"))
    strategy = solver.average(solver.run(solver.init(), 1000))     # [information sets, actions]

The algorithms, and all that is done with regrets, are in ``solvers/regret.py``. With three and more seats there is no
guarantee that averages come close to an equilibrium; ``best_response.nash_conv`` says how close they are.

In float32, the default, averages are kept with twice its digits. Without that the average of Leduc is worse after
100,000 iterations than after 10,000, because a million terms do not fit into one float. With it exploitability falls
on, to 1.3e-6 after 114,000 iterations of CFR+ and 3.4e-7 after 764,000, about what float32 values tell apart at all.
``dtype=np.float64`` (and JAX_ENABLE_X64=1) goes further.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import devices
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.regret import ALGORITHMS, NO_LOCKS, Algorithm, FineSum, Locks, instant_regrets, matched, uniform
from jaxpoker.solvers.sweep import TableGame, others_of

Array = jax.Array


@flax.struct.dataclass
class CFRState:
    """Everything that an iteration changes, one array ``[actions, slots]`` per player."""

    step: Array  # [] int32, iterations done
    regrets: tuple[Array, ...]
    strategies: tuple[Array, ...]  # the current ones
    averages: tuple[Array, ...]  # weighted sums of strategies times own reach
    rests: tuple[Array, ...]  # what the averages' floats cannot hold: added to them they are exact
    locks: Locks = NO_LOCKS  # what is given and not learned


@dataclasses.dataclass(frozen=True)
class CFR:
    """A solver of one game: ``state = solver.run(solver.init(), 1000)``, ``solver.average(state)``.

    It is a learner too (``jaxpoker.runs``): ``update`` goes on by a tenth of the iterations done and says how good the
    average strategy is by then, but it never goes beyond iteration ``last``.

    An iteration takes microseconds, less than devices need to exchange anything. So the devices of a mesh do not share
    the work: each does all of it, and has the strategy for those who play it on that mesh.
    """

    game: TableGame
    algorithm: Algorithm = ALGORITHMS["cfr+"]
    dtype: type = np.float32
    last: int = np.iinfo(np.int32).max
    mesh: jax.sharding.Mesh | None = None  # the solution is on each of its devices

    def __post_init__(self) -> None:
        if np.dtype(self.dtype) == np.float64 and jax.dtypes.canonicalize_dtype(np.float64) != np.float64:
            raise ValueError("float64 needs jax_enable_x64: set JAX_ENABLE_X64=1 or jax.config.update it first")

    def init(self, key: Array | None = None, locks: Locks = NO_LOCKS) -> CFRState:
        """No regrets yet, all legal actions alike. Nothing is random: ``key`` is there for the learner's contract.

        ``locks`` (``game.locks``) hold the strategies of some information sets fixed.
        """

        seats = range(self.game.num_seats)
        if locks == NO_LOCKS:
            locks = (None,) * len(seats)

        def each(value: Callable[[np.ndarray], np.ndarray]) -> tuple[Array, ...]:
            return tuple(jnp.array(value(self.game.legal(player)), self.dtype) for player in seats)

        def begin(given: tuple[Array | None, Locks]) -> CFRState:
            locks = jax.tree.map(lambda x: jnp.array(x, None if x.dtype == bool else self.dtype), given[1])
            strategies = tuple(
                strategy if lock is None else lock.applied(strategy)
                for strategy, lock in zip(each(uniform), locks, strict=True)
            )
            nothing = each(np.zeros_like)
            return CFRState(
                jnp.zeros((), jnp.int32), nothing, strategies, each(np.zeros_like), each(np.zeros_like), locks
            )

        return devices.begun(self.mesh, begin, (key, locks))

    @functools.partial(jax.jit, static_argnums=0)
    def run(self, state: CFRState, iterations: Array | int) -> CFRState:
        """The state after so many iterations more; their number is data and compiles once."""
        return jax.lax.fori_loop(0, iterations, lambda _, state: self.iterate(state), state)

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def update(self, state: CFRState) -> tuple[CFRState, dict[str, Array]]:
        """The state at the next report, and the quality of the average strategy there."""
        iterations = jnp.clip(state.step // 10, 1, self.last - state.step)
        state = self.run(state, iterations)
        return state, best_response.figures(self.game, self.average(state))

    def iterate(self, state: CFRState) -> CFRState:
        """One iteration: all players' regrets, strategies and averages."""
        t = (state.step + 1).astype(self.dtype)
        regrets, current = list(state.regrets), list(state.strategies)
        averages = [FineSum(*sums) for sums in zip(state.averages, state.rests, strict=True)]
        for player in range(self.game.num_seats):
            against = current if self.algorithm.alternating else state.strategies
            mine = current[player]
            legal, lock = self.game.legal(player), state.locks[player]
            values = self.game.values(player, None, mine, others_of(player, against)).action_values
            instant = instant_regrets(values, mine, legal, lock)
            reach = self.game.own_reach(player, None, mine)
            averages[player] = self.algorithm.averaged_finely(averages[player], mine, reach, t)
            regrets[player] = self.algorithm.grown(regrets[player], instant, t)
            current[player] = matched(self.algorithm.to_match(regrets[player], instant), legal, lock)
        sums, rests = (tuple(each) for each in zip(*averages, strict=True))
        return CFRState(state.step + 1, tuple(regrets), tuple(current), sums, rests, state.locks)

    def average(self, state: CFRState) -> Array:
        """The average strategy as a table ``[rows, actions]``, uniform where a player never goes."""
        sums = jax.tree.map(jnp.add, state.averages, state.rests)
        return _average(self.game, sums, state.locks)


@functools.partial(jax.jit, static_argnums=0)
def _average(game: TableGame, averages: tuple[Array, ...], locks: Locks) -> Array:
    each = zip(averages, map(game.legal, range(game.num_seats)), locks, strict=True)
    return game.table(tuple(matched(sums, legal, lock) for sums, legal, lock in each))
