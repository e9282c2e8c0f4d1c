"""Fitness: what earnings from several opponents come to."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker.learners.evolution import breeding
from jaxpoker.learners.evolution.learner import PROTOCOLS

INDIVIDUALS = 50


def test_average_normalised_earnings_by_hand():
    """Stacks won by three individuals from four opponents; a big blind is 0.01 stacks."""
    earnings = jnp.array(
        [
            [2.0, 0.5, -1.0, 0.004],
            [1.0, -0.5, -2.0, 0.002],
            [-2.0, 0.25, -0.5, -0.01],
        ]
    )
    # Normalised by 2, 0.5, and twice by the floor: nobody wins from the third, and too little from the fourth.
    expected = [
        (1 + 1 - 100 + 0.4) / 4,
        (0.5 - 1 - 200 + 0.2) / 4,
        (-1 + 0.5 - 50 - 1) / 4,
    ]
    np.testing.assert_allclose(breeding.average_normalised_earnings(earnings, 0.01), expected, rtol=1e-6)


@pytest.mark.parametrize(("opponent", "scale"), list(enumerate([1e-3, 1, 100, 1e5])))
def test_no_opponent_contributes_more_than_its_part(opponent, scale):
    """A quarter of four, for whoever earns most from it; less where the most is below a big blind."""
    earnings = np.zeros((INDIVIDUALS, 4))
    earnings[:, opponent] = scale * np.random.default_rng(9).normal(size=INDIVIDUALS)
    part = np.asarray(breeding.average_normalised_earnings(jnp.asarray(earnings), 0.01))
    assert np.argmax(part) == np.argmax(earnings[:, opponent])
    np.testing.assert_allclose(part.max(), 0.25 * min(earnings.max() / 0.01, 1), rtol=1e-5)


def test_a_very_good_players_earnings_are_fitness_one():
    """Two sessions won, half as much from the last; or, with stacks reset, so many mBB/hand from either seat."""
    assert (
        float(breeding.earnings_over(PROTOCOLS["seed"].normalisers(500))(jnp.asarray([[2.0, 2, 2, 1]]), 0.01)[0]) == 1
    )
    paper = PROTOCOLS["paper"]
    hands = 250
    mbb = np.array([1_000, 40_000, 30_000, 5_000])
    stacks = mbb / 1000 * 2 * hands / 200  # a stack is 200 big blinds
    fitness = breeding.earnings_over(paper.normalisers(hands))
    assert float(fitness(jnp.asarray(stacks)[None], 0.01)[0]) == pytest.approx(1)
    assert float(fitness(jnp.asarray(stacks * [1, 0, 0, -1])[None], 0.01)[0]) == pytest.approx(0)
    with pytest.raises(ValueError, match="above 0"):
        breeding.earnings_over([1, 0])
