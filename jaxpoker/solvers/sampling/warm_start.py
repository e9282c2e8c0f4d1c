"""A start from a strategy that is there already, so that a solver need not begin with nothing.

    solver = dataclasses.replace(solver, before=2_000)       # the strategy counts as so many iterations
    state = warm_start.from_strategy(solver, key, strategy)  # by street [decisions, buckets, actions]

The state is what ``before`` iterations might have left that played nothing but this strategy:

- the sums of the average strategy are the strategy times own reach, with the weight of so many iterations. So the
  average strategy is the given one, and moves away from it as new iterations outweigh the old ones;
- the regrets are in proportion to the strategy, so that the next iteration plays it. How large they are decides how
  fast play may change. After T iterations of unbiased noise they are near the square root of T times what one iteration
  finds, and so they are here.

Reach and regrets are measured on a few boards. The regrets of T real iterations also say which of the actions that the
strategy never takes are the worst; a strategy cannot tell that. It is learned again (compare Brown and Sandholm,
"Strategy-Based Warm Starting for Regret Minimization in Games", 2016).
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker import devices
from jaxpoker.solvers.action_sums import over_actions
from jaxpoker.solvers.regret import instant_regrets, matched
from jaxpoker.solvers.sampling.public_cfr import PublicCFR, PublicState, Strategy
from jaxpoker.solvers.sampling.table_rows import OwnRows
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree.street_shapes import OfShapes

Array = jax.Array

DRAWS = 4  # batches of boards that reach and regrets are measured on
START = 0x73746172  # folded into the key for these boards
LEAST = 1e-9  # of reach and of regrets: a bucket that none of the boards brings keeps its strategy, too


def from_strategy(solver: PublicCFR, key: Array, strategy: Strategy) -> PublicState:
    """The state of ``solver`` after its ``before`` iterations of ``strategy``, by street ``[decisions, buckets,
    actions]``: probabilities, or numbers in proportion to them, such as the parts of a file.
    """
    if solver.before < 1:
        raise ValueError(f"a strategy that counts as {solver.before} iterations is no start: set before to 1 or more")
    if not isinstance(solver.rows, OwnRows):
        raise ValueError("decisions that share their rows cannot start from a strategy: each needs a row of its own")
    begun = solver.init(key)
    by_street = tuple(jnp.asarray(of_street) for of_street in strategy)
    played = (_played(solver, 0, by_street), _played(solver, 1, by_street))
    del by_street
    regrets, averages = list(begun.regrets), list(begun.averages)
    for draw in range(DRAWS):
        drawn_key = jax.random.fold_in(jax.random.fold_in(key, START), draw)
        dealt = _dealt(solver, solver.chance.tables, drawn_key)
        for player in PLAYERS:
            swept = solver.game.values(player, dealt, played[player], played[1 - player])
            if draw == 0:
                devices.give_back_memory()  # of compiling
            reach = solver.game.own_reach(player, dealt, played[player])
            sums = (regrets[player], averages[player])
            regrets[player], averages[player] = _added(solver, player, sums, played[player], swept.action_values, reach)
    return begun.replace(  # type: ignore[attr-defined]  # flax.struct makes it
        regrets=(regrets[0], regrets[1]), averages=(averages[0], averages[1])
    )


@functools.partial(jax.jit, static_argnums=(0, 1))
def _played(solver: PublicCFR, player: int, strategy: Strategy) -> OfShapes:
    mix = jax.tree.map(lambda of_shape: of_shape.astype(jnp.float32), solver.rows.betting.by_shapes(player, strategy))
    return matched(mix, solver.game.legal(player))


@functools.partial(jax.jit, static_argnums=0)
def _dealt(solver: PublicCFR, tables: Any, key: Array) -> Any:
    return solver.chance.dealt(tables, solver.chance.draw(tables, key, solver.batch))[0]


@functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=2)
def _added(
    solver: PublicCFR,
    player: int,
    sums: tuple[OfShapes, OfShapes],
    played: OfShapes,
    values: OfShapes,
    reach: OfShapes,
) -> tuple[OfShapes, OfShapes]:
    """Regrets and averages of ``player`` with those of one batch of boards, a part of 1 in ``DRAWS``."""
    regrets, averages = sums
    instant = instant_regrets(values, played, solver.game.legal(player))
    size = solver.before**0.5 / DRAWS

    def regret(before: Array, found: Array, mix: Array) -> Array:
        return before + size * jnp.maximum(over_actions(jnp.abs(found)), LEAST) * mix

    def average(weight: float, before: Array, comes: Array, mix: Array) -> Array:
        return before + weight * jnp.maximum(comes, LEAST) * mix

    weights = [each.weight_of(solver.before) / DRAWS for each in solver.algorithms]
    if solver.shares is not None:
        weights = [weight * each.unit(solver.before) for weight, each in zip(weights, solver.algorithms, strict=True)]
    return jax.tree.map(regret, regrets, instant, played), tuple(
        jax.tree.map(functools.partial(average, weight), averages[i], reach[i], played[i])
        for i, weight in enumerate(weights)
    )
