"""Neuroevolution: sessions against a plain loop, generations, memory, and runs that resume bitwise."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import players, runs
from jaxpoker.learners.evolution import learner as evolution
from jaxpoker.learners.evolution import tser
from jaxpoker.learners.evolution.breeding import Breeding
from jaxpoker.learners.evolution.learner import NETWORK, PROTOCOLS, Decks, Evolution
from jaxpoker.models import pokernet
from jaxpoker.players.networks import pokernet as pokernet_player

SEED = PROTOCOLS["seed"]
SMALL = Evolution(
    SEED,
    individuals=6,
    hands=12,
    win_samples=20,
    breeding=tser.breeding(pokernet.random_genomes, generations=4, survival_rate=0.5),
)


@dataclasses.dataclass(frozen=True)
class Config:
    """Of a run in the tests."""

    generations: int = 4
    seed: int = 3


@pytest.fixture(scope="module")
def first_generation():
    """The first state, the second, and the metrics between them."""
    before = SMALL.init(jax.random.key(0))
    copied = jax.tree.map(jnp.copy, before)  # an update may use its argument's memory
    after, metrics = SMALL.update(before)
    return copied, after, {name: value.item() for name, value in metrics.items()}


def sessions_of(learner, population, deal_key, play_key):
    return jax.device_get(jax.jit(learner.play)(population, deal_key, play_key))


@pytest.fixture(scope="module")
def known_deals():
    """[opponents, hands]: those of the sessions that are ``played``."""
    deal = jax.jit(lambda key: SEED.game.deal(key, (len(SEED.family), SMALL.hands), SMALL.win_samples))
    return jax.device_get(deal(jax.random.key(7)))


@pytest.fixture(scope="module")
def played(first_generation):
    """What the first population makes of deals that the test knows."""
    population = first_generation[0].population
    population = population.at[1].set(population[0])  # twins
    return population, sessions_of(SMALL, population, jax.random.key(7), jax.random.key(8))


def reference(genome, name, rotation, deals):
    """One session as a plain loop: winnings of the network in big blinds, and hands played."""
    game = SEED.game
    network, opponent = pokernet_player(), players.make(name, game)
    params = PARAMS_OF(genome)
    key = jax.random.key(0)  # these opponents use none
    table = START(deals)
    memory, won, hands = pokernet.empty_memory(), 0.0, 0
    while not table.over:
        if not TO_DECIDE(table):
            choice = 0
        elif int(table.hand.current_player) == rotation:
            choice, memory = ACT[network](params, memory, game, table.hand, key)
        else:
            choice, _ = ACT[opponent](None, (), game, table.hand, key)
        turn = STEP(table, choice)
        if turn.ended:
            won += float(turn.hand.rewards[rotation])
            hands += 1
            memory = pokernet.new_hand(memory)
        table = turn.table
    return won, hands


class _Jitted(dict):
    def __missing__(self, player):
        self[player] = jax.jit(player.act, static_argnums=2)
        return self[player]


ACT = _Jitted()
START, TO_DECIDE, STEP = map(jax.jit, (SEED.session.start, SEED.session.to_decide, SEED.session.act))
PARAMS_OF = jax.jit(pokernet.params_of)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["call", "check-fold", "raise"])
def test_sessions_side_by_side_are_sessions_one_by_one(played, known_deals, name):
    population, scores = played
    o = SEED.family.index(name)
    deals = jax.tree.map(lambda x: x[o], known_deals)
    for individual in (0, 4):
        total = 0
        for rotation in (0, 1):
            won, hands = reference(population[individual], name, rotation, deals)
            assert scores.winnings[individual, o, rotation] == pytest.approx(won, abs=1e-3)
            total += hands
        assert scores.hands[individual, o] == total


def test_twins_earn_the_same_from_players_without_dice(played):
    _, scores = played
    for name in ("call", "check-fold", "raise"):
        o = SEED.family.index(name)
        np.testing.assert_array_equal(scores.winnings[0, o], scores.winnings[1, o])
    assert len(np.unique(scores.winnings[:, 0, 0])) > 1


@pytest.mark.thorough
def test_the_last_tables_end_as_they_would_have_in_the_hall(played, monkeypatch):
    """With few tables left they are moved: nothing but the dice of the last hands changes."""
    population, scores = played
    monkeypatch.setattr(evolution, "LAST_TABLES", 16)
    moved = sessions_of(dataclasses.replace(SMALL), population, jax.random.key(7), jax.random.key(8))
    for name in ("call", "check-fold", "raise"):
        o = SEED.family.index(name)
        np.testing.assert_array_equal(moved.winnings[:, o], scores.winnings[:, o])
        np.testing.assert_array_equal(moved.hands[:, o], scores.hands[:, o])


def test_a_generation_judges_and_reproduces(first_generation):
    before, after, metrics = first_generation
    assert int(after.step) == 1
    # The elites of the new population are of the old one.
    old = {row.tobytes() for row in np.asarray(before.population)}
    elites = int(metrics["elites"])
    new = [row.tobytes() for row in np.asarray(after.population)]
    assert elites >= 2 and all(row in old for row in new[:elites])
    assert not any(row in old for row in new[3:])  # children; three of six survive
    assert metrics["mutation_rate"] == pytest.approx(0.25) and metrics["mutation_strength"] == pytest.approx(0.5)
    assert metrics["fitness_best"] >= metrics["fitness_mean"] >= metrics["fitness_worst"]


@pytest.mark.thorough
def test_more_decks_make_more_sessions_and_the_fittest_wins_the_run_off():
    learner = dataclasses.replace(SMALL, repeats=2, hands=6)
    state = SMALL.init(jax.random.key(0))
    opponents, _, decks = jax.eval_shape(learner.decks, jax.random.key(1))
    assert opponents.shape == (16,)  # four opponents, two sets, both seats
    assert {leaf.shape[:2] for leaf in jax.tree.leaves(decks)} == {(16, 6)}
    champion, fitness = learner.fittest(state, jax.random.key(5))
    assert fitness.shape == (6,) and len(np.unique(fitness)) > 2
    np.testing.assert_array_equal(champion, state.population[int(np.argmax(fitness))])


def test_metrics_are_there_for_every_opponent_in_the_familys_order(first_generation):
    metrics = first_generation[2]
    by_opponent = [name.partition("/")[2] for name in metrics if "/" in name]
    assert list(dict.fromkeys(by_opponent)) == list(SEED.family)
    for name in SEED.family:
        actions = sum(metrics[f"{what}/{name}"] for what in ("fold", "check", "call", "raise"))
        assert actions == pytest.approx(1, abs=1e-5)
        assert -2 <= metrics[f"earnings/{name}"] <= 2
        assert 0 < metrics[f"hands/{name}"] <= SMALL.hands
        assert 0 <= metrics[f"win/{name}"] <= 1
    assert 0 < metrics["hands"] <= 6 * 8 * SMALL.hands
    assert metrics["wins"] + metrics["losses"] <= 6 * 8


@pytest.mark.thorough
def test_without_memory_every_hand_is_the_first(played, known_deals):
    """An individual that forgets plays each hand as a session of its own would begin."""
    population, _ = played
    o = SEED.family.index("call")
    decks = Decks(jax.tree.map(lambda x: x[o : o + 1], known_deals), None)

    @jax.jit
    def play(genomes, remembers):
        params = jax.vmap(pokernet.params_of)(genomes)
        return SMALL.sessions(params, jnp.array([o]), [0], decks, jax.random.key(0), remembers, True)

    end = jax.device_get(play(population[np.array([2, 2])], np.array([True, False])))
    assert end.by_hand.shape == (2, 1, SMALL.hands, 2)
    np.testing.assert_allclose(end.by_hand[..., NETWORK].sum(axis=-1), end.winnings[..., NETWORK], atol=1e-3)
    assert np.abs(end.memories[NETWORK][0].opponent_cell[0]).max() > 0
    first_hand = end.by_hand[:, 0, 0, NETWORK]
    assert first_hand[0] == first_hand[1]


def test_custom_fitness_crossover_and_selection_are_used(played):
    """Seen while tracing, which is enough to see them and compiles nothing."""
    seen = {}
    genes, scores = pokernet.GENOME_SIZE, jax.tree.map(jnp.asarray, played[1])

    class Replayed(Evolution):
        """Its sessions have been played before."""

        def play(self, population, deal_key, play_key):
            return scores

    def fitness(earnings, floor):
        seen["fitness"] = (earnings.shape, floor)
        return earnings[:, 0]

    def crossover(key, first, second):
        seen["crossover"] = (first.shape, second.shape)
        return first

    def following(key, population, hidden, fitness, generation):
        seen["selection"] = (population.shape, hidden.shape, fitness.shape)
        return population[:3], hidden + 1, {"chosen": fitness.max()}

    def generation(breeding):
        learner = Replayed(SEED, individuals=6, fitness=fitness, breeding=breeding)
        return jax.eval_shape(learner._generation, jax.eval_shape(learner.init, jax.random.key(0)))

    state, _ = generation(tser.breeding(pokernet.random_genomes, survival_rate=0.5, crossover=crossover))
    assert seen == {"fitness": ((6, 4), 10 / 1000), "crossover": ((3, genes), (3, genes))}
    assert state.population.shape == (6, genes)
    state, metrics = generation(Breeding(lambda key, n: (jnp.zeros((n, genes)), jnp.zeros(2)), following))
    assert seen["selection"] == ((6, genes), (2,), (6,)) and "chosen" in metrics
    assert state.population.shape == (3, genes) and state.hidden.shape == (2,)


def launch(folder, name, resume=False):
    return runs.Launch("evolve", "quick", Config(), name, resume=resume, runs=folder, checkpoint_seconds=0.0)


class Halting:
    """A learner that is interrupted after so many generations."""

    def __init__(self, generations):
        self.left = generations

    def init(self, key):
        return SMALL.init(key)

    def update(self, state):
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return SMALL.update(state)


def test_an_interrupted_evolution_ends_with_the_same_bits(tmp_path):
    with runs.start(launch(tmp_path, "whole")) as run:
        whole = run.train(SMALL, steps=4)
        lines = run.metrics()
    with pytest.raises(KeyboardInterrupt), runs.start(launch(tmp_path, "cut")) as run:
        run.train(Halting(2), steps=4)
    with runs.start(launch(tmp_path, "cut", resume=True)) as run:
        cut = run.train(SMALL, steps=4)
        again = run.metrics()
    np.testing.assert_array_equal(whole.population, cut.population)
    for row in (*lines, *again):
        row.pop("seconds")
    assert lines == again


def test_both_protocols_are_the_published_ones():
    seed, paper = PROTOCOLS["seed"], PROTOCOLS["paper"]
    assert (seed.game.stack, seed.game.small_blind, seed.game.big_blind, seed.carry_over) == (1000, 5, 10, True)
    assert (paper.game.stack // paper.game.big_blind, paper.carry_over) == (200, False)
    assert seed.family == players.FAMILIES["seed"] and paper.family == players.FAMILIES["paper"]
