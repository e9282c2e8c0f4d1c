"""Stakes of a run in whole chips."""

import dataclasses

import pytest

from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.game import chips_of, game_of, stakes_of

PUSH_FOLD = Config(game="pushfold").resolved()


@pytest.mark.parametrize(
    ("changes", "chips"),
    [
        ({}, (20, 1, 2, 0)),  # ten big blinds; the small blind is the unit
        ({"small_blind": 1.0, "big_blind": 3.0}, (30, 1, 3, 0)),
        ({"ante": 0.125}, (80, 4, 8, 1)),  # the ante is the unit
        ({"small_blind": 50.0, "big_blind": 100.0}, (20, 1, 2, 0)),  # the same game
        ({"stack": 7.5}, (15, 1, 2, 0)),
    ],
)
def test_push_fold_has_the_smallest_chips_in_which_all_stakes_are_whole(changes, chips):
    found = chips_of(dataclasses.replace(PUSH_FOLD, **changes))
    assert tuple(found[name] for name in ("stack", "small_blind", "big_blind", "ante")) == chips


def test_a_big_blind_of_hold_em_is_at_least_ten_chips():
    found = chips_of(Config(stack=20.0, small_blind=1.0, big_blind=3.0).resolved())
    assert found == {"small_blind": 4, "big_blind": 12, "ante": 0, "stack": 240}


def test_the_game_has_the_stakes_and_the_menu():
    game = game_of(PUSH_FOLD)
    assert (game.stack, game.big_blind, game.num_actions) == (20, 2, 3)
    with pytest.raises(ValueError, match="--stack nan: give a number of big blinds"):
        game_of(dataclasses.replace(PUSH_FOLD, stack=float("nan")))


def test_stakes_are_said_in_words():
    assert stakes_of(PUSH_FOLD) == "10 big blinds, blinds 0.5/1"
    assert stakes_of(dataclasses.replace(PUSH_FOLD, ante=0.125)) == "10 big blinds, blinds 0.5/1, ante 0.125"
