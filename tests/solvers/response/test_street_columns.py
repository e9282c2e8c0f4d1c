"""Columns of a street: a fixed player's way to each leaf, action by action, and the best of the responder's actions."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.solvers import tree
from jaxpoker.solvers.response import street_columns
from jaxpoker.solvers.tree import CHANCE, DECISION, street_shapes

BUCKETS = 3


@pytest.fixture(scope="module")
def betting():
    menu = "preflop: 2x, a; postflop: 50%, a; raises: 2"
    return street_shapes.shaped(
        tree.build(jaxpoker.make("holdem", menu=menu, stack=100, small_blind=5, big_blind=10)), street_columns.WASTE
    )


def random_strategy(nodes, seed=0):
    decisions = nodes.decisions(street=1)
    weights = np.random.default_rng(seed).exponential(size=(len(decisions), BUCKETS, nodes.num_actions))
    weights = weights * nodes.legal(decisions)[:, None]
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32), {
        int(n): i for i, n in enumerate(decisions)
    }


def reach(nodes, strategy, row, fixed, leaf):
    """[buckets]: the product of the fixed player's probabilities on the street of ``leaf``."""
    product = np.ones(BUCKETS)
    for here, after in itertools.pairwise(nodes.path(leaf)):
        if nodes.kind[here] == DECISION and nodes.street[here] == 1 and nodes.player[here] == fixed:
            product = product * strategy[row[here]][:, nodes.action[after]]
    return product


@pytest.mark.parametrize("fixed", [0, 1])
def test_reach_is_a_product_along_the_path_and_values_are_the_best_of_the_actions(betting, fixed):
    nodes, responder = betting.tree, 1 - fixed
    strategy, row = random_strategy(nodes)
    by_street = [np.zeros((len(nodes.decisions(street=s)), BUCKETS, nodes.num_actions), np.float32) for s in range(4)]
    by_street[1] = strategy
    tables = betting.by_shapes(fixed, tuple(map(jnp.asarray, by_street)))[1]
    columns = street_columns.of_street(betting, 1)
    table = street_columns.reach_of(columns, fixed, tables)
    chances = np.nonzero((nodes.kind == CHANCE) & (nodes.street == 1))[0]
    expected = np.stack([reach(nodes, strategy, row, fixed, int(n)) for n in chances], axis=1)
    np.testing.assert_allclose(table.chances, expected, rtol=1e-5)
    later = np.random.default_rng(1).normal(size=(5, len(chances))).astype(np.float32)

    def values(node, hand):
        """With a fold worth its payoff times the reach of bucket 0, a showdown that times the hand's number."""
        if nodes.kind[node] == CHANCE:
            return later[hand, chances.tolist().index(node)]
        if nodes.kind[node] != DECISION:
            pays = nodes.payoffs_of(responder)[node, 2 * responder] * reach(nodes, strategy, row, fixed, node)[0]
            return pays if nodes.is_fold(node) else pays * hand
        found = [values(int(child), hand) for child in nodes.children[node] if child >= 0]
        return max(found) if nodes.player[node] == responder else sum(found)

    folds, showdowns = np.tile(table.folds[0], (5, 1)), table.showdowns[0] * np.arange(5)[:, None]
    found = columns.start_values(responder, jnp.asarray(folds), jnp.asarray(showdowns, jnp.float32), jnp.asarray(later))
    starts = [int(n) for n in nodes.decisions(street=1) if nodes.turn[n] == 0]
    assert len(starts) == columns.num_starts > 2
    expected = [[values(start, hand) for start in starts] for hand in range(5)]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
