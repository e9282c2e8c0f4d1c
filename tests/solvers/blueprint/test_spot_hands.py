"""Spots of a blueprint by lines that any tree may have."""

import numpy as np
import pytest

from jaxpoker.solvers.blueprint import spot_hands
from jaxpoker.solvers.tree import lines


@pytest.mark.parametrize(
    ("line", "sequence"),
    [
        (["raise 2.5"], "r25"),
        (["raise 3.5"], "r25"),  # the nearest size: all-in only where there is no other
        (["call", "check", "bet 50"], "cc/r15"),
        (["raise 2.5", "call", "check"], "r25c/c"),
    ],
)
def test_a_line_is_found_by_the_nearest_sizes(any_blueprint, line, sequence):
    board = "" if len(line) == 1 else "Qh7h2c"
    spot = spot_hands.find(any_blueprint, line, board)
    assert spot is not None and lines.sequence_of(any_blueprint.tree, spot.node) == sequence


@pytest.mark.parametrize(
    "line", [["check"], ["bet 50"], ["raise 2.5", "call", "call"], ["raise 2.5", "call", "raise 3"]]
)
def test_a_line_that_the_tree_does_not_have_is_no_spot(any_blueprint, line):
    assert spot_hands.find(any_blueprint, line, "Qh7h2c") is None


def test_what_a_hand_does_is_what_its_bucket_does(any_blueprint):
    spot = spot_hands.find(any_blueprint, ["raise 2.5"])
    mix = any_blueprint.mix(spot.node, "AhKh")
    assert spot.folds("AhKh") == pytest.approx(mix["fold"])
    assert spot.bets("AhKh") == pytest.approx(1 - mix["fold"] - mix["check/call"])
    np.testing.assert_allclose(spot.mix("AhKh").sum(), 1, rtol=1e-6)
