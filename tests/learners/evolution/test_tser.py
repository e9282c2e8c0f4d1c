"""TSER on toy fitness: who survives, who has children with whom, and how much they change."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker.learners.evolution import tser

INDIVIDUALS, GENES = 50, 40
SURVIVORS, CHILDREN = 15, 35
RUNS = 60


def key(seed):
    return jax.random.key(seed)


@pytest.fixture(scope="module")
def next_generation():
    """The published sizes; rate and strength are data."""
    return jax.jit(tser.next_generation, static_argnames=("survival_rate", "crossover"))


@pytest.fixture(scope="module")
def population():
    """[50, 40] with no gene twice, and minus zeros, whose sign a needless + 0 would lose."""
    genes = np.random.default_rng(0).permutation(INDIVIDUALS * GENES).reshape(INDIVIDUALS, GENES).astype(np.float32)
    genes[:, 7] = -0.0
    return genes


@pytest.fixture(scope="module")
def fitness():
    """[50] in no order. The fittest 15 have 71, 67, 66, 65, 64 and 10 ... 1: a mean of 25.87 and five elites."""
    values = np.concatenate([[71, 67, 66, 65, 64], np.arange(10, 0, -1), -np.arange(CHILDREN)]).astype(np.float32)
    return np.random.default_rng(1).permutation(values)


def bits(x):
    return np.asarray(x, np.float32).view(np.uint32)


def by_fitness(fitness):
    return np.argsort(-fitness, kind="stable")


# --- survival ---------------------------------------------------------------------------------


def test_elites_come_first_and_untouched(next_generation, population, fitness):
    after = next_generation(key(0), population, fitness, 1.0, 0.5)
    assert after.elites == 5
    np.testing.assert_array_equal(bits(after.population[:5]), bits(population[by_fitness(fitness)[:5]]))


def test_the_second_tier_follows_mutated(next_generation, population, fitness):
    after = np.asarray(next_generation(key(0), population, fitness, 1.0, 0.5).population)
    second = population[by_fitness(fitness)[5:SURVIVORS]]
    change = after[5:SURVIVORS] - second
    assert (change != 0).all()
    assert np.abs(change).max() < 0.5 * 5  # near those they were
    assert after.shape == (INDIVIDUALS, GENES)


def test_survivors_are_their_own_parents(next_generation, population, fitness):
    after = next_generation(key(0), population, fitness, 1.0, 0.5)
    assert after.parents.dtype == jnp.int32
    np.testing.assert_array_equal(after.parents[:SURVIVORS], np.repeat(by_fitness(fitness)[:SURVIVORS, None], 2, 1))


@pytest.mark.parametrize(("survival_rate", "individuals", "survivors"), [(0.3, 50, 15), (0.3, 10, 3), (0.5, 8, 4)])
def test_a_part_of_the_population_survives(next_generation, survival_rate, individuals, survivors):
    """Whoever is not fit enough leaves nothing behind: with no mutation all genes are the survivors'."""
    assert tser.num_survivors(individuals, survival_rate) == survivors
    population = np.arange(individuals * 4, dtype=np.float32).reshape(individuals, 4)
    fitness = np.random.default_rng(2).permutation(individuals).astype(np.float32)
    after = next_generation(key(1), population, fitness, 0.0, 0.5, survival_rate)
    best = by_fitness(fitness)[:survivors]
    np.testing.assert_array_equal(after.population[:survivors], population[best])
    assert set(np.asarray(after.population).ravel()) <= set(population[best].ravel())


ELITES = {
    "above the mean": (np.arange(15, 0, -1), 8),  # mean 8
    "exactly at the mean counts": ([4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 0], 13),  # mean 2
    "one dwarfs all": ([1e6, *np.arange(14, 0, -1)], 2),
    "one dwarfs the equals": ([5.0] + [0.0] * 14, 2),
    "one lags behind": ([0.3] * 14 + [-5.0], 14),
    "all equal": ([0.1] * 15, 15),
    "all equal and negative": ([-0.7] * 15, 15),
    "all losers": (-np.arange(1, 16), 8),
}


@pytest.mark.parametrize(("values", "elites"), ELITES.values(), ids=ELITES)
def test_elites_are_survivors_at_or_above_their_mean(next_generation, population, values, elites):
    """Two at least. Nobody else's fitness counts."""
    fitness = np.concatenate([np.full(CHILDREN, -100.0), values]).astype(np.float32)
    after = next_generation(key(2), population, fitness, 1.0, 0.5)
    assert after.elites == elites
    before = population[CHILDREN:]
    same = (bits(after.population[:SURVIVORS]) == bits(before)).all(axis=1)
    np.testing.assert_array_equal(same, np.arange(SURVIVORS) < elites)
    assert set(np.asarray(after.parents[SURVIVORS:]).ravel()) <= set(range(CHILDREN, CHILDREN + elites))


@pytest.mark.parametrize("value", np.random.default_rng(3).random(20).astype(np.float32))
def test_equals_are_all_elites_whatever_rounding_does_to_their_mean(next_generation, population, value):
    assert next_generation(key(2), population, np.full(INDIVIDUALS, value), 1.0, 0.5).elites == SURVIVORS


@pytest.mark.parametrize(
    ("individuals", "rate", "message"),
    [
        (5, 0.2, "0.2 of 5 individuals are 1 survivors: two parents must survive"),
        (50, 0.0, "0 of 50 individuals are 0 survivors"),
        (4, 2.0, "2 of 4 individuals are 8 survivors"),
    ],
)
def test_two_must_survive(individuals, rate, message):
    with pytest.raises(ValueError, match=message):
        tser.num_survivors(individuals, rate)
    with pytest.raises(ValueError, match=message):
        tser.next_generation(key(0), jnp.zeros((individuals, 3)), jnp.zeros(individuals), 0.1, 0.1, rate)


def test_two_are_enough(next_generation, population):
    """Two elites and no second tier: each child has them both."""
    after = next_generation(key(3), population[:7], np.arange(7, dtype=np.float32), 0.0, 0.5)
    assert after.elites == 2
    assert {tuple(sorted(pair)) for pair in np.asarray(after.parents[2:]).tolist()} == {(5, 6)}


# --- children ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(population, fitness):
    """60 next generations of the same population, without mutation."""
    run = jax.jit(jax.vmap(tser.next_generation, in_axes=(0, None, None, None, None)))
    return jax.tree.map(np.asarray, run(jax.random.split(key(4), RUNS), population, fitness, 0.0, 0.5))


def test_children_have_even_genes_of_one_parent_and_odd_genes_of_the_other(many, population):
    first, second = (population[many.parents[:, SURVIVORS:, i]] for i in range(2))  # [60, 35, 40]
    children = many.population[:, SURVIVORS:]
    np.testing.assert_array_equal(children[..., ::2], first[..., ::2])
    np.testing.assert_array_equal(children[..., 1::2], second[..., 1::2])


def test_parents_are_two_different_elites_and_all_pairs_occur(many, fitness):
    """Twenty ordered pairs of five elites, equally likely: chi-square with 19 degrees of freedom."""
    pairs = many.parents[:, SURVIVORS:].reshape(-1, 2)
    best = by_fitness(fitness)[:5].tolist()
    assert set(pairs.ravel().tolist()) == set(best)
    assert (pairs[:, 0] != pairs[:, 1]).all()
    counts = [(pairs == pair).all(axis=1).sum() for pair in itertools.permutations(best, 2)]
    expected = len(pairs) / 20
    assert sum(counts) == len(pairs) == RUNS * CHILDREN
    assert sum((count - expected) ** 2 / expected for count in counts) < 50  # one in 7,500


def test_without_mutation_the_second_tier_stays(many, population, fitness):
    np.testing.assert_array_equal(many.population[0, 5:SURVIVORS], population[by_fitness(fitness)[5:SURVIVORS]])


def test_another_crossover(next_generation, population, fitness):
    """It gets a key of its own and both parents, and its children are what is mutated."""
    calls = []

    def halves(key, first, second):
        calls.append((first.shape, second.shape))
        return jnp.where(jnp.arange(GENES) < GENES // 2, first, second) + jax.random.bernoulli(key, 0.5, (GENES,))

    after = next_generation(key(5), population, fitness, 0.0, 0.5, crossover=halves)
    assert calls == [((CHILDREN, GENES), (CHILDREN, GENES))]
    first, second = (population[after.parents[SURVIVORS:, i]] for i in range(2))
    added = after.population[SURVIVORS:] - np.concatenate([first[:, :20], second[:, 20:]], axis=1)
    assert set(np.asarray(added).ravel()) == {0, 1}
    np.testing.assert_array_equal(added, np.tile(added[0], (CHILDREN, 1)))


def test_interleave():
    child = tser.interleave(key(0), jnp.arange(5.0)[None], jnp.arange(10.0, 15.0)[None])
    np.testing.assert_array_equal(child, [[0, 11, 2, 13, 4]])


# --- mutation ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "strength"), [(0.25, 0.5), (0.05, 0.1), (1.0, 2.0)])
def test_rate_and_strength_of_mutation(rate, strength):
    """Binomial bounds for the number, chi-square ones for the spread, and the tails of a normal distribution."""
    genomes = np.zeros((200, 1000), np.float32)
    change = np.asarray(jax.jit(tser.mutate)(key(6), genomes, rate, strength))
    changed = change[change != 0]
    count = genomes.size
    assert abs(len(changed) - rate * count) <= 4.5 * math.sqrt(rate * (1 - rate) * count)
    assert abs(changed.mean()) < 4.5 * strength / math.sqrt(len(changed))
    assert abs(changed.std() / strength - 1) < 4.5 / math.sqrt(2 * len(changed))
    beyond = math.erfc(2 / math.sqrt(2))
    assert abs((np.abs(changed) > 2 * strength).mean() - beyond) < 4.5 * math.sqrt(beyond / len(changed))
    by_row = (change != 0).sum(axis=1)
    assert abs(by_row - rate * 1000).max() <= 5 * math.sqrt(rate * (1 - rate) * 1000)  # alike for everybody
    assert len(np.unique(change[:, 0])) > 5  # and each for itself


def test_no_mutation_at_rate_zero(population):
    np.testing.assert_array_equal(tser.mutate(key(7), population, 0.0, 0.5), population)
    np.testing.assert_array_equal(tser.mutate(key(7), population, 1.0, 0.0), population)


def test_children_and_second_tier_mutate_at_the_same_rate(next_generation, fitness):
    population = np.zeros((INDIVIDUALS, 4000), np.float32)
    after = np.asarray(next_generation(key(8), population, fitness, 0.25, 0.5).population)
    share = (after != 0).mean(axis=1)
    assert not share[:5].any()
    assert (np.abs(share[5:] - 0.25) < 4.5 * math.sqrt(0.25 * 0.75 / 4000)).all()
    spread = np.array([row[row != 0].std() for row in after[5:]])
    assert (np.abs(spread / 0.5 - 1) < 4.5 / math.sqrt(2 * 1000)).all()


@pytest.mark.parametrize(
    ("generation", "generations", "rate", "strength"),
    [
        (0, 250, 0.25, 0.5),
        (249, 250, 0.05, 0.1),
        (83, 250, 0.25 - 0.2 / 3, 0.5 - 0.4 / 3),
        (1, 3, 0.15, 0.3),
        (0, 2, 0.25, 0.5),
        (1, 2, 0.05, 0.1),
        (0, 1, 0.25, 0.5),
    ],
)
def test_mutation_falls_linearly_from_the_first_generation_to_the_last(generation, generations, rate, strength):
    at = tser.PUBLISHED.at(jnp.int32(generation), generations)
    np.testing.assert_allclose(at, [rate, strength], rtol=1e-5)


def test_another_schedule():
    schedule = tser.Schedule(rate=(0.1, 0.9), strength=(1.0, 1.0))
    np.testing.assert_allclose(schedule.at(jnp.int32(5), 11), [0.5, 1.0], rtol=1e-6)


# --- all of it --------------------------------------------------------------------------------


def test_sixty_generations_come_close_to_a_target():
    """Minus the squared distance from a fixed vector; the best never gets worse, because elites are immune."""
    target = jax.random.normal(key(10), (GENES,))

    def fitness_of(population):
        return -((population - target) ** 2).mean(axis=1)

    def generation(population, inputs):
        number, key = inputs
        fitness = fitness_of(population)
        rate, strength = tser.PUBLISHED.at(number, RUNS)
        after = tser.next_generation(key, population, fitness, rate, strength)
        return after.population, (fitness.max(), fitness.mean())

    start = 0.5 * jax.random.normal(key(11), (INDIVIDUALS, GENES))
    run = jax.jit(lambda population, keys: jax.lax.scan(generation, population, (jnp.arange(RUNS), keys)))
    end, (best, mean) = jax.tree.map(np.asarray, run(start, jax.random.split(key(12), RUNS)))
    assert (np.diff(best) >= 0).all()
    assert best[0] < -0.7
    assert fitness_of(end).max() > -0.05
    assert mean[-1] > best[0] / 2


def test_the_same_key_gives_the_same_generation(next_generation, population, fitness):
    one, again, other = (next_generation(key(seed), population, fitness, 0.25, 0.5).population for seed in (13, 13, 14))
    np.testing.assert_array_equal(one, again)
    assert (np.asarray(one)[SURVIVORS:] != np.asarray(other)[SURVIVORS:]).mean() > 0.3
