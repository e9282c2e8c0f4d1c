"""Betting by shapes: every node of the tree once, and strategies that come back as they were."""

import numpy as np

from jaxpoker.solvers.tree import CHANCE, END


def test_shapes_hold_every_node_of_the_tree_once(two_boards):
    betting = two_boards.short_stacks()
    tree = betting.tree
    decisions, next_starts, pays = [], 0, 0.0
    for street, shapes in enumerate(betting.streets):
        starts = np.sort(np.concatenate([shape.starts for shape in shapes]))
        np.testing.assert_array_equal(
            starts, np.arange(((tree.kind == CHANCE) & (tree.street == street - 1)).sum() or 1)
        )
        for shape in shapes:
            decisions += [n for nodes in shape.nodes for n in nodes.reshape(-1).tolist() if n >= 0]
            next_starts += int((shape.next_starts < (tree.kind == CHANCE).sum()).sum()) if len(shape.next_starts) else 0
            pays += float(np.abs(shape.fold_pays).sum() + shape.showdown_pays.sum())
            for player in (0, 1):
                real = shape.nodes[player] >= 0
                np.testing.assert_array_equal(
                    np.moveaxis(shape.legal[player], 0, -1)[real], tree.legal(shape.nodes[player][real])
                )
    np.testing.assert_array_equal(np.sort(decisions), tree.decisions())
    np.testing.assert_allclose(pays, np.abs(tree.payoffs_of(0)[tree.kind == END, 0]).sum(), rtol=1e-6)


def test_a_strategy_goes_into_shapes_and_back(two_boards):
    betting = two_boards.short_stacks()
    strategy = two_boards.random_strategy(betting, two_boards.CARDS.num_buckets)
    back = betting.strategy((betting.by_shapes(0, strategy), betting.by_shapes(1, strategy)))
    for one, other in zip(strategy, back, strict=True):
        np.testing.assert_array_equal(one, other)
