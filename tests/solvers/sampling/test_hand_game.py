"""Sweeps between the hands of boards, against sums over all pairs of hands and against buckets."""

import numpy as np
import pytest


@pytest.mark.thorough
def test_every_action_is_worth_the_sum_over_all_pairs_of_hands(two_boards):
    two_boards.require_sums_over_pairs("hands")


def test_buckets_and_hands_come_to_a_decision_as_often(two_boards):
    betting = two_boards.short_stacks()
    strategy = two_boards.random_strategy(betting, two_boards.CARDS.num_buckets)
    for player in (0, 1):
        own = betting.by_shapes(player, strategy)
        games = (two_boards.game_of(kind) for kind in ("buckets", "hands"))
        one, other = (game.own_reach(player, played_on, own) for game, played_on, _ in games)
        np.testing.assert_allclose(sum(one[0][0][0]), 1, atol=1e-5)  # some bucket is held at the first decision
        for street, shapes in enumerate(betting.streets):
            for i, shape in enumerate(shapes):
                there = shape.legal[player].any(axis=0)[:, None]
                np.testing.assert_allclose(
                    np.where(there, one[street][i], 0), np.where(there, other[street][i], 0), rtol=1e-4, atol=3e-6
                )
