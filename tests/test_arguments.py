"""What is refused where it enters, and what passes unchanged."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import arguments


@pytest.mark.parametrize("value", [7, np.int8(7), np.uint64(7), np.array(7), jnp.int32(7)])
def test_a_whole_number_of_any_library_is_an_int(value):
    found = arguments.whole("seats", value, 1, 9, "1 to 9 seats")
    assert found == 7 and type(found) is int


@pytest.mark.parametrize("value", [7.0, "7", True, np.bool_(True), None, float("nan"), np.float32(7), [7], 7j])
def test_what_is_no_whole_number_is_refused_by_its_type(value):
    with pytest.raises(ValueError, match=r"1 to 9 seats, a whole number$"):
        arguments.whole("seats", value, 1, 9, "1 to 9 seats")


@pytest.mark.parametrize("value", [0, 10, -1, 10**30])
def test_a_number_out_of_range_is_refused(value):
    with pytest.raises(ValueError, match=f"seats = {value}: 1 to 9 seats$"):
        arguments.whole("seats", value, 1, 9, "1 to 9 seats")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1", True, None, -0.1, 1j])
def test_a_number_is_finite_and_in_range(value):
    with pytest.raises(ValueError, match=r"bonus = .*: 0 to 1"):
        arguments.number("bonus", value, 0, 1, "0 to 1")
    assert arguments.number("bonus", 1, 0, 1, "0 to 1") == 1.0


def test_a_flag_is_true_or_false():
    assert arguments.flag("shown", np.bool_(True)) is True
    with pytest.raises(ValueError, match="shown = 1: it is True or False"):
        arguments.flag("shown", 1)


@pytest.mark.parametrize("value", [1.5, [1.0, 2.0], True, [True], "12", None, [[1], [1, 2]], jnp.ones(2)])
def test_arrays_of_chips_are_whole_numbers(value):
    with pytest.raises(ValueError, match=r"stacks = .*in whole numbers"):
        arguments.whole_array("stacks", value, "chips are counted")


def test_what_does_not_fit_is_refused_and_not_wrapped_around():
    with pytest.raises(ValueError, match="more than 32 bits"):
        arguments.whole_array("stacks", [1 << 40], "chips are counted")


def test_the_type_of_an_array_under_jit_is_checked_too():
    read = jax.jit(lambda x: arguments.whole_array("to", x, "chips"))
    assert read(np.int8(3)).dtype == jnp.int32
    with pytest.raises(ValueError, match="to is float32: chips, in whole numbers"):
        read(2.5)


# --- in every game ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", jaxpoker.GAMES)
def test_no_game_cuts_an_action_off(name):
    game = jaxpoker.make(name)
    state = game.init(jax.random.key(0))
    for play in (game.step, game.act):
        with pytest.raises(ValueError, match=r"= 1\.5: .*in whole numbers"):
            play(state, 1.5)
        with pytest.raises(ValueError, match=r"is float32: .*in whole numbers"):
            jax.jit(play)(state, 1.5)


@pytest.mark.parametrize("name", [None, 3, ["kuhn"], b"kuhn"])
def test_a_game_is_asked_for_by_its_name(name):
    with pytest.raises(ValueError, match="unknown game"):
        jaxpoker.make(name)
