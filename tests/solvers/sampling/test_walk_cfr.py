"""External and outcome sampling: unbiased regrets, equilibria, and the same bits every time."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import ranges, solvers
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.regret import ALGORITHMS
from jaxpoker.solvers.sampling import walk_cfr, walk_game
from jaxpoker.solvers.sweep import PLAYERS

KUHN_VALUE, LEDUC_VALUE = -1 / 18, -0.085606424078
SAMPLINGS = ("external", "outcome")


@pytest.fixture(scope="module")
def solver_of(push_fold, classes):
    """``solver_of(name, how)``: deals of Leduc come from the list of all, hands of push/fold from the deck."""

    @functools.cache
    def of(name, how, batch=512):
        if name == "push/fold":
            return solvers.make("linear", push_fold.game, sampling=how, cards=classes, batch=batch)
        return solvers.make("linear", jaxpoker.make(name), sampling=how, batch=batch)

    return of


def mean_and_error(walk, batches):
    """Means over independent batches of everything that ``walk(key)`` returns, and their standard errors."""
    keys = jax.random.split(jax.random.key(7), batches)
    each = jax.jit(lambda keys: jax.lax.map(walk, keys))(keys)
    each = jax.tree.map(lambda x: np.asarray(x, np.float64), each)
    return jax.tree.map(lambda x: (x.mean(axis=0), x.std(axis=0, ddof=1) / np.sqrt(batches)), each)


def require_unbiased(found, exact, least=0.0):
    """All within six standard errors, and no farther off in the mean than errors of that size are."""
    mean, error = found
    sure = error <= least
    np.testing.assert_allclose(mean[sure], exact[sure], atol=1e-5)
    z = (mean - exact)[~sure] / error[~sure]
    assert np.abs(z).max(initial=0) < 6
    assert z.size < 20 or (z**2).mean() < 1.5


# --- sampled regrets are the exact ones in the mean ----------------------------------------------


@pytest.mark.parametrize("how", SAMPLINGS)
@pytest.mark.parametrize("name", ["leduc", "push/fold"])
def test_regrets_reach_and_value_are_exact_in_the_mean(push_fold, solver_of, any_strategy, name, how):
    game = push_fold if name == "push/fold" else exact_game.whole(jaxpoker.make(name))
    solver = solver_of(name, how)
    table = ((any_strategy(game, 1) + game.uniform()) / 2).astype(np.float32)
    for player in PLAYERS:
        parts, regrets, value, reach = exact(game, player, table)
        found = mean_and_error(lambda key, p=player, parts=parts: solver.walks(solver.game.tables, p, parts, key), 600)
        assert np.abs(regrets).max() > 0.01
        require_unbiased(found.regrets, regrets)
        require_unbiased(found.value, value)
        require_unbiased(found.reach, reach * chance_of_slots(game, 1 - player))


def exact(game, player, table):
    """The strategies of both, the regrets and the value of ``player``, and how likely the other's actions lead to its
    slots."""

    @jax.jit
    def of(table):
        parts = tuple(game.part(each, table) for each in PLAYERS)
        own, other = parts[player], parts[1 - player]
        values, value = reversed(game.values(player, None, own, other))
        regrets = jnp.where(game.sides[player].legal, values - (values * own).sum(axis=0), 0)
        return parts, regrets, value, game.own_reach(1 - player, None, other)

    return jax.tree.map(np.asarray, of(table))


def chance_of_slots(game, player):
    """How often a player is dealt what each of its slots says."""
    of_street = [street.prior.sum(axis=2 - player).reshape(-1) for street in game.deals.streets]
    return np.concatenate([of_street[game.tree.street[node]] for node in game.sides[player].nodes])


def regrets_by_recursion(game, player, strategies, columns, outcome):
    """Counterfactual regrets ``[actions, slots]`` of one deal with all actions of both, node after node."""
    betting, regrets = game.tree, np.zeros(strategies[player].shape)

    def worth(node, reach):
        if betting.kind[node] == tree.END:
            return betting.payoffs_of(0)[node, outcome] * (1 if player == 0 else -1)
        if betting.kind[node] == tree.CHANCE:
            return worth(betting.children[node, 0], reach)
        seat = betting.player[node]
        slot = game.first_slot[node] + columns[betting.street[node], seat]
        played = strategies[seat][:, slot]
        legal = np.nonzero(betting.legal(node))[0]
        of = {a: worth(betting.children[node, a], reach * (1 if seat == player else played[a])) for a in legal}
        mean = sum(played[a] * of[a] for a in legal)
        if seat == player:
            regrets[legal, slot] += [reach * (of[a] - mean) for a in legal]
        return mean

    worth(0, 1.0)
    return regrets


@pytest.mark.parametrize("how", SAMPLINGS)
def test_four_streets_of_holdem_are_walked_as_a_recursion_walks_them(how):
    """After the flop the big blind acts first; hands go by their buckets of each street."""
    betting = tree.build(jaxpoker.make("holdem", menu="a", stack=8, small_blind=1, big_blind=2))
    game = walk_game.between_buckets(betting, abstraction.make("rank_based"))
    rng = np.random.default_rng(3)
    weights = [np.where(legal, rng.uniform(0.2, 1, legal.shape), 0) for legal in game.legal]
    strategies = tuple(jnp.asarray(weight / weight.sum(axis=0), jnp.float32) for weight in weights)
    dealt = jax.jit(game.deal, static_argnums=2)(game.tables, jax.random.key(0), 40)
    solver = walk_cfr.WalkCFR(dataclasses.replace(game, deal=lambda *_: dealt), None, how)
    for player in PLAYERS:
        found = mean_and_error(lambda key, p=player: solver.walks((), p, strategies, key), 1_000)
        deals = zip(np.moveaxis(np.asarray(dealt.columns), 2, 0), np.asarray(dealt.outcome), strict=True)
        as_numpy = [np.asarray(strategy, np.float64) for strategy in strategies]
        exact = np.mean([regrets_by_recursion(game, player, as_numpy, *deal) for deal in deals], axis=0)
        require_unbiased(found.regrets, exact, least=1e-7)


def test_deals_of_holdem_are_cards_of_the_deck(solver_of):
    """Aces hold up against a random hand as often as the exact table says, and both seats get them alike."""
    game = solver_of("push/fold", "external").game
    dealt = jax.jit(game.deal, static_argnums=2)(game.tables, jax.random.key(5), 400_000)
    aces = ranges.CLASS_NAMES.index("AA")
    for seat, win in zip(PLAYERS, (0, 2), strict=True):
        with_aces = np.asarray(dealt.outcome)[np.asarray(dealt.columns[0, seat]) == aces]
        assert len(with_aces) / 400_000 == pytest.approx(6 / 1326, rel=0.1)
        equity = ((with_aces == win) + (with_aces == 1) / 2).mean()
        assert equity == pytest.approx(ranges.preflop_table().equity[aces], abs=0.03)


def test_listed_deals_come_as_often_as_they_should(push_fold):
    """Of push/fold's 85,000 pairs of classes with an outcome; seats and outcomes in the order of the list."""
    game = walk_game.between_cards(push_fold)
    keep, alias = (np.asarray(x, np.float64) for x in game.tables[2:])
    drawn = np.bincount(alias.astype(int), 1 - keep, minlength=len(keep)) + keep
    street = push_fold.deals.streets[0]
    exact = np.stack([street.win, street.tie, street.lose], axis=-1)[0]
    columns, outcome = np.asarray(game.tables[0])[0], np.asarray(game.tables[1])
    np.testing.assert_allclose(drawn / len(keep), exact[columns[0], columns[1], outcome], atol=1e-11)
    dealt = game.deal(game.tables, jax.random.key(0), 200_000)
    seen = np.bincount(np.asarray(dealt.columns)[0, 0], minlength=169) / 200_000
    np.testing.assert_allclose(seen, ranges.COMBOS_PER_CLASS / 1326, atol=0.001)


def test_actions_are_drawn_by_their_probabilities_and_never_one_of_probability_zero():
    words = jnp.asarray([0, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1], jnp.uint32)
    chances = jnp.asarray([0.0, 0.25, 0.25, 0.5, 0.0])
    drawn = walk_game.draw(jnp.broadcast_to(chances[:, None], (5, 5)), words)
    np.testing.assert_array_equal(np.argmax(drawn, axis=0), [1, 2, 2, 3, 3])
    np.testing.assert_array_equal(drawn.sum(axis=0), 1)


# --- equilibria ---------------------------------------------------------------------------------


@pytest.mark.optimised
@pytest.mark.parametrize("how", SAMPLINGS)
def test_kuhn_is_solved(solver_of, how):
    solver = solver_of("kuhn", how)
    quality = solver.evaluate(solver.run(solver.init(jax.random.key(0)), 3_000), jax.random.key(1))
    assert float(quality["exploitability"]) < 0.01
    assert float(quality["value"]) == pytest.approx(KUHN_VALUE, abs=0.002)


@pytest.mark.optimised
@pytest.mark.parametrize(
    ("how", "updates", "bound", "tolerance"), [("external", 3_000, 0.02, 0.004), ("outcome", 6_000, 0.1, 0.02)]
)
def test_leduc_is_solved(solver_of, how, updates, bound, tolerance):
    solver = solver_of("leduc", how)
    quality = solver.evaluate(solver.run(solver.init(jax.random.key(0)), updates), jax.random.key(1))
    assert float(quality["exploitability"]) < bound
    assert float(quality["value"]) == pytest.approx(LEDUC_VALUE, abs=tolerance)


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
