"""Trees in files: the same tree comes back, and one that does not hang together is refused."""

import io

import numpy as np
import pytest

import jaxpoker
from jaxpoker.solvers.tree import build, tree_file

GAME = jaxpoker.make("holdem", menu="preflop: 3bb, a; postflop: a", stack=20)


@pytest.fixture(scope="module")
def tree():
    return build(GAME)


def changed(tree, **arrays):
    """The file of ``tree`` with some arrays replaced."""
    with np.load(io.BytesIO(tree_file.packed(tree))) as file:
        known = {name: file[name] for name in file.files}
    content = io.BytesIO()
    np.savez_compressed(content, **{**known, **arrays})
    return content.getvalue()


def with_one(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def test_the_same_tree_comes_back(tree):
    again = tree_file.unpacked(GAME, tree_file.packed(tree))
    assert again.text(10_000) == tree.text(10_000)
    np.testing.assert_array_equal(again.payoffs, tree.payoffs)
    np.testing.assert_array_equal(again.stakes.starting, tree.stakes.starting)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: {"parent": with_one(t.parent, 3, 9)},  # a loop: nobody would find the root
        lambda t: {"parent": with_one(t.parent, 3, -7)},
        lambda t: {"children": with_one(t.children, (0, 1), 0)},
        lambda t: {"children": with_one(t.children, (0, 1), 10**6)},
        lambda t: {"kind": with_one(t.kind, 0, 5)},
        lambda t: {"player": with_one(t.player, 0, 2)},
        lambda t: {"street": with_one(t.street, 5, 9)},
        lambda t: {"action": with_one(t.action, 5, 77)},
        lambda t: {"payoffs": with_one(t.payoffs, 5, np.nan)},
        lambda t: {"children": t.children[:, :2]},
        lambda t: {"kind": t.kind.astype(float)},
        lambda t: {"kind": t.kind[:-1]},
        lambda t: {"orders": t.orders[:2]},
        lambda t: {"more": t.kind},
    ],
)
def test_a_tree_that_does_not_hang_together_is_refused(tree, change):
    with pytest.raises(ValueError, match="no betting tree"):
        tree_file.unpacked(GAME, changed(tree, **change(tree)))


def test_a_tree_with_more_nodes_than_there_can_be_is_refused_unread(tree):
    with pytest.raises(ValueError, match=r"it has [\d,]+ nodes, at most 10 can be"):
        tree_file.unpacked(GAME, tree_file.packed(tree), max_nodes=10)
