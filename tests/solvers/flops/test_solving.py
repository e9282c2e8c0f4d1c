"""Whole flops against a linear program, the solver of turns, all suits written out, and published figures."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import jax
import numpy as np
import pytest
from scipy.optimize import linprog

from jaxpoker.solvers import flops, subgame
from jaxpoker.solvers.flops import files, solving
from jaxpoker.solvers.subgame import Spot
from tests.solvers.flops.small_flops import ITERATIONS, sizes, small_spot

LONG = bool(os.environ.get("JAXPOKER_LONG"))
SPOTS = json.loads((Path(__file__).parent / "published_flops.json").read_text())


def test_all_in_or_check_on_the_flop_is_what_a_linear_program_finds(equity_by_treys):
    """Two hands against two: each player goes all-in or not, the other calls or folds; nobody bets later."""
    ours, theirs = ("AhAd", "QhJh"), ("8h8c", "KhQd")
    pot, stack, board = 10.0, 20.0, "Ks7h3h"
    spot = Spot(board=board, pot=pot, stack=stack, oop=", ".join(ours), ip=", ".join(theirs), menu=sizes("a", "", ""))
    solved = flops.solve(spot, iterations=600)
    # Sequence form: oop checks-calls, checks-folds or bets with each hand; ip bets after a check or not, calls or not.
    edge = np.array([[equity_by_treys(a, b, board) for b in theirs] for a in ours])
    half, whole = pot / 2, pot / 2 + stack
    plans = list(itertools.product(("bet", "call", "fold"), repeat=2))
    answers = list(itertools.product(itertools.product(("bet", "check"), ("call", "fold")), repeat=2))

    def wins(plan: str, answer: tuple[str, str], edge: float) -> float:
        if plan == "bet":
            return whole * edge if answer[1] == "call" else half
        if answer[0] == "check":
            return half * edge
        return whole * edge if plan == "call" else -half

    pairs = list(itertools.product(range(2), repeat=2))
    matrix = [[np.mean([wins(p[i], a[j], edge[i, j]) for i, j in pairs]) for a in answers] for p in plans]
    columns = np.c_[-np.array(matrix).T, np.ones(len(answers))]  # value - what each answer leaves <= 0
    found = linprog(
        [*np.zeros(len(plans)), -1], columns, np.zeros(len(answers)), [[*np.ones(len(plans)), 0]], [1],
        bounds=[*[(0, 1)] * len(plans), (None, None)],
    )  # fmt: skip
    assert solved.exploitability_percent < 0.05
    assert solved.ev[0] - pot / 2 == pytest.approx(found.x[-1], abs=0.01)


def test_suits_that_can_be_exchanged_change_nothing(solved, small):
    whole = flops.solve(small, iterations=ITERATIONS, symmetric=False)
    assert len(whole.runouts.turns) == 49 > len(solved.runouts.turns)
    np.testing.assert_allclose(whole.ev, solved.ev, atol=1e-4 * small.pot)
    assert whole.exploitability_percent == pytest.approx(solved.exploitability_percent, abs=0.05)


@pytest.mark.parametrize(("line", "turn"), [("r5c/", "4h"), ("r5c/", "2d")])
def test_a_turn_is_worth_what_the_solver_of_turns_says(solved, line, turn):
    node = solved.at(line, turn)
    there = subgame.solve(solved.spot_at(line, turn), target=0.05)
    np.testing.assert_allclose(node.range_ev, there.ev, atol=0.01 * node.pot)
    np.testing.assert_allclose(node.range_equity, there.at().range_equity, atol=1e-4)


def test_sixteen_bits_are_as_good_after_as_many_iterations(solved, packed):
    assert packed.exploitability_percent == pytest.approx(solved.exploitability_percent, abs=0.1)
    np.testing.assert_allclose(packed.ev, solved.ev, atol=0.001 * solved.spot.pot)


def test_what_both_win_is_the_pot(solved, small):
    assert sum(solved.ev) == pytest.approx(small.pot, abs=1e-4)


def test_rake_is_taken_from_both():
    raked = flops.solve(small_spot(rake=0.05, rake_cap=1.0), iterations=30)
    assert 9 < sum(raked.ev) < 9.6  # at most a chip, at least half of one, of each pot of 10 and more


def test_solving_on_ends_where_a_solve_without_a_stop_ends(small, tmp_path):
    stopped = flops.solve(small, iterations=13)
    files.save_state(stopped, tmp_path / "a.flop")
    on = flops.solve(small, iterations=25, start=files.load(tmp_path / "a.flop", whole=True))
    whole = flops.solve(small, iterations=25)
    assert on.iterations == whole.iterations == 25 and on.ev == whole.ev
    for ours, theirs in zip(on.state.everything(), whole.state.everything(), strict=True):
        pairs = zip(*(jax.tree.leaves([held.regrets, held.averages]) for held in (ours, theirs)), strict=True)
        assert all(np.array_equal(one, other) for one, other in pairs)


def test_checks_come_at_the_same_iterations_wherever_it_begins():
    assert [solving.next_check(step) for step in (0, 9, 10, 95, 100, 110, 111)] == [10, 10, 20, 100, 111, 111, 123]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"algorithm": "pcfr+"}, "keep no forecast"),
        ({"bits": 8}, "32 or 16"),
        ({"target": -1.0}, "a number above 0"),
    ],
)
def test_what_cannot_be_is_refused(small, changed, message):
    with pytest.raises(ValueError, match=message):
        flops.solve(small, **changed)


def test_a_turn_is_not_for_this_solver():
    with pytest.raises(ValueError, match="three open cards"):
        flops.solve(small_spot(board="Ks 7h 3h 2c"), iterations=1)


@pytest.mark.slow
@pytest.mark.optimised
@pytest.mark.parametrize("name", [name for name in SPOTS if LONG or SPOTS[name]["short"]])
def test_published_flops(name):
    """What other programs have found: EV of oop, how often it bets first, with a margin for both solutions' gaps."""
    given = SPOTS[name]
    solved = flops.solve(Spot.from_json(given["spot"]), target=given["target"])
    assert solved.ev[0] == pytest.approx(given["ev_oop"], abs=given["ev_margin"])
    assert 1 - solved.at().frequencies["c"] == pytest.approx(given["oop_bets"], abs=given["bets_margin"])
    assert solved.at().range_equity[0] == pytest.approx(given["equity_oop"], abs=1e-4)
