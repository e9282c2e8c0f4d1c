"""Public chance sampling: equilibria of small games, boards remembered and forgotten, the same bits."""

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
from jaxpoker.solvers.regret import ALGORITHMS, instant_regrets
from jaxpoker.solvers.sampling import public_cfr, warm_start
from jaxpoker.solvers.sampling.boards import HandBoards
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.table_rows import OwnRows
from jaxpoker.solvers.tree import street_shapes
from jaxpoker.studies.solve import training

LEDUC_VALUE = -0.085606424078
MENU = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"


def holdem(big_blinds, menu=MENU):
    return jaxpoker.make("holdem", menu=menu, stack=10 * big_blinds, small_blind=5, big_blind=10)


def same_bits(one, other):
    leaves = [jax.tree.leaves((s.regrets, s.averages, s.counts, s.boards, s.step)) for s in (one, other)]
    return all(np.array_equal(a, b) for a, b in zip(*leaves, strict=True))


def test_histories_go_into_a_file_in_51sts(tmp_path, updated):
    cards = abstraction.make("rank_history")
    solver = solvers.make("dcfr", holdem(4, "push/fold"), cards=cards)
    state, _ = updated(solver, 5)
    trained = training.Training(solver, cards, 64, tmp_path, 5)
    (kept,) = trained.to_keep(state)
    np.testing.assert_allclose(kept, solver.average(state)[0], atol=1 / 51)
    np.testing.assert_allclose(kept * 51, np.round(kept * 51), atol=1e-4)
    trained.blueprint([kept]).save(tmp_path / "b.zip")
    np.testing.assert_array_equal(blueprint.load(tmp_path / "b.zip").strategy[0], kept)


def test_of_equity_buckets_a_file_plays_as_trained(tmp_path, few_flops, updated):
    """Nothing is cut: each probability is at most 1/255 from the trained one, and all add up to 1."""
    solver = solvers.make("linear", holdem(4, "push/fold"), cards=few_flops, batch=2, remember=False)
    state, _ = updated(solver, 5)
    trained = training.Training(solver, few_flops, 64, tmp_path, 5)
    trained.save(state)
    solved = blueprint.load(tmp_path / "blueprint.zip", few_flops)
    (given,) = solver.average(state)
    kept = solved.strategy[0]
    assert 0 < np.abs(kept - given).max() <= 1 / 255 + 1e-6
    np.testing.assert_allclose(kept.sum(axis=-1), 1, atol=1e-6)


def test_a_run_may_go_on_from_a_strategy(tmp_path, short_holdem, updated):
    strategy = [np.asarray(street) for street in short_holdem.average(updated(short_holdem, 3)[0])]
    solver = dataclasses.replace(short_holdem, before=50)
    begin = functools.partial(warm_start.from_strategy, solver, strategy=strategy)
    learner = training.Training(solver, abstraction.make("rank_based"), 64, tmp_path, 3, begin=begin)
    state = learner.init(jax.random.key(0))
    np.testing.assert_allclose(solver.average(state)[0], strategy[0], atol=1e-5)
    likewise = jax.eval_shape(learner.init, jax.random.key(0))  # as a run is resumed
    assert jax.tree.structure(likewise) == jax.tree.structure(state)


# --- equilibria ---------------------------------------------------------------------------------


@pytest.mark.thorough
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


@pytest.mark.thorough
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


# --- boards -------------------------------------------------------------------------------------


@functools.partial(jax.jit, static_argnums=0)
def drawn(solver, key, step):
    """The counts of the boards that iteration ``step`` draws."""
    boards = solver.chance.draw(solver.chance.tables, jax.random.fold_in(key, step), solver.batch)
    return solver.chance.dealt(solver.chance.tables, boards)[0]


@pytest.mark.thorough
def test_remembered_boards_are_the_mean_of_all_drawn_so_far(short_holdem):
    solver = short_holdem
    state = solver.init(jax.random.key(1))
    each = []
    for iteration in range(3):
        each.append(np.asarray(drawn(solver, state.key, state.step)))
        state, metrics = solver.update(state)
        np.testing.assert_allclose(state.counts, np.mean(each, axis=0), atol=1e-8)
        assert float(metrics["boards"]) == (iteration + 1) * solver.batch
    assert np.abs(each[0] - each[1]).max() > 1e-5


def test_on_boards_of_its_own_seat_1_meets_the_strategy_of_before(short_holdem, updated):
    """A new strategy of seat 0 has seen the boards, and what seat 1 loses to it there says nothing of other boards."""
    solver = dataclasses.replace(short_holdem, remember=False, algorithm=ALGORITHMS["cfr+"])
    state, _ = updated(solver, 2)
    before = jax.tree.map(np.array, state.regrets)  # an update uses its state up
    on = drawn(solver, state.key, state.step)
    own, other = (solver.rows.betting.by_shapes(player, solver.current(state)) for player in (1, 0))
    values = solver.game.values(1, on, own, other).action_values
    instant = instant_regrets(values, own, solver.game.legal(1))
    state, _ = solver.update(state)
    for old, found, new in zip(*map(jax.tree.leaves, (before[1], instant, state.regrets[1])), strict=True):
        np.testing.assert_allclose(new, np.maximum(old + found, 0), atol=1e-5)


@pytest.mark.thorough
@pytest.mark.parametrize("remember", [True, False])
def test_an_iteration_plays_on_what_it_remembers(remember, short_holdem, updated):
    """The value that it finds is that of its strategies on all boards so far, or on its own boards alone."""
    solver = dataclasses.replace(short_holdem, remember=remember)
    state, _ = updated(solver, 2)
    counts, new = state.counts, drawn(solver, state.key, state.step)
    on = counts + (new - counts) / 3 if remember else new
    both = [solver.rows.betting.by_shapes(player, solver.current(state)) for player in (0, 1)]
    expected = float(solver.game.values(0, on, *both).value)
    state, metrics = solver.update(state)
    assert float(metrics["value"]) == pytest.approx(expected, abs=1e-5)
    assert state.counts.size == (on.size if remember else 0)


# --- what is kept -------------------------------------------------------------------------------


def test_a_concise_strategy_is_the_average_but_for_rare_buckets(short_holdem, updated):
    """Buckets of one kind that hardly come to a decision play there as their kind does."""
    solver = short_holdem
    state, _ = updated(solver, 3)
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


# --- as a program -------------------------------------------------------------------------------


def test_same_seed_same_bits_in_one_go_or_after_a_pause(short_holdem, updated):
    solver = short_holdem
    whole, _ = updated(solver, 4, seed=5)
    state, _ = updated(solver, 2, seed=5)
    saved = jax.tree.map(np.asarray, dataclasses.replace(state, key=jax.random.key_data(state.key)))
    state = jax.tree.map(jnp.asarray, saved)
    state = dataclasses.replace(state, key=jax.random.wrap_key_data(state.key))
    for _ in range(2):
        state, _ = solver.update(state)
    assert same_bits(whole, state)
    assert not same_bits(whole, updated(solver, 4, seed=6)[0])


def test_what_makes_no_sense_is_refused(leduc, between_hands):
    with pytest.raises(ValueError, match="0 boards in an iteration"):
        solvers.make("dcfr", sampling="public", game=leduc, batch=0)
    with pytest.raises(ValueError, match=r"public sampling with pcfr\+"):
        solvers.make("pcfr+", leduc, sampling="public")
    with pytest.raises(ValueError, match="with buckets this fine there are too many"):
        dataclasses.replace(between_hands, remember=True)


# --- some starts ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def some_starts(short_holdem, few_flops):
    """Short stacks, swept between hands; half of the turns and rivers in each iteration."""
    betting = street_shapes.shaped(short_holdem.game.tree)
    game, boards = HandGame(betting, few_flops.num_buckets), HandBoards(few_flops)
    shares = (1.0, 1.0, 0.5, 0.5)
    return public_cfr.PublicCFR(
        game, boards, OwnRows(betting), ALGORITHMS["cfr+"], batch=2, remember=False, shares=shares
    )


def test_starts_that_are_not_drawn_keep_what_they_have_learned(some_starts):
    solver = some_starts
    state, _ = solver.update(solver.init(jax.random.key(0)))
    before = jax.tree.map(np.array, (state.regrets, state.averages))
    _, starts = solver._draw_starts(solver.chance.tables, state)
    places = [[np.asarray(where) for where in here.places] for here in starts]
    after, _ = solver.update(state)
    kept = moved = 0
    for old, new in zip(before, (after.regrets, after.averages), strict=True):
        for player in (0, 1):
            for street, shapes in enumerate(solver.rows.betting.streets):
                for i, shape in enumerate(shapes):
                    drawn_there = np.isin(np.arange(shape.num_starts), places[street][i])
                    one, other = old[player][street][i], np.asarray(new[player][street][i])
                    np.testing.assert_array_equal(one[..., ~drawn_there], other[..., ~drawn_there])
                    kept += (~drawn_there).sum()
                    moved += (one != other).any()
    assert kept > 0 and moved > 0


def test_drawn_starts_come_again_from_the_same_key_and_from_tables(some_starts, updated):
    solver = some_starts
    first, again = (updated(solver, 2, seed=3)[0] for _ in range(2))
    assert same_bits(first, again)
    assert any(float(jnp.ptp(weights)) > 0 for weights in first.likely[2:])  # measured, not all alike
    back = solver.state_of(solver.street_tables(first))
    assert jax.tree.structure(back) == jax.tree.structure(first)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shares": (1.0, 1.0, 0.5)}, "one above 0 and at most 1 for each of the 4 streets"),
        ({"shares": (1.0, 1.0, 0.5, 0.0)}, "one above 0 and at most 1"),
        ({"algorithm": ALGORITHMS["linear"]}, "linear discounts all regrets"),
    ],
)
def test_starts_that_cannot_be_drawn_are_refused(some_starts, changes, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(some_starts, **changes)


def test_between_buckets_all_starts_are_swept(short_holdem):
    with pytest.raises(ValueError, match="only between hands"):
        dataclasses.replace(short_holdem, algorithm=ALGORITHMS["cfr+"], shares=(1.0, 1.0, 0.5, 0.5))


def test_weights_are_counted_in_those_of_the_last_iteration(some_starts, updated):
    """All buckets together come to the first decision once in each iteration; three count 1, 1/2 and 1/3 less."""
    state, _ = updated(some_starts, 3)
    (unit, *_) = some_starts.last_weights(3)
    first = some_starts.street_tables(state).weights()[0][0].sum() / unit
    assert first == pytest.approx((1 + 2 + 3) / 3, rel=1e-3)
