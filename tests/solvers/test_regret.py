"""The kernel of all solvers: locks in exact and in sampled solving. Algorithms are in exact/test_cfr.py."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import solvers
from jaxpoker.solvers import regret
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.regret import Lock


@pytest.fixture(scope="module")
def timid(leduc) -> np.ndarray:
    """[936, 3] a strategy that seldom raises and often folds: far from any equilibrium."""
    legal = leduc.legal_rows()
    weights = np.where(legal, [0.3, 1.0, 0.1], 0)
    return weights / weights.sum(axis=1, keepdims=True)


def rows_of(game, player) -> np.ndarray:
    """[rows] bool: those of a player."""
    held = np.zeros(game.num_rows, bool)
    rows = game.sides[player].row_of_slot
    held[rows[rows >= 0]] = True
    return held


@pytest.mark.optimised
@pytest.mark.parametrize("player", [0, 1])
def test_against_a_locked_player_the_other_becomes_the_exact_best_response(leduc, timid, player, double):
    held = rows_of(leduc, player)
    solver = solvers.make("cfr+", leduc, dtype=np.float64)
    state = solver.init(locks=leduc.locks(held, timid))
    table = solver.average(solver.run(state, 20_000))
    np.testing.assert_array_equal(np.asarray(table)[held], timid[held])  # to the bit
    best = float(best_response.best_response(leduc, jnp.asarray(timid), 1 - player).value)
    found = float(best_response.value_against(leduc, table, table, 1 - player))
    assert found == pytest.approx(best, abs=1e-6)
    free = solver.average(solver.run(solver.init(), 500))
    assert best > 0.1 + float(best_response.value_against(leduc, free, free, 1 - player))  # it is worth a response


@pytest.mark.parametrize("name", sorted(regret.ALGORITHMS))
def test_some_locked_rows_stay_and_learn_nothing_while_the_rest_is_solved(leduc, timid, name):
    held = np.zeros(leduc.num_rows, bool)
    held[:12] = True  # both players at their first decisions
    timid = timid.astype(np.float32)
    solver = solvers.make(name, leduc)
    state, _ = solver.update(solver.run(solver.init(locks=leduc.locks(held, timid)), 50))
    table = np.asarray(solver.average(state))
    np.testing.assert_array_equal(table[held], timid[held])
    for player in (0, 1):
        locked = np.asarray(state.locks[player].held)
        assert locked.any() and not np.asarray(state.regrets[player])[:, locked].any()
    assert not np.allclose(table[~held], leduc.uniform()[~held], atol=0.1)


@pytest.mark.parametrize("sampling", ["external", "outcome"])
def test_walks_keep_locked_rows(leduc, timid, sampling):
    held = rows_of(leduc, 1)
    timid = timid.astype(np.float32)
    solver = solvers.make("linear", leduc, sampling=sampling, batch=64)
    state = solver.run(solver.init(jax.random.key(0), leduc.locks(held, timid)), 200)
    table = solver.average(state)
    np.testing.assert_array_equal(np.asarray(table)[held], timid[held])
    before = best_response.value_against(leduc, leduc.uniform(), timid, 0)
    assert float(best_response.value_against(leduc, table, timid, 0)) > float(before) + 0.3


@pytest.mark.thorough
def test_boards_keep_locked_buckets():
    """Hold'em by public sampling: the big blind's strategy is given by street, [decisions, buckets, actions]."""
    game = jaxpoker.make("holdem", menu="push/fold", stack=20, small_blind=1, big_blind=2)
    solver = solvers.make("dcfr", game, cards="rank_based")
    tree = solver.game.tree
    nodes = tree.decisions(street=0)
    always_calls = np.zeros((len(nodes), 6, tree.num_actions), np.float32)
    always_calls[..., 2] = 1
    held = np.repeat((tree.player[nodes] == 1)[:, None], 6, axis=1)
    state = solver.init(jax.random.key(0), solver.locks((held,), (always_calls,)))
    for _ in range(20):
        state, _ = solver.update(state)
    (strategy,) = solver.average(state)
    np.testing.assert_array_equal(np.asarray(strategy)[held], always_calls[held])
    premium, trash = np.asarray(strategy)[0, 5], np.asarray(strategy)[0, 1]
    assert premium[2] > 0.9 > trash[2]  # who is always called jams good hands alone


def test_shared_rows_cannot_be_locked():
    game = jaxpoker.make("holdem", menu="push/fold", stack=20, small_blind=1, big_blind=2)
    solver = solvers.make("dcfr", game, cards="rank_based", rows=[np.array([0, 1])])
    with pytest.raises(ValueError, match="share their rows cannot be locked"):
        solver.init(jax.random.key(0), (None, Lock((), ())))


def test_a_lock_of_another_size_is_refused(leduc):
    with pytest.raises(ValueError, match=r"a lock of leduc is \[936\] rows"):
        leduc.locks(np.ones(12, bool), leduc.uniform())


def test_pytrees_are_matched_leaf_by_leaf():
    legal = (np.ones((2, 3), bool), np.array([[True], [False]]))
    sums = (jnp.array([[1.0, -1, 0], [3, -2, 5]]), jnp.array([[-1.0], [4.0]]))
    first, second = regret.matched(sums, legal)
    np.testing.assert_allclose(first, [[0.25, 0.5, 0], [0.75, 0.5, 1]])
    np.testing.assert_allclose(second, [[1], [0]])


KERNEL = re.compile(r"jnp\.maximum\([^()]*, 0\)|\.(alpha|beta|gamma)\b")  # positive parts, and powers of an algorithm


def test_regrets_are_matched_grown_and_averaged_in_one_file(repository):
    """The loops around the kernel neither take positive parts nor read an algorithm's powers."""
    solvers_folder = repository / "jaxpoker" / "solvers"
    assert len(KERNEL.findall((solvers_folder / "regret.py").read_text())) > 5
    for room in ("exact", "sampling", "subgame"):
        for path in (solvers_folder / room).rglob("*.py"):
            assert not KERNEL.search(path.read_text()), path


def test_a_fine_sum_keeps_what_a_float_loses():
    terms = np.random.default_rng(0).uniform(0, 1e-3, (2_000, 5)).astype(np.float32)
    total, plain = regret.FineSum(jnp.full(5, 1e5), jnp.zeros(5)), jnp.full(5, 1e5)
    for term in terms:
        total, plain = regret.plus(total, jnp.asarray(term)), plain + term
    exact = 1e5 + terms.astype(np.float64).sum(axis=0)
    found = np.asarray(total.high, np.float64) + np.asarray(total.low, np.float64)
    np.testing.assert_allclose(found, exact, rtol=1e-11)
    assert np.abs(np.asarray(plain, np.float64) - exact).max() > 0.1
