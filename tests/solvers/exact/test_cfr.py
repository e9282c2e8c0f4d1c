"""CFR against OpenSpiel's solvers, published values, and what theory says of each variant."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr as their_cfr
from open_spiel.python.algorithms import exploitability as their_exploitability

from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.regret import ALGORITHMS, Algorithm, matched

KUHN_VALUE, LEDUC_VALUE = -1 / 18, -0.085606424078

# Rows of Kuhn's strategy table: betting * 3 + card, bettings "", "bet", "pass", "pass bet", cards J Q K.
OPEN, FACING_BET, AFTER_PASS, PASS_BET = (slice(3 * betting, 3 * betting + 3) for betting in range(4))
BET = 1


def solve(game, name, iterations, dtype=np.float32, **changes):
    solver = CFR(game, dataclasses.replace(ALGORITHMS[name], **changes), dtype)
    return solver.average(solver.run(solver.init(), iterations))


def kuhn_equilibrium(alpha):
    """Kuhn's own solution: seat 0 bets the jack with alpha, and everything else follows from it."""
    bets = np.zeros(12)
    bets[OPEN] = alpha, 0, 3 * alpha
    bets[PASS_BET] = 0, alpha + 1 / 3, 1
    bets[AFTER_PASS] = 1 / 3, 0, 1
    bets[FACING_BET] = 0, 1 / 3, 1
    return np.stack([1 - bets, bets], axis=1)


# --- Kuhn -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "iterations"), [("cfr+", 40_000), ("pcfr+", 2_000), ("dcfr", 40_000)])
def test_kuhn_is_solved(kuhn, name, iterations):
    quality = best_response.quality(kuhn, solve(kuhn, name, iterations))
    assert float(quality.value) == pytest.approx(KUHN_VALUE, abs=1e-6)
    assert float(quality.exploitability) < 1e-5


@pytest.mark.parametrize("alpha", [0.0, 0.1, 1 / 3])
def test_kuhns_own_solutions_are_equilibria(kuhn, double, alpha):
    quality = best_response.quality(kuhn, kuhn_equilibrium(alpha))
    assert float(quality.exploitability) == pytest.approx(0, abs=1e-12)
    assert float(quality.value) == pytest.approx(KUHN_VALUE, abs=1e-12)


def test_beside_kuhns_family_there_is_something_to_exploit(kuhn, double):
    too_loose, too_tight = kuhn_equilibrium(0.2), kuhn_equilibrium(0.2)
    too_loose[OPEN][0] = 0.6, 0.4
    too_tight[PASS_BET][1] = 0.6, 0.4
    for table in (too_loose, too_tight):
        assert float(best_response.exploitability(kuhn, table)) > 0.005


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("alternating", [True, False])
def test_solutions_of_kuhn_are_of_kuhns_family(kuhn, double, name, alternating):
    table = np.asarray(solve(kuhn, name, 30_000, np.float64, alternating=alternating))
    alpha = table[OPEN][0, BET]
    assert -1e-3 < alpha < 1 / 3 + 1e-3
    np.testing.assert_allclose(table, kuhn_equilibrium(alpha), atol=0.01)


# --- Leduc ------------------------------------------------------------------------------------


def test_vanilla_cfr_on_leduc_after_101_updates_is_the_published_figure(leduc, double):
    table = solve(leduc, "cfr", 101, np.float64)
    assert float(best_response.exploitability(leduc, table)) == pytest.approx(0.0939493, abs=1e-6)


def test_leduc_is_solved_to_the_published_value(leduc, double):
    quality = best_response.quality(leduc, solve(leduc, "dcfr", 5_000, np.float64))
    assert float(quality.value) == pytest.approx(LEDUC_VALUE, abs=1e-6)
    assert float(quality.exploitability) < 2e-5


@pytest.mark.parametrize(("name", "theirs"), [("cfr", pyspiel.CFRSolver), ("cfr+", pyspiel.CFRPlusSolver)])
def test_average_strategies_are_openspiels_row_by_row(with_openspiel, double, name, theirs):
    solver = theirs(with_openspiel.theirs)
    for _ in range(12):
        solver.evaluate_and_update_policy()
    table = solve(with_openspiel.ours, name, 12, np.float64)
    np.testing.assert_allclose(table, with_openspiel.table(solver.tabular_average_policy()), atol=1e-9)


def test_simultaneous_updates_are_openspiels(kuhn, double):
    game = pyspiel.load_game("kuhn_poker")
    solver = their_cfr._CFRSolver(game, alternating_updates=False, linear_averaging=False, regret_matching_plus=False)
    for _ in range(25):
        solver.evaluate_and_update_policy()
    theirs = their_exploitability.exploitability(game, solver.average_policy())
    ours = best_response.exploitability(kuhn, solve(kuhn, "cfr", 25, np.float64, alternating=False))
    assert float(ours) == pytest.approx(theirs, abs=1e-9)


# One table for all: exploitability of the average strategy after 1,000 iterations, alternating and simultaneous.
BOUNDS = {
    "cfr": (0.02, 0.05),
    "cfr+": (0.0005, 0.02),
    "linear": (0.01, 0.06),
    "dcfr": (0.0005, 0.02),
    "pcfr+": (0.002, 0.02),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_variant_comes_close_on_leduc(leduc, name):
    for alternating, bound in zip((True, False), BOUNDS[name], strict=True):
        table = solve(leduc, name, 1_000, alternating=alternating)
        assert float(best_response.exploitability(leduc, table)) < bound


# --- the formulas -----------------------------------------------------------------------------


def test_discounts_and_floors_are_those_of_the_papers(kuhn, double):
    """Regrets of iteration 3 from those of iteration 2, and the instantaneous ones that vanilla CFR adds."""
    before = CFR(kuhn, ALGORITHMS["cfr"], np.float64)
    state = before.run(before.init(), 2)
    instant = np.asarray(before.run(state, 1).regrets[0]) - np.asarray(state.regrets[0])
    regrets = np.asarray(state.regrets[0])
    assert (regrets < 0).any() and (regrets > 0).any()
    expected = {
        "linear": regrets * (2 / 3) + instant,
        "dcfr": np.where(regrets > 0, regrets * 2**1.5 / (2**1.5 + 1), regrets / 2) + instant,
        "cfr+": np.maximum(regrets + instant, 0),
        "pcfr+": np.maximum(regrets + instant, 0),
    }
    for name, after in expected.items():
        solver = CFR(kuhn, ALGORITHMS[name], np.float64)
        np.testing.assert_allclose(solver.run(state, 1).regrets[0], after, atol=1e-15)


@pytest.mark.parametrize(("alpha", "beta"), [(1.5, -1.0), (1.5, -math.inf), (20.0, 0.0), (math.inf, -math.inf)])
def test_any_discount_is_a_number_and_solves_kuhn(kuhn, alpha, beta):
    """Powers below 0 divide by 0 at first, large ones leave float32, and minus infinity forgets negative regrets."""
    table = solve(kuhn, "dcfr", 2_000, alpha=alpha, beta=beta)
    assert np.isfinite(np.asarray(table)).all()
    assert float(best_response.exploitability(kuhn, table)) < 0.001


def test_a_beta_of_minus_infinity_forgets_negative_regrets(kuhn, double):
    before = CFR(kuhn, ALGORITHMS["cfr"], np.float64)
    state = before.run(before.init(), 3)
    instant = np.asarray(before.run(state, 1).regrets[0]) - np.asarray(state.regrets[0])
    forgetting = CFR(kuhn, Algorithm("any", beta=-math.inf), np.float64)
    expected = np.maximum(np.asarray(state.regrets[0]), 0) + instant
    np.testing.assert_allclose(forgetting.run(state, 1).regrets[0], expected, atol=1e-15)


def test_prediction_moves_the_next_strategy_only(kuhn, double):
    plain, predictive = (CFR(kuhn, ALGORITHMS[name], np.float64) for name in ("cfr+", "pcfr+"))
    state = plain.run(plain.init(), 2)
    after, predicted = plain.run(state, 1), predictive.run(state, 1)
    np.testing.assert_array_equal(after.regrets[0], predicted.regrets[0])
    vanilla = CFR(kuhn, ALGORITHMS["cfr"], np.float64)
    instant = vanilla.run(state, 1).regrets[0] - state.regrets[0]
    legal = kuhn.sides[0].legal
    np.testing.assert_allclose(predicted.strategies[0], matched(after.regrets[0] + instant, legal), atol=1e-12)
    assert np.abs(np.asarray(predicted.strategies[0] - after.strategies[0])).max() > 0.01


@pytest.mark.parametrize(("gamma", "delay"), [(0.0, 0), (1.0, 0), (2.0, 0), (1.0, 3), (0.0, 2), (0.5, 1)])
def test_iterations_count_by_gamma_and_delay(kuhn, double, gamma, delay):
    """The average is the sum over iterations of reach times strategy times max(t - delay, 0) ** gamma."""
    solver = CFR(kuhn, Algorithm("any", gamma=gamma, delay=delay), np.float64)
    state, total = solver.init(), 0.0
    for t in range(1, 7):
        strategy = state.strategies[0]  # the old one, when its average grows
        weight = max(t - delay, 0) ** gamma if t > delay else 0.0
        total = total + weight * solver.game.own_reach(0, None, strategy) * strategy
        state = solver.run(state, 1)
    assert np.ptp(np.asarray(kuhn.own_reach(0, None, strategy))) > 0.1
    expected = np.asarray(matched(total, kuhn.sides[0].legal))
    np.testing.assert_allclose(matched(state.averages[0], kuhn.sides[0].legal), expected, atol=1e-12)


def test_regret_matching_by_hand():
    regrets = jnp.array([[1.0, -1.0, -2.0], [3.0, 2.0, -1.0], [9.0, 5.0, 7.0]])
    legal = np.array([[True, True, True], [True, True, True], [False, True, False]])
    strategy = matched(regrets, legal)
    np.testing.assert_allclose(strategy, [[0.25, 0, 0.5], [0.75, 2 / 7, 0.5], [0, 5 / 7, 0]], atol=1e-7)


# --- as a program -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cfr+", "dcfr", "pcfr+"])
def test_many_short_runs_are_one_long_run_bitwise(leduc, name):
    solver = CFR(leduc, ALGORITHMS[name])
    whole, pieces = solver.run(solver.init(), 60), solver.init()
    for length in (1, 7, 0, 30, 22):
        pieces = solver.run(pieces, length)
    for a, b in zip(jax.tree.leaves(whole), jax.tree.leaves(pieces), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_learner_reports_more_and_more_seldom_and_stops_where_it_should(kuhn):
    solver = CFR(kuhn, last=137)
    state, steps = solver.init(), []
    while int(state.step) < 137:
        state, metrics = solver.update(state)
        steps.append(int(state.step))
    assert steps[:12] == list(range(1, 13))
    assert steps[-1] == 137 and len(steps) < 50
    exact = best_response.quality(kuhn, solver.average(state))
    assert float(metrics["exploitability"]) == pytest.approx(float(exact.exploitability), rel=1e-4)
    assert float(metrics["value"]) == pytest.approx(float(exact.value), rel=1e-4)
    whole = solver.run(solver.init(), 137)
    np.testing.assert_array_equal(state.averages[0], whole.averages[0])


def test_single_and_double_precision_tell_the_same(leduc):
    """For some thirty iterations; then a regret that is nearly 0 falls to the other side."""
    single = best_response.quality(leduc, solve(leduc, "cfr+", 30))
    with jax.enable_x64(True):
        double = best_response.quality(leduc, solve(leduc, "cfr+", 30, np.float64))
        assert double.value.dtype == np.float64
    assert float(single.exploitability) == pytest.approx(float(double.exploitability), rel=1e-3)
    assert float(single.value) == pytest.approx(float(double.value), abs=1e-5)


def test_double_precision_must_be_switched_on(leduc):
    with pytest.raises(ValueError, match="float64 needs jax_enable_x64"):
        CFR(leduc, dtype=np.float64)


@pytest.mark.optimised
@pytest.mark.parametrize("name", ["cfr+", "dcfr"])
def test_more_iterations_in_single_precision_are_better_ones(leduc, name):
    """Sums of 100,000 terms lose the small ones in a float: the average would be ten times worse at the end."""
    solver = CFR(leduc, ALGORITHMS[name])
    state = solver.run(solver.init(), 10_000)
    early = float(best_response.quality(leduc, solver.average(state)).exploitability)
    state = solver.run(state, 100_000)
    late = float(best_response.quality(leduc, solver.average(state)).exploitability)
    assert late < early / 3 and late < 3e-6


def test_a_weight_that_no_float_holds_is_refused(kuhn):
    with pytest.raises(ValueError, match=r"gamma = 7: averages here are weighted by at most t \*\* 6"):
        solver = CFR(kuhn, Algorithm("any", gamma=7.0))
        solver.run(solver.init(), 1)
