"""What is shown of every game: all that is on the table, and nothing that is hidden."""

import xml.etree.ElementTree as ET

import jax

import jaxpoker
from jaxpoker.games import chicago, holdem, kuhn, leduc, pictures, state_after


def words(picture):
    """All text of a picture, after it was read as XML."""
    return [element.text or "" for element in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


def in_order(parts, said):
    rest = iter(said)
    return all(part in rest for part in parts)


HOLDEM = jaxpoker.make("holdem", num_players=3, stack=200)
FLOP = state_after(HOLDEM, holdem.Deal.of(["AhKd", "QsQd", "7c2h"], "Th7h2c"), [6, -1, "check/call", 10])


def test_a_table_of_holdem():
    picture = pictures.svg(FLOP)
    said = words(picture)
    assert in_order(["10", "♥", "7", "♥", "2", "♣"], said)  # the board comes first
    assert in_order(["A", "♥", "K", "♦"], said) and "pot 23" in said and "flop" in said
    assert "194" in said and "184 " not in said and "199 folded" in said and "D" in said
    assert FLOP._repr_svg_() == picture
    hidden = words(pictures.svg(FLOP, seen_by=2))
    assert "A" not in hidden and "Q" not in hidden and in_order(["7", "♣", "2", "♥"], hidden)


def test_a_showdown_shows_the_hands_and_what_was_won():
    end = state_after(HOLDEM, holdem.Deal.of(["AhKd", "QsQd", "7c2h"], "Th7h2c3d4d"), [200, -1, 200])
    said = words(pictures.svg(end, seen_by=1))
    assert ("showdown" in said and "A" in said and "400 +201" in " ".join(said)) or "401 +201" in " ".join(said)


def test_kuhn_and_leduc_and_chicago():
    state = state_after(jaxpoker.make("kuhn"), kuhn.Deal.of("K Q"), "bet")
    said = words(state._repr_svg_())
    assert {"K", "Q", "pot 3", "bet"} <= set(" ".join(said).split(" ")) | set(said)
    state = state_after(jaxpoker.make("leduc"), leduc.Deal.of("Kh Qs", "Js"), "raise, call, raise, call")
    said = words(state._repr_svg_())
    assert in_order(["J", "♠"], said) and "over" in said and "seat 0" in said and "+7" in said and "-7" in said
    assert "K" not in words(pictures.svg(state, seen_by=1))
    state = state_after(jaxpoker.make("chicago", num_players=2), chicago.Deal.of(["AhKhQhJhTh", "2c3c4c5c6c"]), [0])
    said = words(state._repr_svg_())
    assert in_order(["A", "♥", "K", "♥", "Q"], said) and "round 1, draw 0" in said and "0 points" in said
    assert "A" not in words(pictures.svg(state, seen_by=1))


def test_a_game_of_your_own_is_drawn_by_its_view():
    class State:
        terminated = False

        def table_view(self, seen_by):
            return pictures.TableView((pictures.SeatView("<me>", ("Ah",)), pictures.SeatView("you", ("",))), pot="7")

    jax.tree_util.register_pytree_node(State, lambda _: ((), None), lambda *_: State())
    assert {"<me>", "A", "♥", "pot 7"} <= set(words(pictures.svg(State())))
