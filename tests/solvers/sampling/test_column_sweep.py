"""What games between columns share: blocks of starts, and reach that adds up."""

import dataclasses

import jax
import numpy as np
import pytest

from jaxpoker.solvers.sampling import column_sweep


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "starts"), [("types", 1), ("types", 5), ("hands", 5)])
def test_blocks_of_starts_say_what_all_starts_at_once_say(two_boards, monkeypatch, kind, starts):
    """The last block begins earlier than the one before ends, and no start counts twice."""
    game, counts, cards = two_boards.game_of(kind)
    strategy = two_boards.random_strategy(game.betting, cards.num_buckets)
    both = [game.betting.by_shapes(player, strategy) for player in (0, 1)]
    whole = game.values(0, counts, *both)
    monkeypatch.setattr(column_sweep, "STARTS", starts)
    in_blocks = dataclasses.replace(game).values(0, counts, *both)  # another game: it compiles anew
    for one, other in zip(jax.tree.leaves(whole), jax.tree.leaves(in_blocks), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", ["types", "hands"])
def test_actions_that_are_taken_lead_to_the_next_decisions(two_boards, kind):
    """After the first decision of the button, it comes back as often as it called or raised and was raised."""
    game, played_on, cards = two_boards.game_of(kind)
    betting = game.betting
    strategy = two_boards.random_strategy(betting, cards.num_buckets)
    reach = game.own_reach(0, played_on, betting.by_shapes(0, strategy))
    (shape,) = betting.streets[0]
    nodes, tree = shape.nodes[0][:, 0].tolist(), betting.tree
    first = np.asarray(reach[0][0])[0, :, 0]  # [buckets]
    compared = 0
    for place, node in enumerate(nodes):
        expected, at = first.copy(), node
        while at != 0:
            parent = int(tree.parent[at])
            if tree.player[parent] == 0:
                row = tree.decisions(street=0).tolist().index(parent)
                expected *= strategy[0][row][:, int(tree.action[at])]
            at = parent
        np.testing.assert_allclose(np.asarray(reach[0][0])[place, :, 0], expected, rtol=1e-4, atol=1e-6)
        compared += node != 0
    assert compared > 2
