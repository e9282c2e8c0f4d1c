"""Hands on boards in the words of players."""

import numpy as np
import pytest

from jaxpoker import cards, hands
from jaxpoker.solvers.abstraction import hand_kinds


@pytest.mark.parametrize(
    ("hole", "board", "kind"),
    [
        ("AhKh", "Qh7h2c", "nut flush draw + two overcards"),
        ("8h6h", "Qh7h2c", "flush draw"),
        ("KsQd", "Qh7h2c", "top pair, king kicker"),
        ("8s7c", "Qh7h2c", "second pair"),
        ("5s2s", "Qh7h2c", "bottom pair"),
        ("7s7d", "Qh7h2c", "set"),
        ("Qs7s", "Qh7h2c", "two pair"),
        ("Qs3s", "QhQd2c", "trips"),
        ("AsAd", "Qh7h2c", "overpair"),
        ("9s9d", "Qh7h2c", "pocket pair below the queen"),
        ("Jc5d", "Qh7h2c", "no pair"),
        ("As5d", "Qh7h2c", "no pair, ace high"),
        ("9s8s", "Ts7h2c", "straight draw"),
        ("9s8s", "QsTh2c", "gutshot"),
        ("5s4s", "As3h2c", "straight"),
        ("9s8s", "Ts7h6c", "straight"),
        ("5s4d", "KsKh9c9d2h", "no pair"),  # both pairs are the board's
        ("Ks2d", "KdKh2c9d8h", "full house"),
        ("2s3d", "AhKhQhJhTh", "no pair"),  # the board plays
        ("Ah2d", "9h7h5h3hKs", "flush"),
        ("6h2d", "9h8h7h5hKs", "straight flush"),
        ("AhKh", "Qh7h2c9s3d", "no pair, ace high"),  # draws are over on the river
    ],
)
def test_kinds(hole, board, kind):
    assert hand_kinds.kind(hole, board) == kind


def test_big_hands_are_those_of_the_evaluator():
    """On random rivers: a straight, flush, full house or better that needs a hole card beats the board's own five."""
    chance = np.random.default_rng(0)
    names = {"straight": 4, "flush": 5, "full house": 6, "four of a kind": 7, "straight flush": 8}
    met = set()
    for _ in range(3_000):
        dealt = chance.permutation(52)[:7]
        kind = hand_kinds.kind(dealt[:2].tolist(), dealt[2:].tolist())
        met |= {kind} & set(names)
        if kind in names:
            assert int(_category(dealt)) == names[kind], (cards.text(dealt), kind)
        elif int(_category(dealt)) >= 4:
            assert int(_category(dealt)) == int(_category(dealt[2:])), (cards.text(dealt), kind)
    assert {"straight", "flush", "full house"} <= met


def _category(dealt):
    return np.asarray(hands.category(hands.strength(np.asarray(dealt, np.int32))))
