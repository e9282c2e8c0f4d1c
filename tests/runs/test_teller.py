"""A run with a loop of its own: its metrics, and what it says."""

import contextlib
import io

import pytest
from rich.console import Console

from jaxpoker.runs import read_metrics
from jaxpoker.runs.teller import Teller


@pytest.fixture
def console():
    return Console(file=io.StringIO(), force_terminal=False, width=80)


def test_lines_go_on_after_those_that_the_run_has(tmp_path, console):
    with contextlib.closing(Teller(console, tmp_path, [])) as teller:
        first = [teller.write(step, step / 2, {"chips": step * 10}) for step in (1, 2)]
    with contextlib.closing(Teller(console, tmp_path, first[:1])) as teller:  # the second line is taken back
        again = teller.write(2, 1.5, {"chips": 7})
    assert read_metrics(tmp_path) == [{"step": 1, "seconds": 0.5, "chips": 10}, again]
    assert again == {"step": 2, "seconds": 1.5, "chips": 7}


def test_without_a_terminal_there_is_a_line_now_and_then(tmp_path, console, monkeypatch):
    with contextlib.closing(Teller(console, tmp_path, [])) as teller:
        for number in range(3):
            teller.tell(f"{number} of 3")
        monkeypatch.setattr("jaxpoker.runs.teller.PLAIN_SECONDS", 0.0)
        teller.tell("3 of 3")
    assert console.file.getvalue().splitlines() == [f"writes to {tmp_path}", "0 of 3", "3 of 3"]
