"""Solvers by external and outcome sampling: equilibria, and the same bits every time."""

import dataclasses

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import ranges, solvers
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.regret import ALGORITHMS

KUHN_VALUE, LEDUC_VALUE = -1 / 18, -0.085606424078
SAMPLINGS = ("external", "outcome")


# --- equilibria ---------------------------------------------------------------------------------


@pytest.mark.optimised
@pytest.mark.parametrize("how", SAMPLINGS)
def test_kuhn_is_solved(solver_of, how):
    solver = solver_of("kuhn", how)
    quality = solver.evaluate(solver.run(solver.init(jax.random.key(0)), 3_000), jax.random.key(1))
    assert float(quality["exploitability"]) < 0.01
    assert float(quality["value"]) == pytest.approx(KUHN_VALUE, abs=0.002)


@pytest.mark.thorough
@pytest.mark.optimised
@pytest.mark.parametrize(
    ("how", "updates", "bound", "tolerance"), [("external", 3_000, 0.02, 0.004), ("outcome", 6_000, 0.1, 0.02)]
)
def test_leduc_is_solved(solver_of, how, updates, bound, tolerance):
    solver = solver_of("leduc", how)
    quality = solver.evaluate(solver.run(solver.init(jax.random.key(0)), updates), jax.random.key(1))
    assert float(quality["exploitability"]) < bound
    assert float(quality["value"]) == pytest.approx(LEDUC_VALUE, abs=tolerance)


@pytest.mark.thorough
@pytest.mark.optimised
def test_push_or_fold_from_the_deck_is_the_exact_solvers(push_fold, solver_of):
    game, solver = push_fold, solver_of("push/fold", "external", 4_096)
    (strategy,) = solver.average(solver.run(solver.init(jax.random.key(0)), 500))
    assert strategy.shape == (2, 169, 3)
    table = strategy.reshape(-1, 3)  # decision * 169 + class, as the exact solver has it
    quality = best_response.quality(game, table)
    exact = CFR(game, ALGORITHMS["dcfr"])
    solved = np.asarray(exact.average(exact.run(exact.init(), 2_000)))
    assert float(quality.exploitability) < 0.02
    assert float(quality.value) == pytest.approx(float(best_response.value(game, solved)), abs=0.02)
    share = np.tile(ranges.COMBOS_PER_CLASS / 1326, 2)
    assert share @ np.abs(np.asarray(table) - solved).sum(axis=1) / 4 < 0.08  # of hands are played otherwise


@pytest.mark.parametrize("how", SAMPLINGS)
def test_one_player_may_have_the_only_decision(how):
    """The big blind is all-in: the small blind calls with everything."""
    game = exact_game.whole(jaxpoker.make("holdem", menu="push/fold", stack=2, small_blind=1, big_blind=2))
    solver = solvers.make("linear", game, sampling=how)
    table = solver.average(solver.run(solver.init(jax.random.key(0)), 200))
    assert ranges.COMBOS_PER_CLASS @ np.asarray(table)[:, 0] / 1326 < 0.02  # folds


# --- as a program -------------------------------------------------------------------------------


@pytest.mark.parametrize("how", SAMPLINGS)
def test_same_seed_same_bits(solver_of, how):
    solver = solver_of("leduc", how)
    whole, pieces = solver.run(solver.init(jax.random.key(4)), 30), solver.init(jax.random.key(4))
    for length in (1, 7, 0, 22):
        pieces = solver.run(pieces, length)
    for a, b in zip(jax.tree.leaves(whole.regrets), jax.tree.leaves(pieces.regrets), strict=True):
        np.testing.assert_array_equal(a, b)
    other = solver.run(solver.init(jax.random.key(5)), 30)
    assert (np.asarray(other.regrets[0]) != np.asarray(whole.regrets[0])).any()


def test_an_update_is_one_iteration_of_the_run(solver_of):
    solver = solver_of("kuhn", "external")
    state, key = solver.init(jax.random.key(4)), jax.random.key(4)
    for _ in range(5):
        state, metrics = solver.update(state)
    assert int(state.step) == 5 and float(metrics["walks"]) == 2 * 512 * 5
    assert -2 < float(metrics["value"]) < 2
    whole = solver.run(solver.init(key), 5)
    for a, b in zip(jax.tree.leaves(whole.averages), jax.tree.leaves(state.averages), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_regrets_and_averages_grow_by_the_algorithm(solver_of):
    """CFR+ floors regrets, and one update from nothing is the walks' own regrets and reach times strategy."""
    plus = dataclasses.replace(solver_of("kuhn", "external"), algorithm=ALGORITHMS["cfr+"])
    begin = plus.init(jax.random.key(2))
    after = plus.run(begin, 1)
    assert min(float(regrets.min()) for regrets in after.regrets) == 0
    linear = solver_of("kuhn", "external").run(begin, 1)
    for floored, free in zip(after.regrets, linear.regrets, strict=True):
        assert float(free.min()) < 0
        np.testing.assert_array_equal(floored, np.maximum(free, 0))
    total = np.asarray(after.averages[1]).sum()  # seat 1 decides once a game that seat 0 bets or passes: both are tried
    assert total == pytest.approx(2, abs=1e-5)


def test_what_makes_no_sense_is_refused(kuhn, classes):
    with pytest.raises(ValueError, match="unknown sampling 'chance'"):
        solvers.make("linear", kuhn, sampling="chance")
    with pytest.raises(ValueError, match=r"pcfr\+ forecasts from exact regrets"):
        solvers.make("pcfr+", kuhn, sampling="external")
    with pytest.raises(ValueError, match="exploration 0: above 0"):
        solvers.make("linear", kuhn, sampling="outcome", exploration=0)
    with pytest.raises(ValueError, match="a batch of 0 walks"):
        solvers.make("linear", kuhn, sampling="external", batch=0)
    with pytest.raises(ValueError, match="card abstractions are for hold'em, not for kuhn"):
        solvers.make("linear", kuhn, sampling="external", cards=classes)
