"""Push or fold heads-up: published equilibria, linear programming, and every stack."""

import functools
from fractions import Fraction

import jax
import numpy as np
import pytest
from scipy.optimize import linprog

import jaxpoker
from jaxpoker import equity, ranges
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.regret import ALGORITHMS
from jaxpoker.solvers.tree import building

pytestmark = pytest.mark.thorough

JAM = CALL = 2  # all-in is action 2 of the menu
SHARE = ranges.COMBOS_PER_CLASS / 1326


def game_of(stack, small_blind=1, big_blind=2, ante=0):
    """A public game with a stack of so many big blinds."""
    chips = Fraction(stack) * big_blind
    assert chips.denominator == 1
    rules = {"small_blind": small_blind, "big_blind": big_blind, "ante": ante}
    return exact_game.whole(jaxpoker.make("holdem", menu="push/fold", stack=int(chips), **rules))


@functools.cache
def solve(game, iterations=4_000, dtype=np.float32):
    solver = CFR(game, ALGORITHMS["dcfr"], dtype)
    table = solver.average(solver.run(solver.init(), iterations))
    quality = best_response.quality(game, table)
    table = np.asarray(table, np.float64)
    return quality, table[:169, JAM], table[169:, CALL]


def hand(name):
    return ranges.CLASS_NAMES.index(name)


@pytest.mark.parametrize(
    ("stack", "value", "jam", "call"),
    [(5, 0.056200670, 71.484, 62.068), (10, -0.045370753, 58.284, 37.376), (20, -0.183189717, 40.237, 21.725)],
)
def test_published_equilibria(stack, value, jam, call):
    quality, jams, calls = solve(game_of(stack))
    assert float(quality.value) == pytest.approx(value, abs=1e-5)
    assert 100 * jams @ SHARE == pytest.approx(jam, abs=0.05)
    assert 100 * calls @ SHARE == pytest.approx(call, abs=0.05)
    assert float(quality.exploitability) < 1e-5


def test_at_ten_big_blinds_two_hands_mix():
    _, jams, calls = solve(game_of(10))
    mixed = {name for name, p in zip(ranges.CLASS_NAMES, jams, strict=True) if 0.02 < p < 0.98}
    assert mixed == {"43s"}
    assert {name for name, p in zip(ranges.CLASS_NAMES, calls, strict=True) if 0.02 < p < 0.98} == {"Q6s"}
    assert 100 * jams[hand("43s")] == pytest.approx(71.1, abs=1)
    assert 100 * calls[hand("Q6s")] == pytest.approx(40.3, abs=1)


def test_ranges_are_not_monotone_in_the_stack():
    jams = {stack: solve(game_of(stack))[1][hand("63s")] for stack in (2, 3, 5, 6, 7, 8)}
    assert {stack for stack, p in jams.items() if p > 0.5} == {2, 7}


@pytest.mark.parametrize("stack", [2, 2.5, 4, 13.5, 33, 60, 100])
def test_every_stack_is_solved(stack):
    quality, jams, calls = solve(game_of(stack))
    assert float(quality.exploitability) < 1e-4
    assert jams[hand("AA")] > 0.999 and calls[hand("AA")] > 0.999
    assert jams[hand("KK")] > 0.999 and calls[hand("KK")] > 0.999
    if stack >= 13:
        assert jams[hand("72o")] < 0.001 and calls[hand("72o")] < 0.001


def test_another_stack_compiles_nothing_of_the_engine():
    game_of(41)
    compiled = building._expanded._cache_size()
    game_of(42, small_blind=3, big_blind=7, ante=1)
    assert building._expanded._cache_size() == compiled


def equilibrium_by_linear_programming(stack, small_blind, ante):
    """Seat 0's value, all in big blinds: it picks jam[i] to maximise the sum over seat 1's hands j of the worse of
    "seat 1 folds" and "seat 1 calls"; both are linear in jam."""
    counts = equity.matchups()
    prior = counts.combos / counts.combos.sum()
    showdown = stack * (2 * counts.equity - 1)
    lost = -(small_blind + ante)
    base = lost * prior.sum(axis=0)  # [j] when seat 0 folds everything
    if_fold, if_call = prior * ((1 + ante) - lost), prior * (showdown - lost)
    # variables: jam [169], worth [169]; maximise sum(worth) with worth[j] <= base[j] + jam @ (if_fold or if_call)[:, j]
    matrix = np.block([[-if_fold.T, np.eye(169)], [-if_call.T, np.eye(169)]])
    solved = linprog(
        -np.concatenate([np.zeros(169), np.ones(169)]),
        A_ub=matrix,
        b_ub=np.concatenate([base, base]),
        bounds=[(0, 1)] * 169 + [(None, None)] * 169,
    )
    assert solved.status == 0
    return -solved.fun


@pytest.mark.parametrize(
    ("stack", "small_blind", "big_blind", "ante"), [(8, 1, 3, 0), (12, 50, 100, 10), (15, 0, 4, 1)]
)
def test_any_blinds_and_ante_as_linear_programming_has_it(stack, small_blind, big_blind, ante):
    with jax.enable_x64(True):
        quality, _, _ = solve(game_of(stack, small_blind, big_blind, ante), 3_000, np.float64)
    exact = equilibrium_by_linear_programming(stack, small_blind / big_blind, ante / big_blind)
    assert float(quality.value) == pytest.approx(exact, abs=2e-6)


def test_one_player_may_have_the_only_decision():
    """With one big blind behind the blinds the big blind is all-in: the small blind calls with everything that has a
    quarter of the pot of two, which every hand has."""
    quality, jams, calls = solve(game_of(1), 200)
    assert len(calls) == 0
    assert jams.min() > 0.99
    assert float(quality.value) == pytest.approx(0, abs=1e-6)
