"""Local best response: against players whose faults are known, exact best responses, and a recursion over the tree."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, equity, players
from jaxpoker.games.holdem.table import Deal
from jaxpoker.players import Entrant
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers.abstraction import OPEN_CARDS
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.blueprint.storage import in_parts, probabilities
from jaxpoker.solvers.exact import best_response, strategies
from jaxpoker.solvers.response import local_best_response
from jaxpoker.solvers.response.settings import SETTINGS
from jaxpoker.solvers.tree.chips import chips_at

pytestmark = [pytest.mark.optimised, pytest.mark.thorough]  # equities against all hands on all boards to come

FOLD, CALL = range(2)
STACK = 20  # big blinds
TREE, FOLD_CALL = SETTINGS["tree"], SETTINGS["fold-call"]

against_random, shares = jax.jit(equity.against_random), jax.jit(equity.all_in_shares)


def made(weigh):
    """The blueprint at 20 big blinds with two sizes whose weights are ``weigh(decisions, buckets, actions)``."""
    betting, known = short_stacks(), abstraction.make("rank_based")
    strategy = []
    for street, buckets in enumerate(known.num_buckets):
        nodes = betting.decisions(street=street)
        weights = weigh(len(nodes), buckets, betting.num_actions) * betting.legal(nodes)[:, None]
        weights[..., CALL] += 1e-9  # checks where it cannot fold
        strategy.append(probabilities(in_parts(weights / weights.sum(axis=-1, keepdims=True))))
    return Blueprint(betting, known, tuple(strategy))


@functools.cache
def short_stacks():
    menu = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"
    return tree.build(jaxpoker.make("holdem", menu=menu, stack=10 * STACK, small_blind=5, big_blind=10))


def always(action):
    return made(lambda *shape: np.broadcast_to(np.arange(shape[-1]) == action, shape).astype(float))


def with_board(board):
    """A deal of ``board`` ``[5]``; nobody looks at the hands."""
    return Deal.of(jnp.asarray([[0, 1], [2, 3]]), jnp.asarray(board))


def with_hand(solved, seven, seat, setting=TREE):
    """What the responder wins with the first two of ``seven`` cards on the others."""
    match, params = local_best_response.of_blueprint(solved, setting)
    own = (np.sort(seven[:2]) == COMBOS).all(axis=1)
    return local_best_response.on_deal(match, params, with_board(seven[2:]), seat, own)


# --- small games, all deals -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def leduc_tables(leduc, any_strategy):
    equilibrium = strategies.of_player(leduc, *players.entrant("equilibrium", leduc.game))
    return {"equilibrium": equilibrium, "uniform": leduc.uniform(), "any": any_strategy(leduc, 5)}


@pytest.mark.parametrize("name", ["equilibrium", "uniform", "any"])
def test_on_leduc_it_never_wins_more_than_the_best_response(name, leduc, leduc_tables):
    table = leduc_tables[name]
    entrant = Entrant(strategies.as_player(leduc, name), jnp.asarray(table, jnp.float32))
    best = [float(best_response.best_response(leduc, table, seat).value) for seat in (0, 1)]
    for setting in (TREE, FOLD_CALL):
        won = local_best_response.exact(*local_best_response.of_entrant(entrant, leduc.game, setting))
        assert (won <= np.array(best) + 1e-5).all()
    raises = local_best_response.exact(*local_best_response.of_entrant(entrant, leduc.game, TREE))
    assert raises.mean() > won.mean() + 0.05, "bets win something"
    if name == "equilibrium":
        np.testing.assert_allclose(raises, best, atol=2e-3)  # it has no fault that one bet could find
    else:
        assert raises.sum() > 0.8 * sum(best)


def test_on_leduc_drawn_lines_win_what_all_lines_win(leduc, leduc_tables):
    entrant = Entrant(strategies.as_player(leduc, "any"), jnp.asarray(leduc_tables["any"], jnp.float32))
    match, params = local_best_response.of_entrant(entrant, leduc.game, TREE)
    exact = local_best_response.exact(match, params)
    found = local_best_response.winnings(match, params, jax.random.split(jax.random.key(0), 1_000), walks=2)
    error = found.std(axis=0) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - exact) < 4 * error).all() and (error < 0.1).all()


# --- players whose faults are known -------------------------------------------------------------


def test_who_always_folds_loses_the_blinds():
    """The big blind to any raise, the small blind by itself."""
    match, params = local_best_response.of_blueprint(always(FOLD), TREE)
    deal = with_board(cards.parse("AhKd7c2h9d"))
    assert [local_best_response.on_deal(match, params, deal, seat) for seat in (0, 1)] == pytest.approx([1, 0.5])


def test_who_always_calls_is_put_all_in_by_any_hand_that_is_ahead():
    """From the first street on which it has more than half of the pot against any two cards; else it checks down."""
    solved = always(CALL)
    dealt = np.asarray(cards.deal(jax.random.key(7), 7, (64,)))
    by_street = [against_random(dealt[:, :2], dealt[:, 2 : 2 + opened]) for opened in OPEN_CARDS]
    equities = np.stack(by_street, axis=1)
    ahead = equities > 0.5
    street = np.where(ahead.any(axis=1), ahead.argmax(axis=1), 3)
    share = equities[np.arange(len(dealt)), street]
    expected = (2 * share - 1) * np.where(ahead.any(axis=1), STACK, 1)
    for at in range(4):  # a hand that goes all-in on each street, or never does
        some = np.nonzero(street == at)[0][-1]
        assert with_hand(solved, dealt[some], at % 2) == pytest.approx(expected[some], abs=1e-3)


def test_an_estimate_is_of_deals_from_both_seats():
    found = local_best_response.measure(always(FOLD), jax.random.key(2), 4, walks=1)
    assert found.mean == pytest.approx(750, abs=1e-2) and found.ci95 < 1e-2 and found.n == 4


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
    for seat, text in enumerate(("AhKdKs7c2h9d3s", "8s7s6h5dTcJs2s")):
        seven = cards.parse(text)
        assert with_hand(solved, seven, seat) == pytest.approx(by_recursion(solved, seat, seven), abs=2e-3)


# --- exact best responses -----------------------------------------------------------------------


def test_where_nothing_follows_it_is_the_best_response(push_fold, classes, any_strategy):
    """A jam is answered and over, and a call ends the hand."""
    table = (any_strategy(push_fold, 2) + push_fold.uniform()) / 2  # every hand folds at times
    table = probabilities(in_parts(table))
    unused = [np.zeros((0, 1, 3), np.float32)] * 3
    solved = Blueprint(push_fold.tree, classes, (table.reshape(2, 169, 3), *unused))
    exact = np.asarray(best_response.quality(push_fold, table).best)
    match, params = local_best_response.of_blueprint(solved, TREE)
    boards = np.asarray(cards.deal(jax.random.key(7), 5, (16,)))
    found = [[local_best_response.on_deal(match, params, with_board(b), seat) for seat in (0, 1)] for b in boards]
    error = np.std(found, axis=0) / np.sqrt(len(boards))
    assert (np.abs(np.mean(found, axis=0) - exact) < 4 * error + 1e-4).all()
    assert (exact > 10 * error).all()


# --- what is refused ------------------------------------------------------------------------------


def test_an_interval_needs_two_deals():
    with pytest.raises(ValueError, match="1 deals: an interval needs at least two"):
        local_best_response.measure(always(FOLD), jax.random.key(0), 1)


def test_players_and_games_that_it_cannot_measure_are_refused_by_name():
    game = jaxpoker.make("holdem")
    with pytest.raises(ValueError, match="player 'ppo' chooses chip amounts and has no policy"):
        local_best_response.of_entrant(players.entrant("ppo", game), game, TREE)
    kuhn = jaxpoker.make("kuhn")
    with pytest.raises(ValueError, match="plays hold'em or Leduc for two, not kuhn"):
        local_best_response.of_entrant(players.entrant("random", kuhn), kuhn, TREE)
    random = players.entrant("random", game)
    with pytest.raises(ValueError, match="the deals of holdem cannot be listed"):
        local_best_response.exact(*local_best_response.of_entrant(random, game, TREE))
