"""Rounds of local best responses: on Leduc, where drawn deals can be compared with all of them."""

import dataclasses

import jax
import numpy as np
import pytest

from jaxpoker.errors import RunError
from jaxpoker.studies.lbr import learner, report
from jaxpoker.studies.lbr.config import Config

SMALL = Config(player="random", game="leduc", setting=("tree", "fold-call"), half_width=200.0, deals=8, walks=2)


@pytest.fixture(scope="module")
def finished():
    """Every state of a run to its end."""
    rounds = learner.Rounds(SMALL, learner.opponents_of(SMALL))
    states = [rounds.init(jax.random.key(0))]
    while int(states[-1].step) < SMALL.rounds:
        states.append(rounds.update(states[-1])[0])
    return rounds, states


@pytest.mark.thorough
def test_deals_are_drawn_until_all_intervals_are_narrow_enough(finished):
    rounds, states = finished
    drawn, counted = report.drawn(SMALL, states[-1]), report.counted(SMALL, rounds.opponents)
    for sampled, exact in zip(drawn, counted, strict=True):
        assert sampled.both.ci95 <= SMALL.half_width and sampled.both.n >= learner.FEWEST_ROUNDS * SMALL.deals
        assert abs(sampled.both.mean - exact.both.mean) < 2 * sampled.both.ci95
        assert exact.both.mean == pytest.approx(np.mean([seat.mean for seat in exact.seats]))
    assert len(states) < SMALL.rounds and drawn[0].both.n != drawn[1].both.n, "each stops when it is sure"
    assert report.figures(drawn, SMALL)["local_best_response"]["tree"] == drawn[0].both


@pytest.mark.thorough
def test_a_round_depends_on_the_state_alone(finished):
    rounds, states = finished
    again, _ = rounds.update(states[2])
    assert all((np.asarray(a) == np.asarray(b)).all() for a, b in zip(again.won, states[3].won, strict=True))


def test_progress_is_that_of_the_widest_interval():
    shown = []

    class Display:
        def start(self, title, step, steps):
            shown.append((step, steps))

        def show(self, step, metrics, seconds):
            shown.append((step, metrics))

    display = learner.Narrowing(Display(), SMALL)
    display.start("lbr/x", 3, 1_000)
    display.show(1, {"tree": 1.0, "tree ±": 400.0, "fold-call": 0.0, "fold-call ±": 100.0}, 1.0)
    display.show(SMALL.rounds, {"tree": 1.0, "tree ±": 199.0, "fold-call": 0.0, "fold-call ±": 100.0}, 1.0)
    assert [step for step, _ in shown] == [0, 250, 1_000]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"setting": ("early",)}, "unknown setting 'early'"),
        ({"setting": ("tree", "tree")}, "--setting tree tree: name one or more"),
        ({"half_width": 0.0}, "--half-width 0.0: a number of mBB/hand above 0"),
        ({"deals": 1}, "--deals 1"),
    ],
)
def test_settings_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(SMALL, **changes)


@pytest.mark.parametrize(
    ("player", "message"), [("ppo", "player 'ppo' chooses chip amounts"), ("nobody", "unknown player 'nobody'")]
)
def test_a_player_that_cannot_be_measured_is_refused_by_name(player, message):
    with pytest.raises(RunError, match=message):
        learner.opponents_of(Config(player=player))
