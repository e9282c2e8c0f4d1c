"""The elements of a table are well-formed, inside it, and say what they are told to say."""

import xml.etree.ElementTree as ET

import pytest

from jaxpoker.games.pictures import SeatView, TableView, drawing


def elements(drawn):
    return list(ET.fromstring(f"<g>{drawn}</g>").iter())


@pytest.mark.parametrize("players", range(2, 11))
def test_all_seats_are_on_the_picture(players):
    seats = tuple(SeatView(f"seat {n}", ("Ah", "Kd"), "1,000", "200", "+7") for n in range(players))
    drawn = elements(drawing.table(TableView(seats, ("2c", "3c", "4c", "5c", "6c"), "99", "river")))
    for element in drawn:
        for place, size, most in (("x", "width", drawing.WIDTH), ("y", "height", drawing.HEIGHT)):
            at = float(element.get(place, 0))
            assert at >= 0 and at + float(element.get(size, 0)) <= most, element.attrib
    said = [element.text for element in drawn]
    assert said.count("A") == players and said.count("1,000 +7") == players and "pot 99" in said


def test_suits_have_their_colours_and_a_card_without_a_name_is_face_down():
    colours = {name: elements(drawing.card(0, 0, name))[-1].get("fill") for name in ("Ac", "Ad", "Ah", "As")}
    assert len(set(colours.values())) == 4
    assert [element.text for element in elements(drawing.card(0, 0, "Th"))] == [None, None, "10", "♥"]
    assert [element.text for element in elements(drawing.card(0, 0, "K"))] == [None, None, "K"]
    assert len(elements(drawing.card(0, 0, ""))) == 2


def test_names_are_not_read_as_markup():
    drawn = drawing.table(TableView((SeatView("<b>&", ()), SeatView("you", ()))))
    assert "<b>&" in [element.text for element in elements(drawn)]
