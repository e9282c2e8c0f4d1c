"""evosax's strategies in the place of TSER."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker.learners.evolution import evosax_breeding

GENES, INDIVIDUALS = 12, 20
TARGET = np.linspace(-1, 1, GENES, dtype=np.float32)


def first(key, individuals):
    return 0.5 * jax.random.normal(key, (individuals, GENES))


def fitness(population):
    """Higher is better, 0 at the target."""
    return -((population - TARGET) ** 2).sum(axis=-1)


@pytest.mark.parametrize("name", evosax_breeding.STRATEGIES)
def test_a_population_climbs(name):
    breeding = evosax_breeding.breeding(name, first, INDIVIDUALS)
    population, hidden = jax.jit(breeding.init, static_argnums=1)(jax.random.key(0), INDIVIDUALS)
    begin = float(fitness(population).mean())

    def generation(carry, g):
        population, hidden = carry
        population, hidden, _ = breeding.following(
            jax.random.fold_in(jax.random.key(1), g), population, hidden, fitness(population), g
        )
        return (population, hidden), None

    run = jax.jit(lambda carry: jax.lax.scan(generation, carry, jnp.arange(100))[0])
    population, hidden = run((population, hidden))
    assert population.shape == (INDIVIDUALS, GENES)
    candidates = breeding.candidates(population, hidden)
    assert float(fitness(population).mean()) > 0.25 * begin
    assert float(fitness(candidates).max()) > 0.1 * begin
    assert candidates.shape[0] > INDIVIDUALS  # the mean, or the parents, besides the children


def test_an_unknown_strategy_is_named():
    with pytest.raises(ValueError, match=r"unknown strategy 'es': evosax's are open-es, snes, simple-ga"):
        evosax_breeding.breeding("es", first, INDIVIDUALS)
