"""Evolution strategies of evosax (the extra ``evosax``) in place of TSER, to compare with.

    open-es     a Gaussian around one genome that climbs an estimated gradient by Adam (Salimans et al., 2017)
    snes        a Gaussian with a standard deviation for each gene (Wierstra et al., 2014)
    simple-ga   the better half has children, who are mutated in every gene (Such et al., 2017)

evosax minimises, so fitness is handed over with its sign turned.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax

from jaxpoker.learners.evolution.breeding import Breeding, FirstPopulation

Array = jax.Array

STRATEGIES = ("open-es", "snes", "simple-ga")
SPREAD = 0.1  # standard deviation of a gene around the mean, to begin with
LEARNING_RATE = 0.05  # of open-es' Adam


def breeding(name: str, first: FirstPopulation, individuals: int) -> Breeding:
    """The strategy called ``name`` for a population of ``individuals``, which ``first`` begins.

    The Gaussian ones begin around the first individual; their champion may also be the mean itself.
    """
    genes = jax.eval_shape(lambda key: first(key, 1), jax.random.key(0)).shape[1]
    algorithm, gaussian = _algorithm(name, individuals, jnp.zeros(genes))
    params = algorithm.default_params
    if hasattr(params, "std_init"):
        params = params.replace(std_init=jnp.float32(SPREAD))

    def init(key: Array, individuals: int) -> tuple[Array, Any]:
        first_key, init_key, ask_key = jax.random.split(key, 3)
        population = first(first_key, individuals)
        if not gaussian:  # it is born of parents who have played: this population plays first
            unknown = jnp.full(individuals, jnp.inf)
            return population, algorithm.init(init_key, population, unknown, params)
        return algorithm.ask(ask_key, algorithm.init(init_key, population[0], params), params)

    def following(
        key: Array, population: Array, hidden: Any, fitness: Array, generation: Array
    ) -> tuple[Array, Any, dict[str, Array]]:
        tell_key, ask_key = jax.random.split(key)
        hidden, _ = algorithm.tell(tell_key, population, -fitness, hidden, params)
        return *algorithm.ask(ask_key, hidden, params), {}

    def candidates(population: Array, hidden: Any) -> Array:
        own = hidden.mean[None] if gaussian else hidden.population
        return jnp.concatenate([own, population])

    return Breeding(init, following, candidates)


def _algorithm(name: str, individuals: int, genome: Array) -> tuple[Any, bool]:
    """evosax's algorithm, and whether it is a Gaussian around a mean."""
    try:
        from evosax import algorithms
    except ModuleNotFoundError as error:
        raise ValueError(f"strategy {name!r} is evosax's: pip install 'jaxpoker[evosax]'") from error
    if name == "open-es":
        spread = optax.constant_schedule(SPREAD)
        adam = optax.adam(LEARNING_RATE)
        return algorithms.Open_ES(individuals, genome, optimizer=adam, std_schedule=spread), True
    if name == "snes":
        return algorithms.SNES(individuals, genome), True
    if name == "simple-ga":
        spread = optax.constant_schedule(SPREAD)
        return algorithms.SimpleGA(individuals, genome, std_schedule=spread), False
    raise ValueError(f"unknown strategy {name!r}: evosax's are {', '.join(STRATEGIES)}")
