"""How one generation follows from another, and what fitness is: the two things that differ between evolutions.

A ``Breeding`` is a pair of pure functions, in the manner of optax: ``tser.breeding(...)`` is the published genetic
algorithm, ``evosax_breeding.breeding(...)`` any strategy of evosax, and a custom selection is one, too.

Fitness of earnings e ``[individuals, opponents]`` is the mean over opponents j of e_ij / n_j, so that no opponent
counts for more than the others because there is more to earn from it. What n_j is makes the difference:

    average_normalised_earnings    the most that anybody of this generation made of j, but at least ``floor``
    earnings_over(n)               a constant

With the former a generation in which nobody beats j has n_j at its tiny floor: losses to j then count a thousandfold,
the next parents are those who fold everything, and what was learned of the other opponents is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array

FirstPopulation = Callable[[Array, int], Array]  # (key, individuals) -> [individuals, genes]
Fitness = Callable[[Array, float], Array]  # (earnings [individuals, opponents], floor) -> [individuals]


def _everybody(population: Array, hidden: Any) -> Array:
    return population


class Breeding(NamedTuple):
    """``hidden`` is what a strategy keeps besides the population: a pytree, () for none."""

    init: Callable[[Array, int], tuple[Array, Any]]  # (key, individuals) -> population [individuals, genes], hidden
    following: Callable[[Array, Array, Any, Array, Array], tuple[Array, Any, dict[str, Array]]]
    # (key, population, hidden, fitness [individuals], generation []) -> the next population, hidden, metrics
    candidates: Callable[[Array, Any], Array] = _everybody  # (population, hidden) -> who may become champion [n, genes]


def average_normalised_earnings(earnings: Array, floor: float) -> Array:
    """ANE ``[individuals]`` of earnings e ``[individuals, opponents]``: mean over j of e_ij / max(floor, max_i e_ij).

    No opponent contributes more than 1 / opponents, however much there is to earn from it.
    """
    return (earnings / jnp.maximum(earnings.max(axis=0), floor)).mean(axis=1)


def earnings_over(normalisers: Sequence[float] | np.ndarray) -> Fitness:
    """The fitness with constant ``normalisers`` ``[opponents]``: mean over j of e_ij / n_j."""
    scale = np.asarray(normalisers, np.float32)
    if not (scale > 0).all():
        raise ValueError(f"normalisers {scale.tolist()}: what an opponent is worth is above 0")

    def fitness(earnings: Array, floor: float) -> Array:
        return (earnings / scale).mean(axis=1)

    return fitness
