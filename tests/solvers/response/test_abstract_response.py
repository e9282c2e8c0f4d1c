"""Best responses in the abstract game: exact ones where nothing is abstract, and players whose faults are known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import solvers
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.response import abstract_response


@pytest.mark.thorough
@pytest.mark.optimised
def test_responses_to_any_push_or_fold_are_the_exact_ones(push_fold, classes, any_strategy):
    game = push_fold
    table = any_strategy(game, 3)
    solver = solvers.make("dcfr", game.game, cards=classes)
    found = abstract_response.exploitability(
        solver.game, solver.chance, (jnp.asarray(table, jnp.float32).reshape(2, 169, 3),), jax.random.key(0), 256
    )
    exact = best_response.quality(game, table)
    for response, best in zip(found.responses, exact.best, strict=True):
        assert abs(response.mean - 1_000 * float(best)) < 3 * response.ci95
    assert 4 * found.exploitability.ci95 < 1_000 * float(exact.exploitability)
    assert found.fitted == pytest.approx(1_000 * float(exact.exploitability), abs=3 * found.exploitability.ci95)
    assert abs(found.value.mean - 1_000 * float(exact.value)) < 3 * found.value.ci95


def constant(solver, weigh):
    """The strategy with weights ``weigh(actions)`` on what is legal; who cannot fold checks."""
    betting = solver.rows.betting
    strategy = []
    for street, buckets in enumerate(solver.game.num_buckets):
        legal = betting.tree.legal(betting.tree.decisions(street=street))
        weights = np.broadcast_to(weigh(legal.shape[1]), legal.shape) * legal
        weights[weights.sum(axis=1) == 0, 1] = 1
        weights = weights / weights.sum(axis=1, keepdims=True)
        strategy.append(jnp.asarray(np.repeat(weights[:, None], buckets, axis=1), jnp.float32))
    return tuple(strategy)


@pytest.mark.thorough
def test_who_always_folds_loses_the_blinds(short_holdem):
    solver = short_holdem
    folding = constant(solver, lambda actions: (np.arange(actions) == 0).astype(float))
    found = abstract_response.exploitability(solver.game, solver.chance, folding, jax.random.key(0), 64)
    assert found.exploitability.mean == pytest.approx(750, abs=0.01)
    assert [response.mean for response in found.responses] == pytest.approx([1_000, 500], abs=0.01)
    assert found.fitted == pytest.approx(750, abs=0.01) and found.value.mean == pytest.approx(-500, abs=0.01)


@pytest.mark.slow
@pytest.mark.optimised
def test_who_plays_at_random_with_a_hundred_big_blinds_loses_eleven_a_hand():
    solver = solvers.make(
        "dcfr",
        jaxpoker.make("holdem", menu="solver", stack=1_000, small_blind=5, big_blind=10),
        cards=abstraction.make("rank_based"),
    )
    uniform = constant(solver, np.ones)
    found = abstract_response.exploitability(solver.game, solver.chance, uniform, jax.random.key(0))
    assert found.exploitability.mean == pytest.approx(11_430, abs=3 * 176)


@pytest.mark.parametrize("boards", [32, 100])
def test_boards_that_do_not_make_two_samples_are_refused(short_holdem, boards):
    with pytest.raises(ValueError, match=f"{boards} boards: a response needs a multiple of 32, at least 64"):
        abstract_response.exploitability(short_holdem.game, short_holdem.chance, (), jax.random.key(0), boards)
