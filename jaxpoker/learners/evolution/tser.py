"""Tiered survival and elite reproduction (Li & Miikkulainen, 2017): a genetic algorithm on flat genomes.

    1. The fittest 30% survive.
    2. Survivors at or above the survivors' mean fitness are elites (at least two are), the others the second tier.
    3. Children fill the population: each takes its even genes from one random elite and its odd ones from another.
    4. Children and the second tier are mutated; elites stay as they are.

A mutation adds noise from a normal distribution to each gene with a certain probability; its rate and its strength fall
linearly from the first generation to the last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker.learners.evolution.breeding import Breeding, FirstPopulation

Array = jax.Array

Crossover = Callable[[Array, Array, Array], Array]  # (key, parents a [n, genes], parents b [n, genes]) -> children


@dataclass(frozen=True)
class Schedule:
    """The mutation's rate and strength, from the first generation to the last."""

    rate: tuple[float, float] = (0.25, 0.05)
    strength: tuple[float, float] = (0.5, 0.1)

    def at(self, generation: Array, generations: int) -> tuple[Array, Array]:
        """Rate and strength of generation g = 0 .. G - 1: linear in t = g / (G - 1)."""
        t = generation / max(generations - 1, 1)
        return tuple(first + t * (last - first) for first, last in (self.rate, self.strength))  # type: ignore[return-value]


PUBLISHED = Schedule()


class Generation(NamedTuple):
    """The next population, and where it comes from."""

    population: Array  # [individuals, genes]: elites, second tier, children
    elites: Array  # [] int32, how many
    parents: Array  # [individuals, 2] int32 into the old population; a survivor is its own two parents


def interleave(key: Array, first: Array, second: Array) -> Array:
    """Children ``[n, genes]``: even genes of the first parents, odd genes of the second."""
    return jnp.where(jnp.arange(first.shape[-1]) % 2 == 0, first, second)


def mutate(key: Array, genomes: Array, rate: Array, strength: Array) -> Array:
    """Each gene with probability ``rate`` plus noise of standard deviation ``strength``."""
    which_key, noise_key = jax.random.split(key)
    noise = strength * jax.random.normal(noise_key, genomes.shape, genomes.dtype)
    return genomes + jnp.where(jax.random.uniform(which_key, genomes.shape) < rate, noise, 0)


def num_survivors(individuals: int, survival_rate: float) -> int:
    survivors = round(survival_rate * individuals)
    if not 2 <= survivors <= individuals:
        raise ValueError(
            f"{survival_rate:g} of {individuals} individuals are {survivors} survivors: two parents must survive"
        )
    return survivors


def next_generation(
    key: Array,
    population: Array,
    fitness: Array,
    rate: Array,
    strength: Array,
    survival_rate: float = 0.3,
    crossover: Crossover = interleave,
) -> Generation:
    """One round of TSER on ``population`` ``[individuals, genes]`` with ``fitness`` ``[individuals]``."""
    individuals = len(population)
    survivors = num_survivors(individuals, survival_rate)
    first_key, second_key, cross_key, mutation_key = jax.random.split(key, 4)
    order = jnp.argsort(-fitness)[:survivors]  # fittest first
    lead = fitness[order] - fitness[order[-1]]  # no rounding may keep those at the mean, or a tier of equals, out
    elites = jnp.maximum((survivors * lead >= lead.sum()).sum(dtype=jnp.int32), 2)

    children = individuals - survivors
    first = jax.random.randint(first_key, (children,), 0, elites)
    second = (first + jax.random.randint(second_key, (children,), 1, elites)) % elites  # another one
    first, second = order[first], order[second]
    born = crossover(cross_key, population[first], population[second])

    everyone = jnp.concatenate([population[order], born])
    mutated = mutate(mutation_key, everyone, rate, strength)
    is_elite = (jnp.arange(individuals) < elites)[:, None]
    parents = jnp.stack([jnp.concatenate([order, first]), jnp.concatenate([order, second])], axis=1)
    return Generation(jnp.where(is_elite, everyone, mutated), elites, parents.astype(jnp.int32))


def breeding(
    first: FirstPopulation,
    generations: int = 250,
    schedule: Schedule = PUBLISHED,
    survival_rate: float = 0.3,
    crossover: Crossover = interleave,
) -> Breeding:
    """TSER over so many generations, from the population that ``first`` makes."""

    def following(
        key: Array, population: Array, hidden: Any, fitness: Array, generation: Array
    ) -> tuple[Array, Any, dict[str, Array]]:
        rate, strength = schedule.at(generation, generations)
        born = next_generation(key, population, fitness, rate, strength, survival_rate, crossover)
        return born.population, (), {"mutation_rate": rate, "mutation_strength": strength, "elites": born.elites}

    return Breeding(lambda key, individuals: (first(key, individuals), ()), following)
