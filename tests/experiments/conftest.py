"""Experiments from the command line, as users run them."""

import json
import runpy
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def run_experiment(repository):
    """``run_experiment(name, runs, *arguments)``: runs experiments/NAME.py to its end in a process of its own and
    returns what it printed."""

    def run(name, runs, *arguments):
        command = [sys.executable, str(repository / "experiments" / f"{name}.py"), "--runs", str(runs), *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def run_here(repository, monkeypatch, capsys):
    """``run_here(name, *arguments)``: runs experiments/NAME.py in this process, which has imported everything already,
    and returns what it printed. An error that it does not catch comes through."""

    def run(name, *arguments):
        script = str(repository / "experiments" / f"{name}.py")
        monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
        runpy.run_path(script, run_name="__main__")
        return "".join(capsys.readouterr())

    return run


@pytest.fixture
def answer(run_here, capsys):
    """``answer(name, *arguments, code=2)``: likewise, what it prints before it exits with that code."""

    def ask(name, *arguments, code=2):
        with pytest.raises(SystemExit) as stopped:
            run_here(name, *arguments)
        printed = "".join(capsys.readouterr())
        assert stopped.value.code == code, printed
        return printed

    return ask


@pytest.fixture(scope="session")
def lines_of():
    """``lines_of(folder)``: the metrics of a run, without the seconds that they took."""

    def read(folder):
        rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]

    return read
