"""Iterations over a whole flop."""

from __future__ import annotations

import jax
import numpy as np

from jaxpoker.solvers.flops.iterating import InMemory
from tests.solvers.flops.small_flops import combo


def test_a_measure_is_no_worse_than_what_is_played(solved):
    found = solved.game.measure(InMemory(solved.state))
    assert (found.best >= found.values - 1e-6).all()
    assert found.exploitability == solved.exploitability


def test_values_of_the_flops_first_decision_are_those_of_the_root(solved):
    """Counterfactual values of all hands, weighted by the range, over the weight of all pairs of hands."""
    for player in (0, 1):
        first = solved.quality.groups[player][0][0]
        whole = float(first @ solved.runouts.weights[player]) / solved.runouts.pairs
        assert abs(whole - solved.quality.values[player]) < 1e-4


def test_alike_hands_play_alike(solved):
    """Clubs and diamonds can be exchanged: the flop's strategies keep that."""
    seen = solved.at("r5").strategy
    for one, other in (("8c8s", "8d8s"), ("Tc9c", "Td9d"), ("KcQc", "KdQd")):
        np.testing.assert_allclose(seen[:, combo(one)], seen[:, combo(other)], atol=1e-5)
        assert seen[:, combo(one)].sum() > 0.99


def test_every_table_learns_something(solved):
    for held in solved.state.everything():
        assert all(np.asarray(leaf).any() for leaf in jax.tree.leaves(held.averages))
