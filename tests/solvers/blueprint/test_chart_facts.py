"""What an opening chart comes to."""

import dataclasses

import numpy as np
import pytest

from jaxpoker import ranges
from jaxpoker.solvers.blueprint import Blueprint, chart_facts

FOLD, RAISE = 0, 2


@pytest.fixture
def opens(any_blueprint, classes):
    """``opens(names)``: a blueprint of 169 hands that raises those of a range first in, and folds the others."""

    def make(text):
        known = dataclasses.replace(classes)
        held = ranges.parse(text)
        strategy = [
            np.zeros((s.shape[0], n, s.shape[2]), np.float32)
            for s, n in zip(any_blueprint.strategy, known.num_buckets, strict=True)
        ]
        plays = np.bincount(ranges.CLASS_OF_COMBO, held) / ranges.COMBOS_PER_CLASS
        strategy[0][0, :, FOLD], strategy[0][0, :, RAISE] = 1 - plays, plays
        return Blueprint(any_blueprint.tree, known, strategy)

    return make


def test_a_button_that_plays_all_but_the_worst_hands(opens):
    facts = chart_facts.opening(opens("22+, A2s+, K2s+, Q2s+, J2s+, A2o+, K2o+, Q2o+, J5o+, T6o+, T2s+, 95s+, 97o+"))
    assert facts.worst_fold == 1 and facts.least_played == 1
    assert 0.6 < facts.plays < 0.95
    assert facts.order > 0.95


def test_a_button_that_folds_aces_and_plays_trash_is_caught(opens):
    facts = chart_facts.opening(opens("32o, 42o, 52o, 62o, 72o, 82o, 43o, 53o, 63o, 73o"))
    assert facts.worst_fold == 0 and facts.least_played == 0 and facts.order < 0.01
    assert facts.plays == pytest.approx(120 / 1326)


def test_the_worst_offsuit_hands_are_small(opens):
    worst = chart_facts.worst_offsuit()
    assert worst[0] == "32o" and "72o" in worst and len(worst) == 10
    assert all(name.endswith("o") and name[0] in "2345678" for name in worst)
