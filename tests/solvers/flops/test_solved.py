"""A solved flop, node by node."""

from __future__ import annotations

import numpy as np
import pytest

from jaxpoker import cards, ranges
from tests.solvers.flops.small_flops import combo


def test_what_both_win_at_a_decision_is_its_pot(solved):
    for line, dealt in (
        ("", ""),
        ("r5", ""),
        ("r5c/", "4h"),
        ("r5c/c", "2d"),
        ("r5c/cc/", "4h 2c"),
        ("r5c/cc/c", "2d 9s"),
    ):
        node = solved.at(line, dealt)
        assert node.range_ev.sum() == pytest.approx(node.pot, abs=2e-3), (line, dealt)
        assert node.range_equity.sum() == pytest.approx(1, abs=1e-4)
        assert sum(node.frequencies.values()) == pytest.approx(1, abs=1e-5)


def test_equity_is_that_of_all_runouts(solved, equity_by_treys):
    """Of one hand against the range that comes to a decision."""
    for line, dealt, board in (("", "", "Ks7h3h"), ("r5c/", "2d", "Ks7h3h2d"), ("r5c/cc/", "2d 9s", "Ks7h3h2d9s")):
        node = solved.at(line, dealt)
        hand, total, met = "QhJh", 0.0, 0.0
        for other in np.flatnonzero(node.reach[1] > 0).tolist():
            name = ranges.combo_name(other)
            if not {name[:2], name[2:]} & {hand[:2], hand[2:]}:
                total += node.reach[1][other] * equity_by_treys(hand, name, board)
                met += node.reach[1][other]
        assert node.equity[0][combo(hand)] == pytest.approx((1 + total / met) / 2, abs=1e-4)


def test_the_ev_of_a_decision_is_the_mean_over_the_cards_that_follow(solved):
    """After bet and call nobody acts before the turn: the caller has the mean of what it has on all turns."""
    node = solved.at("r5")
    called = node.actions.index("c")
    hand = combo("KcQc")
    assert node.strategy[called, hand] > 0.5
    evs, weights = [], []
    for card in range(52):
        if cards.text([card]) not in ("Ks", "7h", "3h", "Kc", "Qc"):
            after = solved.at("r5c/", cards.text([card]))
            evs.append(after.ev[1][hand])
            weights.append(after.rivals[1][hand])
    share_called = node.strategy[called, hand]
    worth = np.average(evs, weights=weights) - 5  # what the call costs
    assert node.ev[1][hand] == pytest.approx(share_called * worth, abs=0.02)


def test_a_turn_in_another_suit_is_the_same_with_other_hands(solved):
    clubs, diamonds = solved.at("r5c/", "2c"), solved.at("r5c/", "2d")
    assert clubs.range_ev == pytest.approx(diamonds.range_ev, abs=1e-4)
    for one, other in (("7c6c", "7d6d"), ("AcAs", "AdAs"), ("QhJh", "QhJh")):
        np.testing.assert_allclose(clubs.strategy[:, combo(one)], diamonds.strategy[:, combo(other)], atol=1e-5)
    assert clubs.strategy[:, combo("7c6c")].sum() > 0


@pytest.mark.parametrize(
    ("line", "dealt", "message"),
    [
        ("r5c/", "", "1 cards are dealt"),
        ("r5c/", "Ks", "is twice in board"),
        ("r5c/", "2c 3c", "1 cards are dealt"),
        ("", "2c", "0 cards are dealt"),
    ],
)
def test_cards_that_cannot_be_are_named(solved, line, dealt, message):
    with pytest.raises(ValueError, match=message):
        solved.at(line, dealt)


def test_the_spot_of_a_river_has_its_pot_and_its_ranges(solved):
    spot = solved.spot_at("r5c/cc/", "4h 2c")
    assert spot.pot == 20 and spot.stacks == (25, 25) and len(spot.board) == 5
    node = solved.at("r5c/cc/", "4h 2c")
    held = [node.reach[p] / node.reach[p].max() for p in (0, 1)]
    np.testing.assert_allclose(spot.ranges, held, atol=1e-5)
    with pytest.raises(ValueError, match="first decision"):
        solved.spot_at("r5", "")
