"""Grids of tables, tables that play by themselves, and files."""

import xml.etree.ElementTree as ET

import jax
import pytest

import jaxpoker
from jaxpoker.errors import RunError
from jaxpoker.games import holdem, leduc, pictures, state_after


def words(picture):
    """All text of a picture, after it was read as XML."""
    return [element.text or "" for element in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


HOLDEM = jaxpoker.make("holdem", num_players=3, stack=200)
FLOP = state_after(HOLDEM, holdem.Deal.of(["AhKd", "QsQd", "7c2h"], "Th7h2c"), [6, -1, "check/call", 10])


def test_a_batch_is_a_grid_of_sixteen_at_the_most():
    game = jaxpoker.make("leduc")
    many = jax.vmap(game.start)(game.deal(jax.random.key(0), (5, 7)))
    assert words(many._repr_svg_()).count("seat 0") == 16
    assert words(pictures.svg(many, most=3)).count("seat 0") == 3


def test_an_animation_shows_each_state_for_a_while():
    game = jaxpoker.make("leduc")
    deal = leduc.Deal.of("Kh Qs", "Js")
    states = [state_after(game, deal, [2, 1, 2, 1][:n]) for n in range(5)]
    moving = pictures.animation(states, seconds=0.5)
    frames = [group for group in ET.fromstring(moving) if group.tag.endswith("}g")]
    assert [frame.get("visibility") for frame in frames] == ["hidden"] * 4 + ["visible"]
    assert all(frame[0].tag.endswith("animate") and frame[0].get("dur") == "2.5s" for frame in frames)
    assert frames[1][0].get("values") == "hidden;visible;hidden" and frames[1][0].get("keyTimes") == "0;0.2;0.4"
    assert pictures.animation(jax.tree.map(lambda *x: jax.numpy.stack(x), *states), seconds=0.5) == moving


def test_files_and_mistakes(tmp_path):
    pictures.save(FLOP, tmp_path / "table.svg")
    assert (tmp_path / "table.svg").read_text() == pictures.svg(FLOP)
    with pytest.raises(ValueError, match=r"ends with \.svg"):
        pictures.save(FLOP, tmp_path / "table.png")
    with pytest.raises(RunError, match="cannot write"):
        pictures.save(FLOP, tmp_path / "nowhere" / "table.svg")
    with pytest.raises(ValueError, match="no state"):
        pictures.animation([])
    with pytest.raises(TypeError, match="no picture of SimpleNamespace"):
        pictures.svg(__import__("types").SimpleNamespace(terminated=False))
