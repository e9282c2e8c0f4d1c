"""Solvers by sampled walks, and what their walks are compared with: exact sweeps and a recursion over the tree."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import solvers
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers.exact import exact_game
from jaxpoker.solvers.sampling import walk_cfr, walk_game
from jaxpoker.solvers.sweep import PLAYERS


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def require_exact_in_the_mean(push_fold, solver_of, any_strategy):
    """``require(name, how)``: sampled regrets, reach and value of both players are the exact ones in the mean."""

    def require(name, how):
        game = push_fold if name == "push/fold" else exact_game.whole(jaxpoker.make(name))
        solver = solver_of(name, how)
        table = ((any_strategy(game, 1) + game.uniform()) / 2).astype(np.float32)
        for player in PLAYERS:
            parts, regrets, value, reach = exact(game, player, table)
            found = mean_and_error(
                lambda key, p=player, parts=parts: solver.walks(solver.game.tables, p, parts, key), 600
            )
            assert np.abs(regrets).max() > 0.01
            require_unbiased(found.regrets, regrets)
            require_unbiased(found.value, value)
            require_unbiased(found.reach[1 - player], reach * chance_of_slots(game, 1 - player))

    return require


@pytest.fixture(scope="session")
def require_walks_of_a_recursion():
    """``require(how)``: regrets of four streets of hold'em are those of a recursion over the tree, deal by deal.

    After the flop the big blind acts first; hands go by their buckets of each street.
    """

    def require(how):
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

    return require
