"""Sweeps between types of hands, against sums over all pairs of hands, and the worth of pairs of types."""

import numpy as np
import pytest


@pytest.mark.thorough
def test_every_action_is_worth_the_sum_over_all_pairs_of_hands(two_boards):
    two_boards.require_sums_over_pairs("types")


def test_types_are_dealt_as_often_as_hands_have_them(two_boards):
    """At the first decision a bucket is held as often as its hands are dealt on these two boards."""
    game, counts, cards = two_boards.game_of("types")
    own = two_boards.short_stacks().by_shapes(0, two_boards.random_strategy(game.betting, cards.num_buckets))
    held = np.zeros(cards.num_buckets[0])
    for board in two_boards.boards():
        buckets, _, live = map(np.asarray, two_boards.hands_of(cards, board))
        held += np.bincount(buckets[0][live], minlength=len(held)) / live.sum() / len(two_boards.boards())
    first = np.asarray(game.own_reach(0, counts, own)[0][0])[0]  # [buckets, starts]
    assert first.shape == (len(held), 1)
    np.testing.assert_allclose(first[:, 0], held, atol=1e-6)


def test_a_best_response_wins_more_than_any_strategy_and_its_worth_is_its_value(two_boards):
    game, counts, cards = two_boards.game_of("types")
    strategy = two_boards.random_strategy(game.betting, cards.num_buckets)
    both = [game.betting.by_shapes(player, strategy) for player in (0, 1)]
    for player, own in enumerate(both):
        value = game.values(player, counts, own, both[1 - player])
        best = game.respond(player, counts, both[1 - player])
        assert float(best.value) > float(value.value) + 0.5
        worth = game.worth(player, best.strategy, both[1 - player])
        assert float((worth * counts).sum()) == pytest.approx(float(best.value), abs=1e-5)
