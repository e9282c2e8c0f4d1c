"""Lines of a spot in words."""

import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.solvers.spots import words
from jaxpoker.solvers.tree import lines


def test_actions_have_the_names_that_players_use(turn):
    assert words.action_names(turn.tree, 0) == ("check", "bet 66")
    facing = lines.node_of(turn.tree, "r66")
    assert words.action_names(turn.tree, facing) == ("fold", "call 66", "all-in 200")


def test_a_line_leads_to_the_node_of_its_letters_on_the_board_with_its_card(turn):
    node = words.find(turn, "check, bet 66, call; 7d; check")
    same = turn.at("cr66c/c", "7d")
    assert node.line == same.line and node.board == same.board == tuple(cards.parse("Ks7h3d9h7d"))
    np.testing.assert_array_equal(node.ev, same.ev)


@pytest.mark.parametrize(
    "line",
    [
        "Check, Bet 66,call 66 ;7D; check",
        "cr66c/7d/c",
        "c; r66; c; 7d; c",
        "check, bet 66%, call; 7d; check",
        "check, bet, call; 7d; check",
    ],
)
def test_a_line_may_be_written_in_many_ways(turn, line):
    assert words.place_of(turn, line) == words.place_of(turn, "check, bet 66, call; 7d; check")


def test_a_node_is_named_by_a_line_that_leads_back_to_it(turn):
    for node in turn.tree.decisions()[::3].tolist():
        line = words.line_of(turn.tree, node)
        said = line.replace(";", "; 2c;") if ";" in line else line
        assert words.place_of(turn, said)[0] == node


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bet 50", "legal are check, bet 66"),
        ("call", "legal are check, bet 66"),
        ("bet 66, check", "legal are fold, call 66"),
        ("7d", "a card is dealt after the betting alone"),
        ("check, check", "name it, as in 'check, check; 7h'"),
        ("check, check; check", "a card is dealt there"),
        ("bet 66, fold", "the hand is over"),
        ("bet 66, fold, check", "the hand is over before it"),
    ],
)
def test_a_line_that_cannot_be_is_told_what_can(turn, line, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        words.place_of(turn, line)


def test_a_card_on_the_board_cannot_be_dealt(turn):
    with pytest.raises(ValueError, match="on the board"):
        words.find(turn, "check, check; 7h")
