"""The game that is swept: which form it has, and what playing is charged."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import ranges, solvers
from jaxpoker.solvers import tree
from jaxpoker.solvers.sampling import abstract_games
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.tree import street_shapes


@pytest.fixture(scope="module")
def short_tree():
    menu = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"
    return tree.build(jaxpoker.make("holdem", menu=menu, stack=40, small_blind=5, big_blind=10))


def test_few_types_are_counted_and_many_are_swept_hand_by_hand(short_tree, short_holdem, few_flops, monkeypatch):
    assert isinstance(short_holdem.game, BucketGame)
    monkeypatch.setattr(abstract_games, "MAX_TYPES", 30)
    game, boards = abstract_games.of_abstraction(short_tree, few_flops)
    assert isinstance(game, HandGame) and boards.num_types == 0


def test_playing_is_charged_by_paying_for_the_first_fold(short_tree):
    """Half a big blind is lost by it, less the cost; no other end changes."""
    betting = street_shapes.shaped(short_tree)
    charged = abstract_games.charged(betting, 0.05)
    before, after = betting.streets[0][0].fold_pays, charged.streets[0][0].fold_pays
    assert before[0, 0] == pytest.approx(-0.5) and after[0, 0] == pytest.approx(-0.45)
    np.testing.assert_array_equal(before[1:], after[1:])
    assert charged.streets[1:] == betting.streets[1:]
    np.testing.assert_array_equal(betting.streets[0][0].showdown_pays, charged.streets[0][0].showdown_pays)


def test_without_a_cost_nothing_changes(short_tree):
    betting = street_shapes.shaped(short_tree)
    assert abstract_games.charged(betting, 0.0) is betting


@pytest.mark.thorough
@pytest.mark.optimised
def test_a_cost_folds_the_hands_that_are_worth_less_than_it(push_fold, classes):
    """Push or fold with a cost of 0.2 big blinds: fewer hands jam, and aces still do."""
    jams = []
    for cost in (0.0, 0.2):
        solver = solvers.make("dcfr", push_fold.game, cards=classes, batch=4, play_cost=cost)
        (strategy,) = solver.average(solver.run(solver.init(jax.random.key(0)), 150))
        jams.append(1 - np.asarray(strategy)[0, :, 0])
    share = [float(jam @ ranges.COMBOS_PER_CLASS / 1326) for jam in jams]
    assert share[1] < share[0] - 0.05
    aces = ranges.CLASS_NAMES.index("AA")
    assert jams[1][aces] > 0.99
