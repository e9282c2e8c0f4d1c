"""Blueprints, looked up."""

import numpy as np
import pytest

from jaxpoker import ranges
from jaxpoker.games.holdem.table import Street
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.tree import infosets, lines

FOLD, CALL, RAISE, ALL_IN = range(4)


def test_an_information_set_is_found_by_its_name(any_blueprint):
    key = infosets.InfoSetKey(
        player_position=1, street=Street.PREFLOP, betting_sequence="r25", card_bucket=5, spr_bucket=1
    )
    found = any_blueprint.infoset(key)
    node = lines.node_of(any_blueprint.tree, "r25")
    assert found.legal_actions == ("fold", "check/call", "all-in to 60")
    np.testing.assert_array_equal(found.average_strategy, any_blueprint.at(node)[5, [FOLD, CALL, ALL_IN]])
    with pytest.raises(ValueError, match="has buckets 0 to 5"):
        any_blueprint.infoset(key._replace(card_bucket=6))


def test_a_hand_is_looked_up_by_its_cards(any_blueprint):
    assert any_blueprint.bucket("AhKd") == 5 and any_blueprint.bucket("7d2c") == 1
    assert any_blueprint.bucket("AhKd", "AsKs2c") == 2  # two pair
    mix = any_blueprint.mix(0, "AhKd")
    assert list(mix) == ["fold", "check/call", "2.5x to 25", "all-in to 60"]
    assert sum(mix.values()) == pytest.approx(1, abs=1e-6)
    with pytest.raises(ValueError, match="a board of 3 cards: on the preflop there are 0"):
        any_blueprint.mix(0, "AhKd", "AsKs2c")


@pytest.mark.parametrize(
    ("hole", "board", "message"),
    [
        ("AhAh", "", "appears twice"),
        ("Ah", "", "two cards"),
        ("AhKh", "Ah7c2d", "'Ah'"),
        ("AhKh", "Qh7c", "has 2 cards: it has 0, or 3, 4 or 5"),
        ("XhKh", "", "unknown card"),
    ],
)
def test_impossible_cards_are_refused(any_blueprint, hole, board, message):
    with pytest.raises(ValueError, match=message):
        any_blueprint.bucket(hole, board)


def test_the_grid_of_a_decision_says_what_comes_there(any_blueprint):
    """The button limps and is raised: each hand comes back as often as it limped."""
    node = lines.node_of(any_blueprint.tree, "cr25")
    mix, reach = any_blueprint.preflop_grid(node)
    aces, trash = (ranges.CLASS_NAMES.index(name) for name in ("AA", "72o"))
    np.testing.assert_array_equal(mix[aces], any_blueprint.at(node)[5])
    assert reach[aces] == pytest.approx(any_blueprint.at(0)[5, CALL])
    assert reach[trash] == pytest.approx(any_blueprint.at(0)[1, CALL])
    with pytest.raises(ValueError, match="on the flop"):
        any_blueprint.preflop_grid(lines.node_of(any_blueprint.tree, "cc/"))


def test_a_strategy_of_another_shape_is_refused(any_blueprint):
    with pytest.raises(ValueError, match="has shapes"):
        Blueprint(any_blueprint.tree, any_blueprint.abstraction, any_blueprint.strategy[::-1])
