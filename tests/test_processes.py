"""Several processes that are one run: they learn what one process learns, and leave one folder behind."""

import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxpoker import runs
from jaxpoker.players import saved_networks

pytestmark = pytest.mark.thorough

PATIENCE = 600  # seconds for what takes a few or, on a machine with much else to do, a minute
GRACE = 60  # seconds in which jax ends the others when one process has failed
TOGETHER = ("hold'em by types",)  # a learner is the next test's
SMALL = ("--preset", "kuhn", "--tables", "32", "--turns", "4", "--updates", "2", "--checkpoint-seconds", "0")


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a process ended, and what it said."""

    code: int
    out: str
    err: str


class Pair:
    """Two processes that run one command together, their output in a folder."""

    def __init__(self, command, env, folder):
        with socket.socket() as free:
            free.bind(("localhost", 0))
            address = f"localhost:{free.getsockname()[1]}"
        self.files = [(folder / f"out-{i}", folder / f"err-{i}") for i in range(2)]
        self.processes = []
        for i, (out, err) in enumerate(self.files):
            own = {"JAX_COORDINATOR_ADDRESS": address, "JAX_NUM_PROCESSES": "2", "JAX_PROCESS_ID": str(i)}
            with out.open("w") as stdout, err.open("w") as stderr:
                process = subprocess.Popen(command, env={**env, **own}, stdout=stdout, stderr=stderr)
            self.processes.append(process)

    def ended(self):
        """Waits for both. When one has failed and the other goes on, or both take too long, they are killed."""
        until = time.monotonic() + PATIENCE
        while any(process.poll() is None for process in self.processes):
            if any(process.poll() for process in self.processes):
                until = min(until, time.monotonic() + GRACE)
            if time.monotonic() > until:
                for process in self.processes:
                    process.kill()
            time.sleep(0.05)
        texts = [[file.read_text() for file in files] for files in self.files]
        return [Ended(process.returncode, *text) for process, text in zip(self.processes, texts, strict=True)]


@pytest.fixture
def pair(repository, tmp_path):
    """``pair(script, ...)``: two processes of a Python script of the project, at work."""
    begun = []

    def begin(script, *arguments):
        env = {**os.environ, "PYTHONPATH": str(repository)}
        begun.append(Pair([sys.executable, str(repository / script), *map(str, arguments)], env, tmp_path))
        return begun[-1]

    yield begin
    for process in (process for both in begun for process in both.processes):
        process.kill()


@pytest.fixture
def alone(repository):
    """``alone(script, ...)``: one process, to its end; what it said."""

    def run(script, *arguments):
        command = [sys.executable, str(repository / script), *map(str, arguments)]
        env = {**os.environ, "PYTHONPATH": str(repository)}
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def lines_of(folder: Path) -> list[dict[str, float]]:
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def summary_of(folder: Path) -> dict:
    return json.loads((folder / "summary.json").read_text())


@pytest.mark.slow
def test_two_processes_learn_what_one_learns(pair, many_devices, tmp_path):
    both = pair("tests/many_devices.py", tmp_path / "found.npz", *TOGETHER).ended()
    assert [process.code for process in both] == [0, 0], both
    found = dict(np.load(tmp_path / "found.npz"))
    for name in TOGETHER:
        for path, expected in many_devices.leaves(many_devices.learned(name, None)).items():
            np.testing.assert_allclose(found.pop(f"{name}/{path}"), expected, atol=1e-5, rtol=1e-5, err_msg=path)
    assert not found


@pytest.mark.slow
def test_an_experiment_of_two_processes_writes_one_folder_and_goes_on_in_one(pair, alone, tmp_path):
    of_runs = ("--runs", tmp_path / "runs", "--name", "both")
    both = pair("experiments/reinforce.py", *SMALL, *of_runs, "--distributed").ended()
    assert [process.code for process in both] == [0, 0], both
    folder = tmp_path / "runs" / "reinforce" / "both"
    assert "Written to" in both[0].out and "step 2/2" in both[0].out
    assert "step" not in both[1].out, "the first process speaks for both"
    assert [path.name for path in folder.parent.iterdir()] == ["both"]
    assert summary_of(folder)["device"] == "2 × cpu"
    rows, params = lines_of(folder), jax.tree.leaves(saved_networks.load(folder).params)
    assert [row["step"] for row in rows] == [1, 2]

    (folder / "checkpoints" / "2.json").unlink()
    said = alone("experiments/reinforce.py", "--resume", *of_runs)
    assert "goes on from step 1" in said and summary_of(folder)["device"] == "cpu"
    for ours, theirs in zip(rows, lines_of(folder), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-5)
    for ours, theirs in zip(params, jax.tree.leaves(saved_networks.load(folder).params), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_who_is_told_to_stop_stops_both_and_both_go_on(pair, alone, tmp_path):
    settings = ("--iterations", 30, "--pause", 0.1, "--runs", tmp_path / "runs")
    at_work = pair("tests/runs/descent.py", *settings, "--name", "both", "--distributed")
    folder = tmp_path / "runs" / "descent" / "both"
    lines = folder / "metrics.jsonl"
    while at_work.processes[1].poll() is None and not (lines.is_file() and lines.read_text()):
        time.sleep(0.05)
    at_work.processes[1].send_signal(signal.SIGTERM)
    both = at_work.ended()
    assert [process.code for process in both] == [128 + signal.SIGTERM] * 2, both
    assert "stopped at step" in both[0].out and len(lines_of(folder)) < 30
    assert (folder / "checkpoints" / f"{lines_of(folder)[-1]['step']}.json").is_file()

    resume = ("--resume", "--runs", tmp_path / "runs", "--name", "both", "--distributed")
    both = pair("tests/runs/descent.py", *resume).ended()
    assert [process.code for process in both] == [0, 0], both
    assert "goes on from step" in both[0].out
    alone("tests/runs/descent.py", "--iterations", 30, "--pause", 0, "--runs", tmp_path / "runs", "--name", "one")
    one = folder.with_name("one")
    assert summary_of(folder)["bits"] == summary_of(one)["bits"]
    assert lines_of(folder) == lines_of(one)


def test_when_one_process_fails_the_other_ends_too(pair, tmp_path):
    (tmp_path / "runs" / "descent" / "taken").mkdir(parents=True)
    both = pair("tests/runs/descent.py", "--runs", tmp_path / "runs", "--name", "taken", "--distributed").ended()
    assert both[0].code == 2 and "exists" in both[0].err
    assert both[1].code not in (0, -signal.SIGKILL), "jax has ended it, nobody had to"


@dataclasses.dataclass(frozen=True)
class Config:
    """Of an experiment that has nothing to say."""

    seed: int = 0
    """Of everything random."""


def test_a_process_that_is_told_nonsense_of_others_says_so(monkeypatch, capsys):
    monkeypatch.setenv("JAX_NUM_PROCESSES", "two")
    with pytest.raises(SystemExit) as ended:
        runs.main(lambda: runs.parse(Config, {"quick": Config()}, experiment="any", argv=["--distributed"]))
    assert ended.value.code == 2
    assert "error: JAX_NUM_PROCESSES='two': a whole number" in capsys.readouterr().err
