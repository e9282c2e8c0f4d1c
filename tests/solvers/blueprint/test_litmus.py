"""Litmus tests of blueprints: they tell good strategies from bad ones."""

import numpy as np
import pytest

from jaxpoker.solvers.blueprint import Blueprint, litmus

FOLD = 0


def test_litmus_tests_tell_good_from_bad(any_blueprint):
    tight = np.zeros((6, 4), np.float32)
    tight[:, FOLD], tight[4:] = 1, [0, 0, 1, 0]
    strategy = list(any_blueprint.strategy)
    strategy[0] = np.broadcast_to(tight, strategy[0].shape)
    good = Blueprint(any_blueprint.tree, any_blueprint.abstraction, strategy)
    assert all(test.passed for test in litmus.tests(good))
    strategy[0] = strategy[0][:, ::-1]
    bad = Blueprint(any_blueprint.tree, any_blueprint.abstraction, strategy)
    assert not any(test.passed for test in litmus.tests(bad))


@pytest.mark.parametrize(("opened", "passed"), [((5, 4), True), ((5, 4, 2), True), ((5, 4, 3), False)])
def test_stronger_hands_are_those_with_more_equity(any_blueprint, opened, passed):
    """Aces and suited kings, "weak" by name, win 58.7% against any hand; the "medium" ones 53.9%."""
    first = np.zeros((6, 4), np.float32)
    first[:, FOLD], first[list(opened)] = 1, [0, 0, 1, 0]
    strategy = list(any_blueprint.strategy)
    strategy[0] = np.broadcast_to(first, strategy[0].shape)
    found = litmus.stronger_hands_raise(Blueprint(any_blueprint.tree, any_blueprint.abstraction, strategy))
    assert found.passed is passed
