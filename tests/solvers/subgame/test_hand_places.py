"""Where hands stand, and suits that can be exchanged."""

from __future__ import annotations

import numpy as np
import pytest

from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import hand_places


@pytest.mark.thorough
def test_exchanged_suits_change_nothing(turn_spot):
    """Later iterations differ: rounding decides between actions that are worth the same."""
    halved, every_card = (subgame.solve(turn_spot, iterations=4, symmetric=on) for on in (True, False))
    assert len(halved.places.orders) == 2 and len(every_card.places.orders) == 1
    assert len(halved.places.deal.times) == 35 and halved.places.deal.times.sum() == 48
    assert halved.ev == pytest.approx(every_card.ev, abs=1e-3)
    assert halved.exploitability == pytest.approx(every_card.exploitability, abs=1e-3)
    for line, card in (("", ""), ("cc/", "2c"), ("cc/", "2s"), ("cc/c", "Ts")):
        ours, theirs = halved.at(line, card), every_card.at(line, card)
        np.testing.assert_allclose(ours.ev, theirs.ev, atol=1e-2)
        np.testing.assert_allclose(ours.strategy, theirs.strategy, atol=1e-4)


def test_a_range_that_is_not_symmetric_keeps_all_suits(turn_spot):
    given = {"board": turn_spot.board, "pot": 100, "stack": 180, "ip": turn_spot.ip, "menu": turn_spot.menu}
    assert len(hand_places.of(subgame.Spot(oop="KQs", **given)).orders) == 2
    assert len(hand_places.of(subgame.Spot(oop="KQs, AcKc:0.5", **given)).orders) == 1
