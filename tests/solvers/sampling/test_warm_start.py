"""A solver that starts from a strategy plays it, and leaves it as slowly as it is told."""

import dataclasses

import jax
import numpy as np
import pytest

from jaxpoker.solvers.regret import ALGORITHMS
from jaxpoker.solvers.sampling import warm_start


@pytest.fixture(scope="module")
def strategy(short_holdem, updated):
    """Of seven iterations, by street [decisions, buckets, actions]."""
    return tuple(np.asarray(street) for street in short_holdem.average(updated(short_holdem, 7)[0]))


def started(short_holdem, strategy, before):
    solver = dataclasses.replace(short_holdem, before=before, batch=4)
    return solver, warm_start.from_strategy(solver, jax.random.key(0), strategy)


def test_the_start_is_the_strategy_on_average_and_next(short_holdem, strategy):
    solver, state = started(short_holdem, strategy, 100)
    assert int(state.step) == 0
    for found in (solver.average(state), solver.current(state)):
        for mine, given in zip(found, strategy, strict=True):
            np.testing.assert_allclose(mine, given, atol=1e-5)


def test_a_start_that_counts_more_moves_less(short_holdem, strategy):
    """The preflop decision that every hand comes to: three iterations move one much, and a million not."""
    moved = []
    for before in (1, 1_000_000):
        solver, state = started(short_holdem, strategy, before)
        for _ in range(3):
            state, _ = solver.update(state)
        moved.append(float(np.abs(np.asarray(solver.average(state)[0])[0] - strategy[0][0]).max()))
    assert moved[0] > 0.01 and moved[1] < 1e-4


@pytest.mark.parametrize(("name", "weight"), [("linear", (1 + 2 + 3) / 3), ("cfr", 3), ("dcfr", (1 + 4 + 9) / 9)])
def test_iterations_weigh_what_the_algorithm_says(name, weight):
    assert ALGORITHMS[name].weight_of(3) == pytest.approx(weight)


def test_iterations_that_are_left_out_of_the_average_weigh_nothing():
    assert dataclasses.replace(ALGORITHMS["linear"], delay=2).weight_of(3) == 1


def test_a_start_that_counts_nothing_is_refused(short_holdem, strategy):
    with pytest.raises(ValueError, match="set before to 1 or more"):
        warm_start.from_strategy(short_holdem, jax.random.key(0), strategy)
