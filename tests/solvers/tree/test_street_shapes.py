"""Betting by shapes: every node of the tree once, and strategies that come back as they were."""

import jax
import jax.numpy as jnp
import numpy as np

import jaxpoker
from jaxpoker.solvers.tree import CHANCE, END, building
from jaxpoker.solvers.tree.street_shapes import shaped


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
                    np.moveaxis(shape.legal[player], 0, -1)[real],
                    tree.legal(shape.nodes[player][real])[:, shape.actions],
                )
    np.testing.assert_array_equal(np.sort(decisions), tree.decisions())
    np.testing.assert_allclose(pays, np.abs(tree.payoffs_of(0)[tree.kind == END, 0]).sum(), rtol=1e-6)


def test_a_strategy_goes_into_shapes_and_back(two_boards):
    betting = two_boards.short_stacks()
    strategy = two_boards.random_strategy(betting, two_boards.CARDS.num_buckets)
    back = betting.strategy((betting.by_shapes(0, strategy), betting.by_shapes(1, strategy)))
    for one, other in zip(strategy, back, strict=True):
        np.testing.assert_array_equal(one, other)


def test_tables_of_a_street_have_its_own_actions_alone():
    """Two sizes before the flop and another after it: nobody may bet all three on one street."""
    game = jaxpoker.make("holdem", menu="preflop: 2x, 3x; postflop: 50%; raises: 1", stack=40)
    tree = building.build(game)
    betting = shaped(tree)
    assert len(betting.actions(0)) == 4 and len(betting.actions(1)) == 3 < tree.num_actions
    draws, strategy = np.random.default_rng(0), []
    for street in range(4):
        legal = tree.legal(tree.decisions(street=street))
        np.testing.assert_array_equal(betting.actions(street), np.nonzero(legal.any(axis=0))[0])
        strategy.append(draws.random((len(legal), 3, tree.num_actions)).astype(np.float32) * legal[:, None])
    by_street = tuple(map(jnp.asarray, strategy))
    back = betting.strategy((betting.by_shapes(0, by_street), betting.by_shapes(1, by_street)))
    jax.tree.map(np.testing.assert_array_equal, by_street, back)
