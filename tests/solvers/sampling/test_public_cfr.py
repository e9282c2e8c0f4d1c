"""Public chance sampling: equilibria of small games, boards remembered and forgotten, shared rows, the same bits."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import ranges, solvers
from jaxpoker.solvers import abstraction, blueprint
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.regret import ALGORITHMS
from jaxpoker.solvers.response import abstract_response
from jaxpoker.solvers.sampling import public_cfr
from jaxpoker.solvers.sampling.boards import HandBoards
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.table_rows import OwnRows, SharedRows
from jaxpoker.solvers.tree import infosets, street_shapes
from jaxpoker.studies.solve import training

LEDUC_VALUE = -0.085606424078
MENU = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"


def holdem(big_blinds, menu=MENU):
    return jaxpoker.make("holdem", menu=menu, stack=10 * big_blinds, small_blind=5, big_blind=10)


@functools.cache
def short():
    """Four streets at four big blinds, with rank-based buckets."""
    return solvers.make("dcfr", holdem(4), cards=abstraction.make("rank_based"))


def run(solver, iterations, seed=0):
    state = solver.init(jax.random.key(seed))
    for _ in range(iterations):
        state, metrics = solver.update(state)
    return state, metrics


def same_bits(one, other):
    leaves = [jax.tree.leaves((s.regrets, s.averages, s.counts, s.boards, s.step)) for s in (one, other)]
    return all(np.array_equal(a, b) for a, b in zip(*leaves, strict=True))


def test_histories_go_into_a_file_in_51sts(tmp_path):
    cards = abstraction.make("rank_history")
    solver = solvers.make("dcfr", holdem(4, "push/fold"), cards=cards)
    state, _ = run(solver, 5)
    trained = training.Training(solver, cards, 64, tmp_path, 5)
    (kept,) = trained.to_keep(state)
    np.testing.assert_allclose(kept, solver.average(state)[0], atol=1 / 51)
    np.testing.assert_allclose(kept * 51, np.round(kept * 51), atol=1e-4)
    trained.blueprint([kept]).save(tmp_path / "b.zip")
    np.testing.assert_array_equal(blueprint.load(tmp_path / "b.zip").strategy[0], kept)


# --- equilibria ---------------------------------------------------------------------------------


@pytest.mark.optimised
@pytest.mark.parametrize(("remember", "iterations"), [(True, 300), (False, 3_000)], ids=["remembered", "forgotten"])
def test_leduc_is_solved(leduc, remember, iterations):
    solver = solvers.make("dcfr", sampling="public", game=leduc, remember=remember)
    table = solver.average(solver.run(solver.init(jax.random.key(0)), iterations))
    quality = best_response.quality(leduc, table)
    assert float(quality.exploitability) < 0.02
    assert float(quality.value) == pytest.approx(LEDUC_VALUE, abs=0.004)


@pytest.fixture(scope="module")
def between_hands(push_fold, classes):
    """Push or fold, swept between hands instead of types."""
    betting = street_shapes.shaped(push_fold.tree)
    return public_cfr.PublicCFR(
        HandGame(betting, (169,)), HandBoards(classes, 1), OwnRows(betting), batch=32, remember=False
    )


@pytest.mark.optimised
@pytest.mark.parametrize("of_types", [True, False], ids=["types", "hands"])
def test_push_or_fold_is_the_exact_solvers(push_fold, classes, between_hands, of_types):
    game = push_fold
    solver = solvers.make("dcfr", game.game, cards=classes, batch=4) if of_types else between_hands
    assert isinstance(solver.game, HandGame) is not of_types
    (strategy,) = solver.average(solver.run(solver.init(jax.random.key(0)), 150))
    table = np.asarray(strategy).reshape(-1, 3)  # decision * 169 + class, as the exact solver has it
    quality = best_response.quality(game, table)
    exact = CFR(game, ALGORITHMS["dcfr"])
    solved = np.asarray(exact.average(exact.run(exact.init(), 2_000)))
    assert float(quality.exploitability) < 0.02
    assert float(quality.value) == pytest.approx(float(best_response.value(game, solved)), abs=0.01)
    share = np.tile(ranges.COMBOS_PER_CLASS / 1326, 2)
    assert share @ np.abs(table - solved).sum(axis=1) / 4 < 0.09  # of hands are played otherwise


# --- exploitability in the abstract game --------------------------------------------------------


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


def test_who_always_folds_loses_the_blinds():
    solver = short()
    folding = constant(solver, lambda actions: (np.arange(actions) == 0).astype(float))
    found = abstract_response.exploitability(solver.game, solver.chance, folding, jax.random.key(0), 64)
    assert found.exploitability.mean == pytest.approx(750, abs=0.01)
    assert [response.mean for response in found.responses] == pytest.approx([1_000, 500], abs=0.01)
    assert found.fitted == pytest.approx(750, abs=0.01) and found.value.mean == pytest.approx(-500, abs=0.01)


@pytest.mark.slow
@pytest.mark.optimised
def test_who_plays_at_random_with_a_hundred_big_blinds_loses_eleven_a_hand():
    solver = solvers.make("dcfr", holdem(100, "solver"), cards=abstraction.make("rank_based"))
    uniform = constant(solver, np.ones)
    found = abstract_response.exploitability(solver.game, solver.chance, uniform, jax.random.key(0))
    assert found.exploitability.mean == pytest.approx(11_430, abs=3 * 176)


# --- boards -------------------------------------------------------------------------------------


@functools.partial(jax.jit, static_argnums=0)
def drawn(solver, key, step):
    """The counts of the boards that iteration ``step`` draws."""
    boards = solver.chance.draw(solver.chance.tables, jax.random.fold_in(key, step), solver.batch)
    return solver.chance.dealt(solver.chance.tables, boards)[0]


def test_remembered_boards_are_the_mean_of_all_drawn_so_far():
    solver = short()
    state = solver.init(jax.random.key(1))
    each = []
    for iteration in range(3):
        each.append(np.asarray(drawn(solver, state.key, state.step)))
        state, metrics = solver.update(state)
        np.testing.assert_allclose(state.counts, np.mean(each, axis=0), atol=1e-8)
        assert float(metrics["boards"]) == (iteration + 1) * solver.batch
    assert np.abs(each[0] - each[1]).max() > 1e-5


@pytest.mark.parametrize("remember", [True, False])
def test_an_iteration_plays_on_what_it_remembers(remember):
    """The value that it finds is that of its strategies on all boards so far, or on its own boards alone."""
    solver = dataclasses.replace(short(), remember=remember)
    state, _ = run(solver, 2)
    counts, new = state.counts, drawn(solver, state.key, state.step)
    on = counts + (new - counts) / 3 if remember else new
    both = [solver.rows.betting.by_shapes(player, solver.current(state)) for player in (0, 1)]
    expected = float(solver.game.values(0, on, *both).value)
    state, metrics = solver.update(state)
    assert float(metrics["value"]) == pytest.approx(expected, abs=1e-5)
    assert state.counts.size == (on.size if remember else 0)


# --- shared rows --------------------------------------------------------------------------------


def test_a_row_for_each_decision_is_the_same_shared_or_not():
    alone = short()
    decisions = [np.arange(len(alone.rows.betting.tree.decisions(street=street))) for street in range(4)]
    shared = dataclasses.replace(alone, rows=SharedRows(alone.rows.betting, tuple(decisions)))
    one, other = (solver.average(run(solver, 3)[0]) for solver in (alone, shared))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_merged_decisions_share_their_regrets_and_their_strategy():
    alone = short()
    merged = infosets.merged_rows(alone.rows.betting.tree)
    shared = dataclasses.replace(alone, rows=SharedRows(alone.rows.betting, merged.row_of))
    assert merged.num_rows[3] < len(merged.row_of[3]) / 2
    together, apart = (run(solver, 1)[0].regrets[0] for solver in (shared, alone))  # both from uniform play
    for a, b in zip(jax.tree.leaves(together), jax.tree.leaves(shared.rows.collect(0, apart)), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
    state, _ = run(shared, 3)
    for rows, strategy in zip(merged.row_of, shared.average(state), strict=True):
        first = np.unique(rows, return_index=True)[1]
        np.testing.assert_array_equal(strategy, np.asarray(strategy)[first[rows]])
    assert np.ptp(np.asarray(shared.average(state)[1]), axis=0).max() > 0.01


def test_a_concise_strategy_is_the_average_but_for_rare_buckets():
    """Buckets of one kind that hardly come to a decision play there as their kind does."""
    solver = short()
    state, _ = run(solver, 3)
    alike = [jnp.asarray(np.arange(buckets) // 3) for buckets in solver.game.num_buckets]
    averages = solver.average(state)
    for one, other in zip(averages, solver.concise(state, 0.0, alike), strict=True):
        np.testing.assert_array_equal(one, other)
    river = np.asarray(solver.concise(state, 2.0, alike)[3])
    ways = [len(np.unique(decision.round(4), axis=0)) for decision in river]
    assert 1 < max(ways) <= 4, "three kinds, and all together"
    np.testing.assert_allclose(river.sum(axis=-1), 1, atol=1e-5)
    some = np.asarray(solver.concise(state, 0.05, alike)[3])
    kept = (some == np.asarray(averages[3])).all(axis=-1)
    assert 0.5 < kept.mean() < 1


def test_rows_that_cannot_be_shared_are_refused():
    betting = short().rows.betting
    rows = [np.arange(len(betting.tree.decisions(street=street))) for street in range(4)]
    with pytest.raises(ValueError, match="rows of 3 streets: betting goes over 4"):
        SharedRows(betting, tuple(rows[:3]))
    with pytest.raises(ValueError, match="of another player or with other legal actions"):
        SharedRows(betting, (rows[0] * 0, *rows[1:]))
    with pytest.raises(ValueError, match="rows for the"):
        SharedRows(betting, (rows[0][:-1], *rows[1:]))


# --- as a program -------------------------------------------------------------------------------


def test_same_seed_same_bits_in_one_go_or_after_a_pause():
    solver = short()
    whole, _ = run(solver, 4, seed=5)
    state, _ = run(solver, 2, seed=5)
    saved = jax.tree.map(np.asarray, dataclasses.replace(state, key=jax.random.key_data(state.key)))
    state = jax.tree.map(jnp.asarray, saved)
    state = dataclasses.replace(state, key=jax.random.wrap_key_data(state.key))
    for _ in range(2):
        state, _ = solver.update(state)
    assert same_bits(whole, state)
    assert not same_bits(whole, run(solver, 4, seed=6)[0])


def test_what_makes_no_sense_is_refused(leduc, between_hands):
    with pytest.raises(ValueError, match="0 boards in an iteration"):
        solvers.make("dcfr", sampling="public", game=leduc, batch=0)
    with pytest.raises(ValueError, match=r"public sampling with pcfr\+"):
        solvers.make("pcfr+", leduc, sampling="public")
    with pytest.raises(ValueError, match="with buckets this fine there are too many"):
        dataclasses.replace(between_hands, remember=True)
