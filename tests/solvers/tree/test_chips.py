"""Chips at the nodes of a tree, against the engine's payoffs."""

import numpy as np
import pytest

import jaxpoker
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.tree import chips, lines


@pytest.mark.parametrize("name", ["tree", "repeats"])
def test_ends_pay_the_chips_that_lie_there(name, request):
    """The engine's payoffs: a fold costs what the player had put in, a showdown half of the pot."""
    tree = request.getfixturevalue(name)
    at, ends = chips.chips_at(tree), np.flatnonzero(tree.kind == trees.END)
    before = tree.game.stack - at.behind - at.price
    assert (at.pot == 2 * before + at.bets.sum(axis=1)).all()
    loser = tree.player[tree.parent[ends]]
    folded = np.where(loser == 0, -1, 1) * (before[ends] + at.bets[ends, loser])
    paid = np.where(tree.is_fold(ends), folded, -at.pot[ends] // 2) / tree.game.big_blind
    np.testing.assert_allclose(tree.payoffs_of(0)[ends, trees.OUTCOMES.index("lose")], paid)


def test_the_stack_to_pot_ratio_is_shallow_below_4_and_deep_from_13_on(tree):
    at, decisions = chips.chips_at(tree), tree.decisions()
    ratio, bucket = (at.behind / at.pot)[decisions], chips.spr_buckets(tree)[decisions]
    assert set(bucket) == {0, 1}
    assert (ratio[bucket == 0] < 4).all() and (ratio[bucket == 1] >= 4).all() and ratio.max() < 13
    deep = trees.build(jaxpoker.make("holdem", menu="push/fold", stack=41))
    assert chips.spr_buckets(deep)[0] == 2  # 39 to 3
    assert chips.spr_buckets(deep)[lines.node_of(deep, "a")] == 0
