"""Exact real-card exploitability: push/fold and check-down trees against exact games, flops that are known, samples."""

import dataclasses
import functools
import itertools

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, equity, ranges
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.response import flop_sweep, public_cards, real_cards
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE

CHECK_DOWN = "preflop: 2x, a; postflop: 10000%; raises: 2"  # a size that nobody has the chips for


@functools.cache
def random_blueprint(menu, stack=60):
    betting = tree.build(jaxpoker.make("holdem", menu=menu, stack=stack, small_blind=5, big_blind=10))
    known, rng = abstraction.make("rank_based"), np.random.default_rng(3)
    strategy = []
    for street, number in enumerate(known.num_buckets):
        nodes = betting.decisions(street=street)
        weights = rng.exponential(size=(len(nodes), number, betting.num_actions)) * betting.legal(nodes)[:, None]
        strategy.append((weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32))
    return Blueprint(betting, known, tuple(strategy))


def exact_exploitability(blueprint, betting):
    """By the exact solver's best response, in big blinds; ``betting`` ends before the flop."""
    rows, number, text = exact_game._by_decision(betting, betting.game.all_deals())
    game = exact_game._assembled(betting.game, betting, betting.game.all_deals(), rows, number, text)
    table = np.concatenate([blueprint.at(int(node))[blueprint.class_buckets] for node in betting.decisions()])
    with jax.enable_x64(True):
        return float(best_response.exploitability(game, table.astype(np.float64)))


def cut(betting):
    """The tree before the flop: what is checked down from a chance node is shown down there."""
    kept = betting.street == 0
    payoffs = betting.payoffs.copy()
    for node in np.nonzero(kept & (betting.kind == CHANCE))[0]:
        end = int(node)
        while betting.kind[end] != END:
            end = int(betting.children[end][betting.children[end] >= 0][0])
        payoffs[node] = betting.payoffs[end]
    kind = np.where(betting.kind == CHANCE, END, betting.kind)
    children = np.where((betting.kind == DECISION)[:, None], betting.children, NONE)
    assert kept[: kept.sum()].all()
    return dataclasses.replace(
        betting,
        **{name: getattr(betting, name)[kept] for name in ("player", "street", "turn", "parent", "action", "to")},
        kind=kind[kept],
        children=children[kept],
        payoffs=payoffs[kept],
    )


@pytest.mark.parametrize("stack", [50, 100, 200])
def test_push_fold_is_what_the_exact_game_says(stack):
    blueprint = random_blueprint("push/fold", stack)
    found = real_cards.exploitability(blueprint)
    assert found.exploitability / 1_000 == pytest.approx(exact_exploitability(blueprint, blueprint.tree), abs=1e-8)
    assert not real_cards.needs_flops(blueprint)


def checked_down(blueprint, seat):
    """[169, starts]: what starts of the flop are worth that are checked down, in the mean over all boards."""
    betting, counts = blueprint.tree, equity.matchups()
    found = []
    for node in np.nonzero((betting.kind == CHANCE) & (betting.street == 0))[0].tolist():
        reach, path = np.ones(169), betting.path(node)
        for here, after in itertools.pairwise(path):
            if betting.player[here] == 1 - seat:
                reach = reach * blueprint.at(here)[blueprint.class_buckets, betting.action[after]]
        won = counts.combos * (2 * counts.equity - 1) @ reach
        found.append(won * cut(betting).payoffs_of(0)[node, 0])
    return np.stack(found, axis=1)


def test_a_tree_that_is_checked_down_is_what_the_exact_game_says():
    """With the same values for every flop; ``scripts/run exploit`` makes them flop by flop."""
    blueprint = random_blueprint(CHECK_DOWN)
    with pytest.raises(ValueError, match="bet on after the flop"):
        real_cards.exploitability(blueprint)
    times = public_cards.flops().times
    of_flop = np.concatenate([checked_down(blueprint, seat) for seat in range(2)], axis=1)
    share = real_cards.FLOPS_OF_A_PAIR / times.sum()
    found = real_cards.exploitability(blueprint, real_cards.whole(np.tile(of_flop * share, (len(times), 1, 1))))
    expected = exact_exploitability(blueprint, cut(blueprint.tree))
    assert found.exploitability / 1_000 == pytest.approx(expected, abs=1e-7)
    with_flops = [answer.ends + part for answer, part in zip(found.answers, found.by_flop[0] / 1_000, strict=True)]
    np.testing.assert_allclose(with_flops, np.array(found.responses) / 1_000, atol=1e-9)


@pytest.mark.optimised
@pytest.mark.thorough
def test_on_a_flop_a_checked_down_pot_is_worth_its_equity():
    """Pairs of aces, all rivers of a flop: what AA wins from the whole range less what it loses."""
    blueprint = random_blueprint(CHECK_DOWN)
    number = next(i for i, flop in enumerate(public_cards.flops().cards) if set(flop % 13) == {0})  # 222
    sweep = flop_sweep.of(blueprint)
    values = real_cards.values_on(blueprint, sweep, number)
    first = int(np.nonzero((blueprint.tree.kind == CHANCE) & (blueprint.tree.street == 0))[0][0])
    reach, path = np.ones(169), blueprint.tree.path(first)
    for here, after in itertools.pairwise(path):
        if blueprint.tree.player[here] == 1:
            reach = reach * blueprint.at(here)[blueprint.class_buckets, blueprint.tree.action[after]]
    flop, weights = public_cards.flops().cards[number].tolist(), reach[ranges.CLASS_OF_COMBO].astype(np.float32)
    expected = 0.0
    for combo in np.flatnonzero(ranges.CLASS_NAMES.index("AA") == ranges.CLASS_OF_COMBO):
        mine = np.zeros(1326, np.float32)
        mine[combo] = 1
        free = weights * ~np.isin(ranges.COMBOS, [*ranges.COMBOS[combo], *flop]).any(axis=1)
        expected += (2 * equity.equity(mine, weights, board=cards.text(flop))[0].equity - 1) * free.sum()
    pays = cut(blueprint.tree).payoffs_of(0)[first, 0]
    assert values[ranges.CLASS_NAMES.index("AA"), 0] == pytest.approx(pays * expected, rel=1e-5)


def test_a_sample_is_fitted_on_one_half_and_measured_on_the_other():
    """Flops that differ only by noise: on the flops of the fit a response wins more than on the others."""
    blueprint = random_blueprint(CHECK_DOWN)
    base = np.concatenate([checked_down(blueprint, seat) for seat in range(2)], axis=1)
    base = base * real_cards.FLOPS_OF_A_PAIR / real_cards.FLOPS
    noise = np.random.default_rng(0).normal(scale=np.abs(base).max() / 4, size=(64, *base.shape))
    found = real_cards.sampled(blueprint, np.arange(64), base + noise)
    exact = 1_000 * exact_exploitability(blueprint, cut(blueprint.tree))
    assert found.exploitability.mean - 3 * found.exploitability.ci95 < exact < found.fitted
    assert found.exploitability.n == 64 and found.whole.exploitability == found.fitted
    same = real_cards.sampled(blueprint, np.arange(8), np.tile(base, (8, 1, 1)))
    assert same.exploitability.mean == pytest.approx(exact, abs=1e-3) == same.fitted and same.exploitability.ci95 < 1e-6
    with pytest.raises(ValueError, match="at least four"):
        real_cards.sampled(blueprint, np.arange(3), base + noise[:3])


def test_drawn_flops_come_as_often_as_they_are():
    drawn = real_cards.draw(40_000, 1)
    times = public_cards.flops().times
    assert np.abs(np.bincount(drawn, minlength=len(times)) / 40_000 - times / 22_100).max() < 0.001
    assert drawn.tolist() == real_cards.draw(40_000, 1).tolist() != real_cards.draw(40_000, 2).tolist()


class FirstSuit:
    """Buckets that know whether a hand has a club."""

    def __init__(self, other):
        self.other = other

    def __getattr__(self, name):
        return getattr(self.other, name)

    def of_board(self, tables, board):
        clubs = jax.numpy.asarray((ranges.COMBOS < 13).any(axis=1), "int32")
        return self.other.of_board(tables, board).at[1].set(clubs)


def test_buckets_that_depend_on_the_names_of_suits_are_refused():
    blueprint = random_blueprint(CHECK_DOWN)
    real_cards.require_alike_suits(blueprint)
    with pytest.raises(ValueError, match="names of suits"):
        real_cards.require_alike_suits(dataclasses.replace(blueprint, abstraction=FirstSuit(blueprint.abstraction)))


def test_the_fingerprint_is_of_what_is_played():
    blueprint = random_blueprint(CHECK_DOWN)
    changed = [np.array(of_street) for of_street in blueprint.strategy]
    changed[0][0, 1] = changed[0][0, 1][::-1]
    other = Blueprint(blueprint.tree, blueprint.abstraction, tuple(changed))
    assert real_cards.fingerprint(blueprint) == real_cards.fingerprint(blueprint) != real_cards.fingerprint(other)
