"""Hands from the middle on, against hands that were played there."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games import state_after
from jaxpoker.games.holdem import Deal, spot

GAME = jaxpoker.make("holdem", num_players=3, stack=100, small_blind=1, big_blind=2)


def test_a_spot_plays_on_as_the_hand_that_leads_there():
    hole = ["AhKh", "QsQd", "7c7d"]
    deal = Deal.of(hole, "Qh7h2c3d4d")
    played = state_after(GAME, deal, [10, 10, 10, "check/call", "check/call", "check/call"], button=2)
    here = spot(GAME, "Qh7h2c3d", pot=30, stacks=[90, 90, 90], hole=hole, button=2)
    here = jax.tree.map(lambda x: x, here).replace(deal=deal)
    act = jax.jit(GAME.act)
    for to in (0, 20, 55, 55, -1, 0, 35):
        for name in ("street", "current_player", "pot", "stacks", "bets", "legal_action_mask", "terminated"):
            np.testing.assert_array_equal(getattr(played, name), getattr(here, name), err_msg=name)
        played, here = (act(state, np.int32(to)) for state in (played, here))
    np.testing.assert_array_equal(played.rewards, here.rewards)


def test_who_folded_before_does_not_act_and_short_stacks_may_be_in():
    hole = ["-", "AhKh", ""]
    here = spot(GAME, "Qh7h2c", pot=60, stacks=[70, 20, 50], hole=hole, button=0, key=jax.random.key(0))
    assert int(here.current_player) == 1 and here.folded.tolist() == [True, False, False]
    assert int(here.pot) == 60 and here.stacks.tolist() == [70, 20, 50]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"board": "Qh7h"}, "has 2 cards: a flop has 3"),
        ({"pot": 31}, "a pot of 31"),
        ({"stacks": [90, 90]}, "3 numbers"),
        ({"stacks": [90, 0, 0]}, "nobody has anything to decide"),
        ({"hole": ["AhKh"]}, "1 hands for 3 seats"),
        ({"button": 3}, "button 3"),
        ({"hole": ["QhKh", "", ""]}, "'Qh' appears twice"),
    ],
)
def test_mistakes_are_named(wrong, why):
    right = {"board": "Qh7h2c", "pot": 30, "stacks": [90, 90, 90]}
    with pytest.raises(ValueError, match=why):
        spot(GAME, **(right | wrong))
