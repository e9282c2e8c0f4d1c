"""Blueprints at real tables: what one that folds loses to the push/fold equilibrium."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games.bets import FOLD
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.response import strength


def folding(big_blinds):
    """Folds whenever it may, with stacks of so many big blinds."""
    game = jaxpoker.make("holdem", menu="push/fold", stack=2 * big_blinds, small_blind=1, big_blind=2)
    betting, known = tree.build(game), abstraction.make("rank_based")
    strategy = []
    for street, buckets in enumerate(known.num_buckets):
        nodes = betting.decisions(street=street)
        strategy.append(np.zeros((len(nodes), buckets, betting.num_actions), np.float32))
        strategy[-1][..., FOLD] = 1
    return Blueprint(betting, known, tuple(strategy))


@pytest.mark.thorough
def test_who_folds_loses_blinds_to_push_or_fold_as_often_as_it_jams():
    """Half a big blind on the button; elsewhere a whole one when the button jams, 58.284% of its hands as published."""
    jams = 0.58284
    expected = 1_000 * (-0.5 + (0.5 * (1 - jams) - jams)) / 2
    found = strength.against_push_fold(folding(10), jax.random.key(0), 20_000)
    assert found.mean == pytest.approx(expected, abs=1.5 * found.ci95) and found.ci95 < 10


@pytest.mark.parametrize("big_blinds", [9, 21])
def test_push_or_fold_is_no_way_to_play_other_stacks(big_blinds):
    assert strength.against_push_fold(folding(big_blinds), jax.random.key(0), 100) is None
