"""A strategy on another betting tree: the same where it has the same sizes, translated where it has not."""

import dataclasses

import numpy as np
import pytest

from jaxpoker.games import bets
from jaxpoker.solvers import tree
from jaxpoker.solvers.blueprint import other_tree
from jaxpoker.solvers.tree import lines, translation


@pytest.fixture(scope="module")
def trees(any_blueprint):
    """The tree of ``any_blueprint``, and one with one more size: half of the pot on the flop."""
    menu = "preflop: 2.5x, a; flop: 50%@1, 75%, a; turn: 75%, a; river: 75%, a; raises: 2"
    return any_blueprint.tree, tree.build(dataclasses.replace(any_blueprint.game, menu=menu))


def at(strategy, betting, line):
    """``[buckets, actions]`` at the decision after ``line``."""
    node = lines.node_of(betting, line)
    street = int(betting.street[node])
    return strategy[street][betting.decisions(street=street).tolist().index(node)]


def test_on_the_same_tree_nothing_changes(any_blueprint):
    found = other_tree.carried_over(any_blueprint.tree, any_blueprint.strategy, any_blueprint.tree)
    for mine, given in zip(found, any_blueprint.strategy, strict=True):
        np.testing.assert_allclose(mine, given, atol=1e-6)


def test_lines_that_both_trees_have_are_played_alike_and_new_sizes_not_yet(any_blueprint, trees):
    old, new = trees
    found = other_tree.carried_over(old, any_blueprint.strategy, new)
    compared = 0
    for node in old.decisions().tolist():
        line = lines.sequence_of(old, node)
        try:
            there = lines.node_of(new, line)
        except ValueError:
            continue
        before, after = at(any_blueprint.strategy, old, line), at(found, new, line)
        legal = {new.to[there, a]: a for a in np.nonzero(new.legal(there))[0] if a >= bets.FIRST_SIZE}
        for action in np.nonzero(old.legal(node))[0]:
            same = action if action < bets.FIRST_SIZE else legal.pop(old.to[node, action])
            np.testing.assert_allclose(after[:, same], before[:, action], atol=1e-6)
        for action in legal.values():
            assert (after[:, action] == 0).all()
            compared += 1
    assert compared > 0


def test_facing_a_new_size_is_facing_the_sizes_next_to_it(any_blueprint, trees):
    """Half of the pot lies between a check and the smallest size, all-in."""
    old, new = trees
    found = other_tree.carried_over(old, any_blueprint.strategy, new)
    read = np.asarray(translation.reader(old).sizes)[lines.node_of(old, "r25c/")]
    smallest = float(read[read > 0].min())  # all-in, 35 chips into 50
    share = translation.pseudo_harmonic(0.0, smallest, 0.5)
    checked, bet = (at(any_blueprint.strategy, old, line) for line in ("r25c/c", "r25c/a"))
    mine = at(found, new, "r25c/r25")
    np.testing.assert_allclose(mine[:, bets.FOLD], (1 - share) * bet[:, bets.FOLD], atol=1e-5)
    assert checked[:, bets.FOLD].max() == 0


def test_all_rows_are_probabilities_of_legal_actions(any_blueprint, trees):
    _, new = trees
    found = other_tree.carried_over(any_blueprint.tree, any_blueprint.strategy, new)
    for street, table in enumerate(found):
        legal = new.legal(new.decisions(street=street))[:, None, :]
        assert (table[~np.broadcast_to(legal, table.shape)] == 0).all()
        np.testing.assert_allclose(table.sum(axis=-1), 1, atol=1e-5)
