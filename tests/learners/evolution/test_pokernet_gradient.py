"""Policy gradient for PokerNet: its gradient by hand, memory in play and in hindsight, and that it learns to win."""

import dataclasses
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker.learners.evolution.learner import NETWORK, PROTOCOLS
from jaxpoker.learners.evolution.pokernet_gradient import PokerNetGradient, Segment, loss_of, means_of
from jaxpoker.models import pokernet

pytestmark = pytest.mark.thorough

CALLER = dataclasses.replace(PROTOCOLS["paper"], family=("calling machine",))
LEARNER = PokerNetGradient(
    CALLER, updates=60, sets=8, segments=4, win_samples=30, spread=(0.6, 0.2), initial_spread=0.4
)


@pytest.fixture(scope="module")
def play():
    """A segment, how it ended, and the means thought through again."""

    def both(genome, memory, spread):
        segment, end = LEARNER.play(genome, memory, spread, jax.random.key(5), jax.random.key(6))
        return segment, end, means_of(genome, segment, memory)

    return jax.jit(both)


@pytest.fixture(scope="module")
def first():
    return LEARNER.init(jax.random.key(0))


def some_memory(tables, seed=1):
    """Tables between two hands of a session: the opponent LSTM remembers something, the game LSTM nothing."""
    shapes = pokernet.empty_memory()
    rng = np.random.default_rng(seed)
    drawn = jax.tree.map(lambda x: jnp.asarray(rng.uniform(-1, 1, (tables, *x.shape)), np.float32), shapes)
    return jax.jit(pokernet.new_hand)(drawn)


@pytest.fixture(scope="module")
def tiny():
    """Four decisions at two tables: table 0 plays two hands, table 1 one hand and has ended after two decisions."""
    rng = np.random.default_rng(0)
    hand = jnp.array([[0, 0], [0, 0], [1, 0], [1, 0]])
    decides = jnp.array([[True, True], [True, True], [True, False], [True, False]])
    features = jnp.asarray(rng.random((4, 2, 8)), jnp.float32)
    return Segment(features, jnp.asarray(rng.uniform(-1, 1, (4, 2)), jnp.float32), hand, decides)


DECIDE = jax.jit(lambda genome, features, memory: pokernet.apply(pokernet.params_of(genome), features, memory))
LOSS = jax.jit(jax.value_and_grad(loss_of))


def means_one_by_one(genome, segment, memory):
    """The means as a plain loop over tables and decisions."""
    means = np.full(segment.output.shape, np.nan)
    for table in range(segment.output.shape[1]):
        kept, hand = jax.tree.map(lambda x, i=table: x[i], memory), None
        for t in range(segment.output.shape[0]):
            if not segment.decides[t, table]:
                continue
            if hand is not None and hand != int(segment.hand[t, table]):
                kept = pokernet.new_hand(kept)
            hand = int(segment.hand[t, table])
            mean, kept = DECIDE(genome, segment.features[t, table], kept)
            means[t, table] = mean
    return means


ADVANTAGES = jnp.array([[1.5, -0.5], [-2.0, 0.0]])  # [tables, hands]
SPREAD, PULL = 0.3, 0.25


def test_the_loss_is_the_formulas(first, tiny):
    memory = some_memory(2)
    means = means_one_by_one(first.genome, tiny, memory)
    decides = np.asarray(tiny.decides)
    advantage = np.array([[1.5, -2.0], [1.5, -2.0], [-0.5, 0], [-0.5, 0]])
    log_probability = -((np.asarray(tiny.output) - means) ** 2) / (2 * SPREAD**2)
    expected = -np.nansum(advantage * log_probability) / 4 + PULL * np.nanmean(np.where(decides, means**2, np.nan))
    loss, _ = LOSS(first.genome, tiny, memory, ADVANTAGES, SPREAD, PULL)
    assert float(loss) == pytest.approx(expected, rel=1e-4)


def test_the_gradient_of_the_last_bias_is_the_hand_computed_one(first, tiny):
    """With μ = tanh(... + b):  d loss / d b = sum of (1 - μ²) (- A (o - μ) / σ² / hands + pull 2 μ / decisions)."""
    memory = some_memory(2)
    _, gradient = LOSS(first.genome, tiny, memory, ADVANTAGES, SPREAD, PULL)
    means = means_one_by_one(first.genome, tiny, memory)
    advantage = np.array([[1.5, -2.0], [1.5, -2.0], [-0.5, 0], [-0.5, 0]])
    score = (np.asarray(tiny.output) - means) / SPREAD**2
    expected = np.nansum((1 - means**2) * (-advantage * score / 4 + PULL * 2 * means / 6))
    assert float(jax.jit(pokernet.params_of)(gradient).output.bias[...][0]) == pytest.approx(expected, rel=1e-3)


def test_the_gradient_is_that_of_finite_differences(first, tiny):
    """Along random directions, through both LSTMs and over the border of the two hands."""
    genome, memory = np.asarray(first.genome), some_memory(2)

    def at(genome):
        return LOSS(genome, tiny, memory, ADVANTAGES, SPREAD, PULL)

    gradient, step = np.asarray(at(genome)[1], np.float64), 1e-4
    for seed in range(3):
        direction = np.random.default_rng(seed).normal(size=genome.shape).astype(np.float32)
        direction += 3 * np.sign(gradient, dtype=np.float32)  # uphill, or rounding would be all that is measured
        slope = (float(at(genome + step * direction)[0]) - float(at(genome - step * direction)[0])) / (2 * step)
        assert slope == pytest.approx(gradient @ direction.astype(np.float64), rel=1e-2)


def test_memory_in_hindsight_is_memory_in_play(first, play):
    """Without noise o is its mean: thinking a segment through again gives every o that was played."""
    memory = some_memory(LEARNER.tables)
    segment, end, means = jax.device_get(play(first.genome, memory, 0.0))
    assert end.table.over.all()
    assert (segment.hand.max(axis=0) == LEARNER.hands - 1).all()
    assert segment.decides.sum() > 2 * LEARNER.tables * LEARNER.hands  # several decisions a hand: streets count
    np.testing.assert_allclose(means[segment.decides], segment.output[segment.decides], atol=1e-5)
    assert np.ptp(segment.output[segment.decides]) > 0.1
    # Every decision is recorded, and none of an opponent's.
    counts = end.counts
    acted = counts.folds + counts.checks + counts.calls + counts.raises
    np.testing.assert_array_equal(segment.decides.sum(axis=0), acted[:, NETWORK])


def test_the_same_deals_are_played_at_all_copies(first, play):
    """The first thing that the network sees in a hand tells the deal apart; seats differ in what they see."""
    segment, _, _ = jax.device_get(play(first.genome, some_memory(LEARNER.tables), 0.5))
    wins = segment.features[0, :, 4].reshape(LEARNER.sets, 2, LEARNER.copies)
    np.testing.assert_array_equal(wins, wins[..., :1].repeat(LEARNER.copies, axis=-1))
    assert len(np.unique(wins)) > LEARNER.sets


def test_a_hand_is_judged_by_the_other_tables_with_its_deal():
    """Two opponents, one set of decks, two seats, three copies, two hands; one table did not end its second hand."""
    learner = PokerNetGradient(dataclasses.replace(CALLER, family=("a", "b")), sets=1, copies=3, hands=2)
    won = np.zeros((12, 2), np.float32)
    won[:3] = [[3, 0], [0, 6], [0, 100]]  # opponent a, seat 0: the 100 is of a hand under way
    won[6:9] = [[40, 0], [-20, 0], [-20, 0]]  # opponent b, seat 0
    ended = np.full(12, True)
    ended[2] = False

    @jax.jit
    def judged(hand_index, over, by_hand):
        table = SimpleNamespace(hand_index=hand_index, over=over)
        return learner.advantages(SimpleNamespace(table=table, by_hand=by_hand))

    advantages, has_ended = jax.device_get(judged(np.ones(12, np.int32), ended, np.stack([won, -won], axis=-1)))
    assert has_ended.sum() == 23 and not has_ended[2, 1]
    expected = np.zeros((12, 2))
    expected[:3] = [[3, -6], [-1.5, 6], [-1.5, 0]]
    expected[6:9, 0] = [60, -30, -30]
    scale = np.repeat([np.sqrt((expected[:6] ** 2).mean()), np.sqrt((expected[6:] ** 2).mean())], 6)
    np.testing.assert_allclose(advantages, expected / scale[:, None], rtol=1e-5)


def test_alone_with_a_deal_there_is_nobody_to_compare_with():
    with pytest.raises(ValueError, match="copies = 1"):
        PokerNetGradient(CALLER, copies=1)


def test_spread_falls_from_the_first_value_to_the_last():
    assert [float(LEARNER.spread_at(jnp.int32(step))) for step in (0, 59, 1000)] == pytest.approx([0.6, 0.2, 0.2])


def test_a_new_opponent_is_met_without_memory_and_an_old_one_with_it(first):
    """At step 0 every fourth table has a new opponent; the other tables go on with what they remember."""
    forgetful, mindful = (
        LEARNER.update(dataclasses.replace(jax.tree.map(jnp.copy, first), memory=some_memory(LEARNER.tables, seed)))[0]
        for seed in (1, 2)
    )
    differs = (np.asarray(forgetful.memory.opponent_cell) != np.asarray(mindful.memory.opponent_cell)).any(axis=1)
    np.testing.assert_array_equal(differs, np.arange(LEARNER.tables) % 4 != 0)
    assert not np.asarray(forgetful.memory.game_cell).any()


def test_it_learns_to_beat_the_calling_machine(first, play):
    """From play that loses or breaks even to several big blinds a hand; the mean alone, without noise, wins too."""
    state, earned = jax.tree.map(jnp.copy, first), []
    for _ in range(LEARNER.updates):
        state, metrics = LEARNER.update(state)
        earned.append(float(metrics["earnings/calling machine"]))
    assert int(state.step) == LEARNER.updates and state.genome.shape == (pokernet.GENOME_SIZE,)
    assert float(metrics["hands"]) == LEARNER.tables * LEARNER.hands and float(metrics["hands_cut"]) == 0
    assert np.mean(earned[-10:]) > max(np.mean(earned[:10]), 0) + 3_000
    _, end, _ = play(state.genome, state.memory, 0.0)
    assert float(end.winnings[:, NETWORK].mean()) / LEARNER.hands > 3
