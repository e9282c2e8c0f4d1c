"""One street on one board, against sums written out."""

from __future__ import annotations

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker.solvers.flops import street_sweep, street_tree
from jaxpoker.solvers.flops.street_sweep import Pairs
from jaxpoker.solvers.subgame import betting
from jaxpoker.solvers.tree import DECISION, NONE
from tests.solvers.flops.small_flops import small_spot

HANDS = (3, 4)  # of oop and ip


@pytest.fixture(scope="module")
def tree():
    return betting.tree(small_spot(board="Ks 7h 3h", menu="33%, 75%, a"))


@pytest.fixture(scope="module")
def river(tree):
    return street_tree.of(tree)[2]


class Loops:
    """The same by recursion over the tree, hand by hand."""

    def __init__(self, tree, played, sign, apart, reach):
        self.tree, self.played, self.sign, self.apart, self.start = tree, played, sign, apart, reach

    def value(self, player, node, reach, best=False):
        """``[hands of player]`` against ``reach`` of the other, ``sign`` and ``apart`` [player's, other's]."""
        tree = self.tree
        if tree.kind[node] != DECISION:
            win, tie, lose = (
                tree.payoffs[node, outcome, player] for outcome in ((0, 1, 2) if player == 0 else (2, 1, 0))
            )
            pays = np.select([self.sign > 0, self.sign == 0], [win, tie], lose)
            return (pays * self.apart * reach).sum(axis=1)
        children = [int(child) for child in tree.children[node] if child != NONE]
        if tree.player[node] == player:
            found = [self.value(player, child, reach, best) for child in children]
            mine = self.played[node]
            return np.max(found, axis=0) if best else sum(p * v for p, v in zip(mine, found, strict=True))
        theirs = self.played[node]
        return sum(self.value(player, child, reach * p, best) for p, child in zip(theirs, children, strict=True))


@pytest.mark.parametrize("player", [0, 1])
def test_values_and_best_answers_are_the_sums_over_all_lines_and_hands(tree, river, player):
    rng = np.random.default_rng(player)
    tables = [rng.random((river.rows[p], HANDS[p])).astype(np.float32) for p in (0, 1)]
    played = {}
    for group in river.groups:
        of_group = tables[group.player][group.rows].reshape(group.actions, len(group.nodes), -1)
        for at, node in enumerate(group.nodes):
            played[node] = of_group[:, at] / of_group[:, at].sum(axis=0)
    sign = rng.integers(-1, 2, (HANDS[player], HANDS[1 - player])).astype(float)
    apart = (rng.random(sign.shape) < 0.8).astype(float)
    reach = rng.random((len(river.starts), HANDS[1 - player])).astype(np.float32)
    pairs = Pairs(jnp.asarray(apart.T), jnp.asarray((sign * apart).T), jnp.ones(HANDS[player]))
    chips = street_sweep.chips_of(river, tree)
    own, theirs = tables[player], tables[1 - player]
    found = street_sweep.measured(river, player, reach, chips, pairs, None, own, theirs, raked=False)
    for place, start in enumerate(river.starts):
        loops = Loops(tree, played, sign, apart, reach[place])
        for best in (False, True):
            wanted = loops.value(player, start, reach[place], best)
            np.testing.assert_allclose(found.values[int(best), place], wanted, rtol=2e-4, atol=2e-4)


def test_the_reach_where_the_turn_is_dealt_is_the_product_of_what_is_played(tree):
    flop = street_tree.of(tree)[0]
    table = np.random.default_rng(5).random((flop.rows[1], HANDS[1])).astype(np.float32)
    start = np.array([[1.0, 0.5, 0.25, 0.0]], np.float32)
    found = np.asarray(street_sweep.dealt_reach(flop, 1, start, table))
    for place, node in enumerate(flop.ends[street_tree.DEALT]):
        wanted = start[0].copy()
        way = tree.path(node)
        for here, after in itertools.pairwise(way):
            if tree.player[here] == 1:
                group = flop.groups[flop.place[here][0]]
                of_group = table[group.rows].reshape(group.actions, len(group.nodes), -1)[:, flop.place[here][1]]
                taken = [int(child) for child in tree.children[here] if child != NONE].index(after)
                wanted *= of_group[taken] / of_group.sum(axis=0)
        np.testing.assert_allclose(found[place], wanted, rtol=1e-5)
