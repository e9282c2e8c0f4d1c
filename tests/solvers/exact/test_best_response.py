"""Best responses and exploitability against OpenSpiel, against enumeration, and by their own definition."""

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
import pytest

import jaxpoker
from jaxpoker import equity
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.exact.layout import NONE


@pytest.mark.parametrize("seed", range(4))
def test_exploitability_of_random_strategies_is_openspiels(with_openspiel, any_strategy, double, seed):
    game = with_openspiel.ours
    table = any_strategy(game, seed)
    theirs = pyspiel.nash_conv(with_openspiel.theirs, with_openspiel.policy(table)) / 2
    assert float(best_response.exploitability(game, table)) == pytest.approx(theirs, abs=1e-6)


def test_value_of_random_strategies_is_openspiels(with_openspiel, any_strategy, double):
    game, table = with_openspiel.ours, any_strategy(with_openspiel.ours, 7)
    policy = with_openspiel.policy(table)
    root = with_openspiel.theirs.new_initial_state()
    returns = pyspiel.expected_returns(root, [policy, policy], -1, True)
    assert float(best_response.value(game, table)) == pytest.approx(returns[0], abs=1e-9)


@pytest.mark.parametrize(("name", "published"), [("kuhn", 0.458333), ("leduc", 2.3736111)])
def test_uniform_play_is_as_exploitable_as_published(name, published):
    game = exact_game.whole(jaxpoker.make(name))
    assert float(best_response.exploitability(game, game.uniform())) == pytest.approx(published, abs=2e-6)


def test_a_best_response_earns_what_it_promises(leduc, any_strategy, double):
    table = any_strategy(leduc, 11)
    for player, sign in ((0, 1), (1, -1)):
        found = best_response.best_response(leduc, table, player)
        best_response.require_strategy(leduc, found.strategy)
        assert sign * float(best_response.value(leduc, found.strategy)) == pytest.approx(float(found.value), abs=1e-12)
        other = leduc.sides[1 - player].row_of_slot
        other = other[other != NONE]
        np.testing.assert_array_equal(np.asarray(found.strategy)[other], table[other])
        assert set(np.unique(np.delete(np.asarray(found.strategy), other, axis=0))) == {0.0, 1.0}
        again = best_response.best_response(leduc, found.strategy, player)
        assert float(again.value) == pytest.approx(float(found.value), abs=1e-12)


def test_no_single_change_improves_on_a_best_response(kuhn, any_strategy, double):
    table = any_strategy(kuhn, 5)
    for player, sign in ((0, 1), (1, -1)):
        best = best_response.best_response(kuhn, table, player)
        for row in kuhn.sides[player].row_of_slot:
            turned = np.asarray(best.strategy).copy()
            turned[row] = turned[row][::-1]
            assert sign * float(best_response.value(kuhn, turned)) <= float(best.value) + 1e-12


@pytest.mark.thorough
def test_push_fold_best_responses_by_enumeration(double):
    """Hand by hand with the counts of the match-ups: 8 big blinds, half a blind of ante each."""
    game = exact_game.whole(jaxpoker.make("holdem", menu="push/fold", stack=32, small_blind=2, big_blind=4, ante=2))
    table = np.asarray(game.uniform(), np.float64)
    jam = np.random.default_rng(0).random(169)
    call = np.random.default_rng(1).random(169)
    table[:169, 0], table[:169, 2] = 1 - jam, jam
    table[169:, 0], table[169:, 2] = 1 - call, call
    counts = equity.matchups()
    prior = counts.combos / counts.combos.sum()
    first, second = 0.0, 0.0
    for hand in range(169):
        showdown = 8.0 * (2 * counts.equity[hand] - 1)
        jammed = (prior[hand] * (call * showdown + (1 - call) * 1.5)).sum()
        first += max(jammed, -1.0 * prior[hand].sum())
        called, folded = (prior[hand] * jam * showdown).sum(), (prior[hand] * jam * -1.5).sum()
        second += max(called, folded) + (prior[hand] * (1 - jam) * 1.0).sum()
    quality = best_response.quality(game, table)
    assert float(quality.best[0]) == pytest.approx(first, abs=1e-9)
    assert float(quality.best[1]) == pytest.approx(second, abs=1e-9)


def test_it_is_a_function_to_jit_and_vmap(leduc, any_strategy):
    tables = jnp.stack([jnp.asarray(any_strategy(leduc, seed), jnp.float32) for seed in range(3)])
    together = jax.jit(jax.vmap(lambda table: best_response.exploitability(leduc, table)))(tables)
    alone = [float(best_response.exploitability(leduc, table)) for table in tables]
    np.testing.assert_allclose(together, alone, rtol=1e-5)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda table: table[:-1], r"is \[936, 3\], information sets by actions, not \[935, 3\]"),
        (lambda table: table * 0.5, "row 0 of the strategy, 'Jh |'"),
        (lambda table: np.where(np.arange(936)[:, None] == 7, [0.5, 0.25, 0.25], table), "row 7 .*legal are actions"),
        (lambda table: np.where(np.arange(936)[:, None] == 3, np.nan, table), "row 3"),
        (lambda table: np.where(np.arange(936)[:, None] == 3, [0, 2, -1], table), "row 3"),
    ],
)
def test_what_is_no_strategy_is_refused_by_row(leduc, spoil, message):
    with pytest.raises(ValueError, match=message):
        best_response.exploitability(leduc, spoil(leduc.uniform()))
