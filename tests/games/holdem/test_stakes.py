"""The stakes of a hand: what no table can have is refused, or ends the hand before it begins."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games import Session
from jaxpoker.games.holdem.table import MAX_CHIPS

GAME = jaxpoker.make("holdem", num_players=3)
DEAL = GAME.deal(jax.random.key(0))
USUAL = {"stacks": [100, 100, 100], "button": 0, "small_blind": 1, "big_blind": 2, "ante": 0}
WRONG = [
    ({"big_blind": 0, "ante": 1, "small_blind": 0}, "blinds 0/0"),
    ({"small_blind": 3}, "blinds 3/2"),
    ({"small_blind": -1}, "blinds -1/2"),
    ({"ante": -1}, "ante = -1"),
    ({"ante": MAX_CHIPS + 1}, "ante = "),
    ({"stacks": [8_000_000, 8_000_000, 100]}, "a stack is 0 to 4,194,302 chips"),
    ({"stacks": [-5, 100, 100]}, r"stacks = \[-5, 100, 100\]"),
    ({"stacks": [0, 100, 0]}, "two seats with chips"),
    ({"button": 3}, "button = 3: the seats are 0 to 2"),
    ({"button": -1}, "button = -1"),
]


@jax.jit
def started(stakes):
    return GAME.start(DEAL, **stakes)


@pytest.mark.parametrize(("change", "says"), WRONG)
def test_stakes_that_no_table_has_are_refused(change, says):
    with pytest.raises(ValueError, match=says):
        GAME.start(DEAL, **(USUAL | change))


@pytest.mark.parametrize(("change", "says"), WRONG)
def test_under_jit_they_end_the_hand_and_nobody_pays(change, says):
    stakes = jax.tree.map(lambda chips: jnp.int32(chips), USUAL | change, is_leaf=lambda x: isinstance(x, int))
    state = started(stakes | {"stacks": jnp.asarray(stakes["stacks"])})
    assert state.terminated and state.illegal and not state.showdown
    assert state.rewards.tolist() == [0, 0, 0] and state.stacks.tolist() == [0, 0, 0] and state.pot == 0
    after = GAME.step(state, 1)
    assert after.terminated and after.rewards.tolist() == [0, 0, 0]


def test_good_stakes_are_played_the_same_inside_and_outside():
    inside, outside = started(jax.tree.map(jnp.int32, USUAL)), GAME.start(DEAL, **USUAL)
    assert not outside.illegal and not outside.terminated
    assert jax.tree.all(jax.tree.map(lambda a, b: (a == b).all(), inside, outside))


@pytest.mark.parametrize("change", [{"stacks": [100.5, 100, 100]}, {"ante": 0.5}, {"big_blind": 2.5}, {"button": 1.0}])
def test_chips_with_fractions_are_refused_inside_and_outside(change):
    with pytest.raises(ValueError, match="in whole numbers"):
        GAME.start(DEAL, **(USUAL | change))
    with pytest.raises(ValueError, match="in whole numbers"):
        jax.jit(lambda stakes: GAME.start(DEAL, **stakes))(jax.tree.map(np.asarray, USUAL | change))


def test_stacks_are_one_for_each_seat():
    with pytest.raises(ValueError, match=r"stacks of shape \(2,\): there are 3 seats"):
        GAME.start(DEAL, stacks=[100, 100])


def test_the_largest_stacks_are_logged_as_they_are():
    state = GAME.start(DEAL, stacks=[MAX_CHIPS] * 3)
    state = GAME.act(state, MAX_CHIPS)
    assert not state.illegal and int(state.log[0] & 0x3FFFFF) - 1 == MAX_CHIPS


def test_chips_that_one_seat_may_win_fit_its_stack():
    session = Session(GAME, carry_over=True)
    with pytest.raises(ValueError, match="one seat may win them all"):
        session.start(GAME.deal(jax.random.key(0), (2,)), stacks=[MAX_CHIPS, 1, 1])


# --- who acts first ---------------------------------------------------------------------------


def test_left_of_the_big_blind_acts_first_also_when_nobody_could_post_a_blind():
    """PokerKit has the seat of the small blind act first here: it looks for the largest blind that was posted."""
    game = jaxpoker.make("holdem", num_players=4)
    state = game.start(game.deal(jax.random.key(0)), [1, 122, 237, 83], button=2, small_blind=0, big_blind=5, ante=12)
    assert state.bets.tolist() == [0, 0, 0, 0] and state.stacks.tolist() == [0, 110, 225, 71]
    order = []
    for _ in range(3):
        order.append(int(state.current_player))
        state = game.step(state, 1)
    assert order == [1, 2, 3] and state.street == 1
