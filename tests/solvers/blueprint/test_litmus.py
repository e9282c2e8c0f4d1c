"""Litmus tests of blueprints: they tell good strategies from bad ones."""

import numpy as np
import pytest

from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.blueprint import Blueprint, litmus
from jaxpoker.solvers.blueprint.litmus import Litmus

FOLD, CALL, RAISE = 0, 1, 2


def test_litmus_tests_tell_good_from_bad(any_blueprint):
    tight = np.zeros((6, 4), np.float32)
    tight[:, FOLD], tight[4:] = 1, [0, 0, 1, 0]
    strategy = list(any_blueprint.strategy)
    strategy[0] = np.broadcast_to(tight, strategy[0].shape)
    good = Blueprint(any_blueprint.tree, any_blueprint.abstraction, strategy)
    assert all(test.passed for test in claims(good, "never fold", "open", "ace-king"))
    strategy[0] = strategy[0][:, ::-1]
    bad = Blueprint(any_blueprint.tree, any_blueprint.abstraction, strategy)
    assert not any(test.passed for test in claims(bad, "never fold", "open", "ace-king"))


def claims(solved, *words):
    """The tests before the flop whose claims have one of the words."""
    found = [test for test in litmus.before_the_flop(solved) if test and any(word in test.claim for word in words)]
    assert len(found) >= 3
    return found


@pytest.mark.parametrize(("opened", "passed"), [((5, 4), True), ((5, 4, 2), True), ((5, 4, 3), False)])
def test_stronger_hands_are_those_with_more_equity(any_blueprint, opened, passed):
    """Aces and suited kings, "weak" by name, win 58.7% against any hand; the "medium" ones 53.9%."""
    first = np.zeros((6, 4), np.float32)
    first[:, FOLD], first[list(opened)] = 1, [0, 0, 1, 0]
    strategy = list(any_blueprint.strategy)
    strategy[0] = np.broadcast_to(first, strategy[0].shape)
    found = litmus.stronger_hands_open(Blueprint(any_blueprint.tree, any_blueprint.abstraction, strategy))
    assert found.passed is passed


# --- the blueprint that ships, and the same one spoiled -----------------------------------------


def of_hands(solved, spoil=lambda street, parts: parts):
    """A copy of a blueprint whose streets are what ``spoil`` makes of them."""
    strategy = [spoil(street, np.array(solved.strategy[street])) for street in range(4)]
    return Blueprint(solved.tree, solved.abstraction, strategy)


@pytest.fixture(scope="module")
def shipped():
    return blueprints.load_shipped()


def test_twenty_facts_are_told_of_the_blueprint_that_ships(shipped):
    found = litmus.tests(shipped)
    assert len(found) >= 20 and len({test.claim for test in found}) == len(found)
    assert litmus.summary(found) == f"{sum(test.passed for test in found)} of {len(found)} poker facts hold"
    facts = {test.claim: test for test in found}
    for claim in (
        "aces never fold before the flop",
        "kings never fold before the flop",
        "a nut flush draw is not taken for no pair and no draw",
        "top pair is not taken for bottom pair",
        "facing a bet, a nut flush draw folds less than no pair and no draw",
        "facing a bet on the river, no pair folds more than top pair",
        "the nuts never fold to a bet on the river",
    ):
        assert facts[claim].passed, facts[claim]


def test_hands_that_all_play_alike_fail_after_the_flop(shipped):
    """Every bucket does what all do on average: draws, sets and air are then the same hand."""
    alike = of_hands(shipped, lambda street, mix: np.broadcast_to(mix.mean(axis=1, keepdims=True), mix.shape))
    failed = {test.claim for test in litmus.after_the_flop(alike) if test and not test.passed}
    assert "facing a bet, a nut flush draw folds less than no pair and no draw" in failed
    assert "facing a bet, top pair folds less than no pair and no draw" in failed
    assert "on the river the nuts bet more than second pair" in failed
    assert "facing a bet on the river, no pair folds more than top pair" in failed
    assert "the nuts never fold to a bet on the river" in failed


def test_a_blueprint_that_never_bets_has_no_bluffs_and_no_sets_among_its_bets(shipped):
    def checks(street, mix):
        passive = np.zeros_like(mix)
        passive[..., CALL] = 1
        return passive if street else mix

    failed = {test.claim for test in litmus.after_the_flop(of_hands(shipped, checks)) if test and not test.passed}
    assert {"sets are among the bets on the flop", "bluffs are among the bets on the flop"} <= failed
    assert "missed draws are among the bets on the river" in failed


def test_a_button_that_plays_everything_is_caught(shipped):
    def limps(street, mix):
        if street == 0:
            mix[0] = np.eye(mix.shape[2], dtype=np.float32)[CALL]
        return mix

    failed = {test.claim for test in litmus.before_the_flop(of_hands(shipped, limps)) if test and not test.passed}
    assert "the button raises or limps 70 to 95% of all hands" in failed
    assert any("worst offsuit" in claim for claim in failed)


def test_facts_of_lines_that_a_tree_has_not_are_skipped(any_blueprint):
    """Six big blinds deep nothing is said of how much is opened, and without a street nothing of it."""
    assert not any("all hands" in test.claim for test in litmus.tests(any_blueprint))
    assert all(isinstance(test, Litmus) for test in litmus.tests(any_blueprint))
