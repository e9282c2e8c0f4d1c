"""How much a strategy of an abstract game loses to a best response that sees the same buckets.

    result = abstract_response.exploitability(solver.game, solver.chance, solver.average(state), jax.random.key(1))
    print(result.exploitability)          # mBB/hand on boards that the responses have not seen, ± 95%

The response is fitted on one set of boards and measured on another. Fitting goes backwards, street by street from the
river: at every decision and bucket it takes the action with the highest counterfactual value, summed over all boards
and over all hands in the bucket, given what it does on later streets and what the other's strategy makes likely. The
response is then fixed, and its value on other boards is that of a strategy anybody could play: with v(p) the value of
the response in seat p,

    exploitability = (v(0) + v(1)) / 2,    half of NashConv.

It is a lower bound of the true one. With imperfect-recall buckets (a bucket does not record earlier streets) the fit
also counts hands that the response itself would never have brought to a decision, and a response that knows its
earlier buckets wins more. With perfect recall (``rank_history``) it is the best response on the boards of the fit. A
response that sees its cards wins more than either. On the boards of the fit the response wins somewhat more than on
others; that figure is printed beside.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.match import Estimate
from jaxpoker.solvers.sampling.boards import Chance
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.type_game import TypeGame
from jaxpoker.solvers.sweep import PLAYERS

Array = jax.Array
Strategy = tuple[Array, ...]  # by street [decisions, buckets, actions]

BLOCK = 32  # boards whose mean is one sample


class Exploitability(NamedTuple):
    """Responses to a strategy, in thousandths of the game's unit per hand (mBB/hand in hold'em)."""

    exploitability: Estimate  # half of NashConv, on boards that the responses have not seen
    fitted: float  # the same on the boards that they were fitted on
    responses: tuple[Estimate, Estimate]  # what a response in each seat makes, on unseen boards
    value: Estimate  # what seat 0 makes when both play the strategy
    boards: int  # that the responses were fitted on; as many others measure them

    def __str__(self) -> str:
        return (
            f"{self.exploitability} mBB/hand on {self.boards:,} other boards "
            f"({self.fitted:,.1f} on the {self.boards:,} of the fit)"
        )


def exploitability(
    game: BucketGame | TypeGame, chance: Chance, strategy: Strategy, key: Array, boards: int = 1_024
) -> Exploitability:
    """Fits a response in each seat on ``boards`` boards and measures both on as many others."""
    if boards < 2 * BLOCK or boards % BLOCK:
        raise ValueError(f"{boards} boards: a response needs a multiple of {BLOCK}, at least {2 * BLOCK}")
    fit_key, test_key = jax.random.split(key)
    fitted_on = functools.reduce(
        jnp.add, (_counts(chance, chance.tables, k) for k in jax.random.split(fit_key, boards // BLOCK))
    ) * (BLOCK / boards)
    both = [game.betting.by_shapes(player, strategy) for player in PLAYERS]
    fitted, worths = [], []
    for player in PLAYERS:
        found = game.respond(player, fitted_on, both[1 - player])
        fitted.append(float(found.value) * 1_000)
        worths.append(game.worth(player, found.strategy, both[1 - player]))
    worth = jnp.stack([*worths, game.worth(0, *both)])
    samples = []
    for k in jax.random.split(test_key, boards // BLOCK):
        samples.append(np.asarray(_values(worth, _counts(chance, chance.tables, k)), np.float64) * 1_000)
    first, second, value = np.stack(samples, axis=1)
    return Exploitability(
        exploitability=Estimate.of((first + second) / 2),
        fitted=sum(fitted) / 2,
        responses=(Estimate.of(first), Estimate.of(second)),
        value=Estimate.of(value),
        boards=boards,
    )


@functools.partial(jax.jit, static_argnums=0)
def _counts(chance: Chance, tables: Any, key: Array) -> Array:
    counts: Array = chance.dealt(tables, chance.draw(tables, key, BLOCK))[0]
    return counts


@jax.jit
def _values(worths: Array, counts: Array) -> Array:
    return (worths * counts).sum(axis=(1, 2, 3))
