"""What a run shows: plain lines in a file, one line that stays in its width on a terminal."""

import io
import re

import pytest
from rich.console import Console

from jaxpoker import dashboard


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when the test says so."""
    now = [100.0]
    monkeypatch.setattr(dashboard.time, "monotonic", lambda: now[0])
    return now


def test_plain_lines_come_every_two_seconds_and_first_and_last(clock) -> None:
    out = io.StringIO()
    display = dashboard.progress(Console(file=out, width=40))
    display.message("writes to runs/solve/a")
    display.start("solve/a", 0, 1000)
    for step in range(1, 52):
        clock[0] += 0.125
        display.show(step, {"exploitability": 1 / step, "value": -0.0556}, seconds=step / 8)
    display.stop()
    display.stop()
    lines = out.getvalue().splitlines()
    assert lines[0] == "writes to runs/solve/a"
    assert [re.search(r"step (\d+)/1,000", line)[1] for line in lines[1:]] == ["1", "17", "33", "49", "51"]
    assert lines[2] == "solve/a  step 17/1,000 (2%)  0:02  ETA 2:03  exploitability 0.05882  value -0.0556"


def test_a_message_comes_after_the_line_before_it(clock) -> None:
    out = io.StringIO()
    display = dashboard.progress(Console(file=out))
    display.start("solve/a", 0, 10)
    display.show(1, {}, 0.1)
    display.show(2, {}, 0.2)
    display.message("[stopped] at step 2: a long line that no console of any width breaks in two " * 3)
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert "step 2/10" in lines[1]
    assert lines[2].startswith("[stopped] at step 2")


def test_the_time_left_counts_the_steps_of_this_session_only(clock) -> None:
    out = io.StringIO()
    display = dashboard.progress(Console(file=out))
    display.start("solve/a", 900, 1000)
    clock[0] += 60.0  # it compiles
    display.show(905, {}, seconds=3990.0)
    assert "1:06:30  ETA ?" in out.getvalue()
    clock[0] += 10.0
    display.show(915, {}, seconds=4000.0)
    assert "1:06:40  ETA 1:25" in out.getvalue()


def test_an_evaluation_is_shown_until_the_next(clock) -> None:
    out = io.StringIO()
    display = dashboard.progress(Console(file=out))
    display.start("solve/a", 0, 4)
    for step, metrics in enumerate(({"regret": 1}, {"regret": 2, "exploitability": 0.5}, {"regret": 3}), start=1):
        clock[0] += 3.0
        display.show(step, metrics, 3.0 * step)
    assert out.getvalue().splitlines()[-1].endswith("regret 3  exploitability 0.5")


def test_a_terminal_gets_one_line_that_fits() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100, color_system=None, legacy_windows=False)
    display = dashboard.progress(console)
    display.start("solve/quick-20261116-044900", 0, 100_000)
    metrics = {"exploitability": 0.0123456, "value": -0.0555, "regret": 1.5e-7, "hands_per_s": 12_345_678.0, "n": 4}
    display.show(50_000, metrics, 3723.0)
    display.message("a message")
    display.stop()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue()).replace("\r", "\n")
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    assert max(map(len, lines)) <= 100
    assert "a message" in lines
    last = lines[-1]
    assert last.startswith("solve/quick-2… ")
    assert "50,000/100,000" in last
    assert "1:02:03  ETA ?" in last
    assert "exploitability 0.01235  value" in last


def test_the_time_goes_on_while_an_update_takes_long(clock) -> None:
    pace = dashboard.Pace(100)
    assert str(pace) == "0:00  ETA ?"
    pace.at(0, 5.0)
    clock[0] += 60.0
    pace.at(50, 65.0)
    assert str(pace) == "1:05  ETA 1:00"
    clock[0] += 20.0
    assert str(pace) == "1:25  ETA 0:40"


def test_stopping_before_starting_is_fine() -> None:
    out = io.StringIO()
    display = dashboard.progress(Console(file=out, force_terminal=True))
    display.message("damaged")
    display.stop()
    assert "damaged" in out.getvalue()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (True, "yes"),
        (3, "3"),
        (123_456, "123,456"),
        (12_345_678, "12.35M"),
        (2.5e9, "2.5G"),
        (-0.05555555, "-0.05556"),
        (1.5e-7, "1.5e-07"),
        (1e20, "1e+20"),
        (4.0, "4"),
        (1234.5678, "1235"),
        (0.0, "0"),
    ],
)
def test_numbers_are_short(value, shown: str) -> None:
    assert dashboard.compact_number(value) == shown


def test_a_run_that_ends_by_the_clock_shows_seconds_and_the_time_left(clock) -> None:
    out = io.StringIO()
    display = dashboard.ByTheClock(dashboard.progress(Console(file=out)), 120.0)
    display.start("respond/a", 0, 1 << 30)
    display.show(1, {}, seconds=20.0)
    clock[0] += 40.0
    display.show(5, {"mbb": 3.5}, seconds=60.0)
    display.stop()
    first, last = out.getvalue().splitlines()
    assert "step 20/120 (17%)  0:20  ETA ?" in first
    assert last == "respond/a, seconds  step 60/120 (50%)  1:00  ETA 1:00  updates 5  mbb 3.5"
