"""Local best response: against players whose faults are known, exact best responses, and a recursion over the tree."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, equity
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers.abstraction import OPEN_CARDS
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.response import local_best_response
from jaxpoker.solvers.tree.chips import chips_at

pytestmark = [pytest.mark.optimised, pytest.mark.thorough]  # equities against all hands on all boards to come

FOLD, CALL = range(2)
STACK = 20  # big blinds

against_random, shares = jax.jit(equity.against_random), jax.jit(equity.all_in_shares)


def made(weigh):
    """The blueprint at 20 big blinds with two sizes whose weights are ``weigh(decisions, buckets, actions)``."""
    betting, known = short_stacks(), abstraction.make("rank_based")
    strategy = []
    for street, buckets in enumerate(known.num_buckets):
        nodes = betting.decisions(street=street)
        weights = weigh(len(nodes), buckets, betting.num_actions) * betting.legal(nodes)[:, None]
        weights[..., CALL] += 1e-9  # checks where it cannot fold
        strategy.append((weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32))
    return Blueprint(betting, known, tuple(strategy))


@functools.cache
def short_stacks():
    menu = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"
    return tree.build(jaxpoker.make("holdem", menu=menu, stack=10 * STACK, small_blind=5, big_blind=10))


def always(action):
    return made(lambda *shape: np.broadcast_to(np.arange(shape[-1]) == action, shape).astype(float))


# --- players whose faults are known -------------------------------------------------------------


@pytest.mark.thorough
def test_who_always_folds_loses_the_blinds():
    """The big blind to any raise, the small blind by itself."""
    found = local_best_response.winnings(always(FOLD), cards.deal(jax.random.key(0), 7, (64,)), jax.random.key(1))
    np.testing.assert_allclose(found, np.broadcast_to([1, 0.5], (64, 2)), atol=1e-6)
    found = local_best_response.measure(always(FOLD), jax.random.key(2), 64)
    assert found.mean == pytest.approx(750, abs=1e-3) and found.ci95 < 1e-3 and found.n == 64


def test_who_always_calls_is_put_all_in_by_any_hand_that_is_ahead():
    """From the first street on which it has more than half of the pot against any two cards; else it checks down."""
    dealt = cards.deal(jax.random.key(7), 7, (64,))
    by_street = [against_random(dealt[:, :2], dealt[:, 2 : 2 + opened]) for opened in OPEN_CARDS]
    equities = np.stack(by_street, axis=1)
    ahead = equities > 0.5
    street = np.where(ahead.any(axis=1), ahead.argmax(axis=1), 3)
    assert len(set(street.tolist())) == 4
    share = equities[np.arange(64), street]
    expected = (2 * share - 1) * np.where(ahead.any(axis=1), STACK, 1)
    found = local_best_response.winnings(always(CALL), dealt, jax.random.key(4))
    np.testing.assert_allclose(found, np.stack([expected, expected], axis=1), atol=1e-4)
    assert found.mean() > 2


def test_who_plays_at_random_loses_much():
    found = local_best_response.measure(made(lambda *shape: np.ones(shape)), jax.random.key(5), 256)
    assert found.mean - found.ci95 > 500


# --- a recursion over the tree ------------------------------------------------------------------


def by_recursion(solved, seat, seven):
    """What the responder makes in the mean over the blueprint's hands and actions, in the words of the paper."""
    betting, chips, board = solved.tree, chips_at(solved.tree), seven[2:]
    following = betting.following()
    put_in = ((chips.pot - chips.bets.sum(axis=1))[:, None] / 2 + chips.bets) / solved.game.big_blind
    both = jnp.stack([jnp.broadcast_to(seven[:2], (1326, 2)), jnp.asarray(COMBOS)], axis=1)
    share = np.asarray(shares(both, jnp.broadcast_to(board, (1326, 5)))).T  # [4, 1326]
    free = [[not set(combo) & set(seven[: 2 + opened].tolist()) for combo in COMBOS.tolist()] for opened in OPEN_CARDS]
    free = np.array(free)  # [4, 1326]
    buckets = np.asarray(jax.jit(solved.abstraction.of_board)((), board))

    def played(node):
        return solved.at(node)[buckets[betting.street[node]]]  # [1326, actions]

    def wins(weights, street):
        return np.average(share[street], weights=weights * free[street])

    def worth(node, action, reach):
        street, pot = betting.street[node], put_in[node].sum()
        asked = put_in[node, 1 - seat] - put_in[node, seat]
        if action == FOLD:
            return 0
        after = following[node, action]
        if action == CALL:
            wp = wins(reach, street)
            return wp * pot - (1 - wp) * asked
        folding = played(after)[:, FOLD]
        fp = np.average(folding, weights=reach * free[street])
        more = put_in[after, seat] - put_in[node, 1 - seat]
        if fp == 1:
            return pot
        wp = wins(reach * (1 - folding), street)
        return fp * pot + (1 - fp) * (wp * (pot + more) - (1 - wp) * (asked + more))

    def value(node, reach):
        street = betting.street[node]
        if betting.kind[node] == tree.END:
            if betting.is_fold(node):
                return betting.payoffs_of(0)[node, 0] * (1 - 2 * seat)
            return betting.payoffs_of(0)[node, 0] * (2 * wins(reach, street) - 1)
        legal = np.flatnonzero(betting.legal(node)).tolist()
        if betting.player[node] == seat:
            return value(following[node, max(legal, key=lambda action: worth(node, action, reach))], reach)
        mix = played(node)
        likely = np.average(mix, axis=0, weights=reach * free[3])
        return sum(likely[action] * value(following[node, action], reach * mix[:, action]) for action in legal)

    return value(0, np.ones(1326))


def test_play_is_that_of_a_recursion_over_the_tree():
    rng = np.random.default_rng(0)
    solved = made(lambda *shape: rng.exponential(size=shape) ** 2)
    dealt = jnp.asarray(np.stack([cards.parse("AhKdKs7c2h9d3s"), cards.parse("8s7s6h5dTcJs2s")]))
    times = 128
    found = local_best_response.winnings(solved, jnp.repeat(dealt, times, axis=0), jax.random.key(6))
    found = found.reshape(len(dealt), times, 2)
    expected = [[by_recursion(solved, seat, np.asarray(seven)) for seat in (0, 1)] for seven in dealt]
    error = found.std(axis=1) / np.sqrt(times)
    assert (np.abs(found.mean(axis=1) - expected) < 4 * error + 1e-4).all()


# --- exact best responses -----------------------------------------------------------------------


def test_where_nothing_follows_it_is_the_best_response(push_fold, classes, any_strategy):
    """A jam is answered and over, and a call ends the hand."""
    table = (any_strategy(push_fold, 2) + push_fold.uniform()) / 2  # every hand folds at times
    unused = [np.zeros((0, 1, 3), np.float32)] * 3
    solved = Blueprint(push_fold.tree, classes, (table.reshape(2, 169, 3).astype(np.float32), *unused))
    exact = np.asarray(best_response.quality(push_fold, table).best)
    found = local_best_response.winnings(solved, cards.deal(jax.random.key(7), 7, (512,)), jax.random.key(8))
    error = found.std(axis=0) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - exact) < 2.5 * error).all()
    assert (exact > 4 * error).all()


def test_an_interval_needs_two_deals():
    with pytest.raises(ValueError, match="1 deals: an interval needs at least two"):
        local_best_response.measure(always(FOLD), jax.random.key(0), 1)
