"""When solving ends, what it tells on the way, and what an independent solver found."""

from __future__ import annotations

import os
import signal

import pytest

from jaxpoker.solvers import subgame


def test_it_ends_when_the_target_is_reached(river_spot):
    solved = subgame.solve(river_spot, target=1.0)
    assert solved.exploitability_percent <= 1.0 and not solved.interrupted
    assert subgame.solve(river_spot, target=1.0, iterations=5).iterations == 5
    assert subgame.solve(river_spot).exploitability_percent <= 0.3


def test_it_ends_when_the_time_is_over(river_spot):
    told = []
    solved = subgame.solve(river_spot, seconds=0.2, progress=told.append)
    assert 0 < solved.iterations < 100_000
    assert told[-1].seconds < 5


def test_progress_says_how_far_it_is(river_spot):
    told = []
    solved = subgame.solve(river_spot, target=0.2, progress=told.append)
    assert [p.iterations for p in told] == sorted({p.iterations for p in told})
    assert told[-1].exploitability == pytest.approx(solved.exploitability_percent)
    assert all(p.seconds_left >= 0 for p in told)
    assert "% of the pot" in str(told[0])


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_a_signal_keeps_what_there_is(river_spot, by):
    before = signal.getsignal(by)

    def interrupt(progress: object) -> None:
        os.kill(os.getpid(), by)

    solved = subgame.solve(river_spot, target=1e-9, progress=interrupt)
    assert solved.interrupted and 0 < solved.iterations < 100
    assert sum(solved.ev) == pytest.approx(100, abs=1e-2)
    assert signal.getsignal(by) is before
    on = subgame.solve(river_spot, iterations=solved.iterations + 5, start=solved)
    assert on.iterations == solved.iterations + 5 and not on.interrupted


def test_nothing_goes_on_from_another_spot(river_spot, turn_spot, solved_river):
    with pytest.raises(ValueError, match="another spot"):
        subgame.solve(turn_spot, iterations=1, start=solved_river)


def agrees(solved: subgame.Solved, reference: dict) -> None:
    """EV within 0.2% of the pot and the other's exploitability; frequencies at the root within 3 points."""
    found, pot = reference["reference"], solved.spot.pot
    close = (0.2 + found["exploitability_percent_of_pot"]) / 100 * pot
    assert solved.ev == pytest.approx([found["ev_chips"]["oop"], found["ev_chips"]["ip"]], abs=close)
    root = solved.at("")
    assert list(root.frequencies.values()) == pytest.approx(list(found["root_oop"].values()), abs=0.03)
    assert root.range_equity[0] == pytest.approx(found["equity_oop"], abs=1e-4)
    assert root.range_ev == pytest.approx(solved.ev, abs=1e-3 * pot)


@pytest.mark.optimised
def test_r1(reference):
    """0.5% after 60 iterations, 0.1% after 170."""
    spot = subgame.Spot.from_json(reference["R1"])
    told = []
    solved = subgame.solve(spot, target=0.1, progress=told.append)
    assert solved.iterations <= 170
    assert min(p.exploitability for p in told if p.iterations <= 60) <= 0.5
    agrees(solved, reference["R1"])


@pytest.mark.slow
@pytest.mark.optimised
@pytest.mark.parametrize("name", ["T1", "B0"])
def test_turns(reference, name):
    solved = subgame.solve(subgame.Spot.from_json(reference[name]), target=0.1)
    assert solved.exploitability_percent <= 0.1
    agrees(solved, reference[name])


@pytest.mark.parametrize("aim", [{"target": 0}, {"iterations": -1}, {"seconds": float("nan")}])
def test_aims_are_numbers_above_zero(river_spot, aim):
    with pytest.raises(ValueError, match="a number above 0"):
        subgame.solve(river_spot, **aim)


def test_an_unknown_algorithm_is_refused(river_spot):
    with pytest.raises(ValueError, match="unknown algorithm 'magic'"):
        subgame.solve(river_spot, algorithm="magic")
