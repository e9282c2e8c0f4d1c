"""Where everything of a public game is: slots, paths and ends, against walks through the tree node by node."""

import itertools

import numpy as np
import pytest

from jaxpoker.solvers.exact.layout import NONE


@pytest.fixture(params=["kuhn", "leduc", "push_fold"])
def game(request):
    return request.getfixturevalue(request.param)


def test_every_end_is_in_one_group_and_pays_what_the_tree_says(game):
    ends = np.concatenate([group.ends for group in game.groups])
    assert sorted(ends.tolist()) == np.concatenate([game.tree.ends(s) for s in range(game.tree.num_streets)]).tolist()
    for group in game.groups:
        street = game.deals.streets[group.street]
        by_outcome = np.stack([street.win, street.tie, street.lose])
        ((factors, of_hands),) = group.payoffs[0]
        for end, factor in zip(group.ends, factors, strict=True):
            expected = np.tensordot(game.tree.payoffs_of(0)[end].astype(np.float64), by_outcome, axes=1)
            np.testing.assert_allclose(factor * of_hands, expected, atol=1e-6)


def test_every_row_of_a_strategy_is_one_slot(game):
    """Slots without a row are hands that the board rules out: in Leduc, the public card."""
    rows = np.concatenate([side.row_of_slot for side in game.sides])
    np.testing.assert_array_equal(np.sort(rows[rows != NONE]), np.arange(game.num_rows))
    for side in game.sides:
        first = 0
        for node in side.nodes.tolist():
            street = game.deals.streets[game.tree.street[node]]
            held = street.prior.sum(axis=2 - side.player).reshape(-1) > 0
            here = slice(first, first + street.columns)
            np.testing.assert_array_equal(side.row_of_slot[here] != NONE, held)
            names = [game.deals.hands[column % game.num_hands] for column in np.nonzero(held)[0]]
            rows_here = side.row_of_slot[here][held].tolist()
            assert [game.row_text(row).split(" | ")[0].removesuffix(" |") for row in rows_here] == names
            np.testing.assert_array_equal(side.legal[:, here], np.tile(game.tree.legal(node)[:, None], street.columns))
            first = here.stop
        assert first == side.num_slots


def reach_by_walking(game, side, strategy, node):
    """``[columns]``: the product of the player's own probabilities on the way from the root, hand by hand."""
    tree, deals = game.tree, game.deals
    widths = [deals.streets[street].columns for street in tree.street[side.nodes]]
    first_slot = dict(zip(side.nodes.tolist(), (np.cumsum(widths) - widths).tolist(), strict=True))
    reach = np.ones(deals.streets[tree.street[node]].columns)
    for at, child in itertools.pairwise(tree.path(node)):
        if tree.player[at] == side.player:
            for column in range(len(reach)):
                board, hand = divmod(column, len(deals.hands))
                for later in range(tree.street[node], tree.street[at], -1):
                    board = deals.streets[later].from_board[board]
                reach[column] *= strategy[tree.action[child], first_slot[at] + board * len(deals.hands) + hand]
    return reach


@pytest.mark.parametrize("player", [0, 1])
def test_paths_are_the_players_own_actions_from_the_root(leduc, player):
    side = leduc.sides[player]
    strategy = np.random.default_rng(player).random((leduc.num_actions, side.num_slots))
    flat = np.append(strategy.reshape(-1), 1)
    to_decisions = np.concatenate([reach_by_walking(leduc, side, strategy, node) for node in side.nodes.tolist()])
    np.testing.assert_allclose(flat[side.own_path].prod(axis=0), to_decisions)
    for group, paths in zip(leduc.groups, side.end_paths, strict=True):
        to_ends = [reach_by_walking(leduc, side, strategy, end) for end in group.ends.tolist()]
        np.testing.assert_allclose(flat[paths].prod(axis=0), to_ends)


def test_levels_hold_every_decision_once_the_last_ones_first(game):
    for side in game.sides:
        nodes = np.concatenate([level.nodes for level in side.levels])
        np.testing.assert_array_equal(np.sort(nodes), side.nodes)
        keys = [(level.street, level.turn) for level in side.levels]
        assert keys == sorted(keys, reverse=True)
        slots = np.concatenate([np.arange(level.slots.start, level.slots.stop) for level in side.levels[::-1]])
        np.testing.assert_array_equal(slots, np.arange(side.num_slots))
