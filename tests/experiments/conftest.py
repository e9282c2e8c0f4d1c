"""Experiments from the command line, as users run them."""

import json
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def run_experiment(repository):
    """``run_experiment(name, runs, *arguments)``: runs experiments/NAME.py to its end, which is to have that exit
    code, and returns what it printed."""

    def run(name, runs, *arguments, code=0, env=None):
        command = [sys.executable, str(repository / "experiments" / f"{name}.py"), "--runs", str(runs), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture(scope="session")
def lines_of():
    """``lines_of(folder)``: the metrics of a run, without the seconds that they took."""

    def read(folder):
        rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]

    return read
