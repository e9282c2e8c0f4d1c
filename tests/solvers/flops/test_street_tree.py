"""The betting of the three streets."""

from __future__ import annotations

import itertools

import numpy as np

from jaxpoker.solvers.flops import street_tree
from jaxpoker.solvers.flops.street_tree import DEALT, FOLDS, SHOWN
from jaxpoker.solvers.subgame import betting
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE
from tests.solvers.flops.small_flops import small_spot


def test_all_decisions_and_ends_of_the_tree_are_on_their_street_once():
    tree = betting.tree(small_spot(menu="33%, 75%, a"))
    streets = street_tree.of(tree)
    decisions = [node for street in streets for group in street.groups for node in group.nodes]
    assert sorted(decisions) == np.flatnonzero(tree.kind == DECISION).tolist()
    ends = [node for street in streets for kind in (FOLDS, SHOWN) for node in street.ends[kind]]
    assert sorted(ends) == np.flatnonzero(tree.kind == END).tolist()
    assert all(tree.is_fold(node) for street in streets for node in street.ends[FOLDS])
    dealt = [node for street in streets for node in street.ends[DEALT]]
    assert sorted(dealt) == np.flatnonzero(tree.kind == CHANCE).tolist()


def test_the_next_street_starts_in_the_order_in_which_it_is_dealt():
    tree = betting.tree(small_spot(menu="33%, 75%"))
    streets = street_tree.of(tree)
    for street, following in itertools.pairwise(streets):
        assert following.starts == tuple(int(tree.children[node, 0]) for node in street.ends[DEALT])


def test_pieces_lead_where_the_actions_of_the_tree_lead():
    tree = betting.tree(small_spot(menu="33%, 75%, a"))
    for street in street_tree.of(tree):
        for group in street.groups:
            for action, pieces in enumerate(group.values):
                found = []
                for piece in pieces:
                    nodes = street.ends[piece.of] if isinstance(piece.of, str) else street.groups[piece.of].nodes
                    found += nodes[piece.start : piece.stop]
                legal = [[int(child) for child in tree.children[node] if child != NONE] for node in group.nodes]
                assert found == [children[action] for children in legal]


def test_trees_of_one_shape_share_their_streets():
    one, other = (street_tree.of(betting.tree(small_spot(board=b))) for b in ("Ks 7h 3h", "Qs Jh 2h"))
    assert all(ours is theirs for ours, theirs in zip(one, other, strict=True))
