"""A run that was stopped or killed, wherever that was, ends with the bits and the metrics of one that was not."""

import concurrent.futures
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from jaxpoker import runs
from jaxpoker.runs.checkpoints import Checkpoints
from jaxpoker.runs.loop import EVALUATION
from jaxpoker.runs.metrics import MetricsFile

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(("at", "stop"), [(1, signal.SIGINT), (7, signal.SIGTERM), (12, signal.SIGTERM)])
def test_a_stopped_run_goes_on_where_it_was(run_descent, watcher, runs_folder, at, stop) -> None:
    whole = run_descent("--name", "whole")
    display = watcher(at, stop)
    before = signal.getsignal(stop)
    with pytest.raises(runs.Stopped) as stopped:
        run_descent("--name", "stopped", display=display)
    assert signal.getsignal(stop) is before
    assert stopped.value.code == 128 + stop
    assert display.shown[-1] == at, "it stops after the running update"
    command = f"scripts/run descent --resume --name stopped --runs {runs_folder.parent}"
    assert display.messages[-1] == f"stopped at step {at}; go on with: {command}"
    resumed = watcher()
    assert run_descent("--name", "stopped", "--resume", display=resumed) == whole
    assert resumed.shown == list(range(at + 1, 13)), "no update is made twice"


@pytest.mark.parametrize(("at", "checkpoint_seconds"), [(1, 0), (6, 0), (6, 60)])
def test_a_killed_run_goes_on_from_its_last_checkpoint(run_descent, watcher, at, checkpoint_seconds) -> None:
    whole = run_descent("--name", "whole")
    with pytest.raises(watcher.Crash):
        run_descent("--name", "killed", display=watcher(at), checkpoint_seconds=checkpoint_seconds)
    display = watcher()
    assert run_descent("--name", "killed", "--resume", display=display) == whole
    # The line of step `at` was written, its checkpoint was not.
    assert display.shown[0] == (at if checkpoint_seconds == 0 else 1)


def test_a_run_that_ends_by_the_clock_goes_on_with_the_same_bits(run_descent, watcher) -> None:
    whole = run_descent("--name", "whole", pause=0.1)
    short = run_descent("--name", "short", pause=0.1, seconds=0.5)
    done = short[1][-1]["step"]
    assert 1 <= done < 12 and "probe" in short[1][-1], "the end is evaluated"
    over = watcher()
    assert run_descent("--name", "short", "--resume", display=over, pause=0.1, seconds=0.5) == short
    assert not over.shown and over.messages[-1].endswith("of training were over before")
    longer, (_, (*rows, _)) = run_descent("--name", "short", "--resume", pause=0.1, seconds=60.0), short
    assert longer[0] == whole[0] and longer[1][: len(rows)] == rows and longer[1][-1] == whole[1][-1]
    with pytest.raises(ValueError, match="cannot train for 0 seconds: say more than 0"):
        run_descent("--name", "none", seconds=0)


@pytest.mark.parametrize("log_every", [1, 4])
def test_updates_of_several_steps_keep_their_rhythm(run_descent, watcher, log_every) -> None:
    sizes = dict(stride=2, log_every=log_every, iterations=31)
    whole = run_descent("--name", "whole", **sizes)
    with pytest.raises(runs.Stopped):
        run_descent("--name", "stopped", display=watcher(10, signal.SIGTERM), **sizes)
    assert run_descent("--name", "stopped", "--resume", **sizes) == whole
    steps = [row["step"] for row in whole[1]]
    evaluated = [row["step"] for row in whole[1] if "probe" in row]
    assert evaluated == [6, 10, 16, 20, 26, 30, 32], "a multiple of 5 was passed, or the end"
    assert steps == sorted({*range(2 * log_every, 32, 2 * log_every), *evaluated})


def test_a_finished_run_is_restored_and_may_be_made_longer(run_descent, watcher, runs_folder) -> None:
    longer = run_descent("--name", "longer", iterations=17)
    first = run_descent("--name", "first")
    display = watcher()
    assert run_descent("--name", "first", "--resume", display=display) == first
    assert display.shown == []
    bits, rows = run_descent("--name", "first", "--resume", iterations=17)
    assert bits == longer[0]
    assert [row["loss"] for row in rows] == [row["loss"] for row in longer[1]]
    assert json.loads((runs_folder / "first" / "summary.json").read_text())["config"]["iterations"] == 17
    assert "iterations: 17\n" in (runs_folder / "first" / "config.yaml").read_text()


def test_a_run_killed_before_its_first_checkpoint_starts_from_the_beginning(
    run_descent, watcher, runs_folder, monkeypatch
) -> None:
    whole = run_descent("--name", "whole")
    from jaxpoker import files

    def killed(path: Path, text: str) -> None:
        if path.parent.name == "checkpoints":
            raise KeyboardInterrupt
        write_whole(path, text)

    write_whole = files.write_whole
    monkeypatch.setattr(files, "write_whole", killed)
    with pytest.raises(KeyboardInterrupt):
        run_descent("--name", "early")
    monkeypatch.undo()
    assert [path.name for path in (runs_folder / "early" / "checkpoints").iterdir()] == ["0"]
    display = watcher()
    assert run_descent("--name", "early", "--resume", display=display) == whole
    assert display.messages == ["no checkpoint yet: starts from the beginning"]


def test_metrics_without_any_checkpoint_are_kept_aside(run_descent, watcher, runs_folder) -> None:
    whole = run_descent("--name", "a")
    checkpoints = runs_folder / "a" / "checkpoints"
    checkpoints.rename(runs_folder / "a" / "elsewhere")
    checkpoints.mkdir()
    old = (runs_folder / "a" / "metrics.jsonl").read_text()
    display = watcher()
    assert run_descent("--name", "a", "--resume", display=display) == whole
    assert display.messages[0] == "no checkpoint yet: starts from the beginning"
    assert (runs_folder / "a" / "metrics-without-checkpoint.jsonl").read_text() == old


def test_seconds_add_up_over_sessions(run_descent, watcher, runs_folder) -> None:
    with pytest.raises(runs.Stopped):
        run_descent("--name", "a", display=watcher(3, signal.SIGTERM), pause=0.1)
    run_descent("--name", "a", "--resume")
    seconds = [row["seconds"] for row in runs.read_metrics(runs_folder / "a")]
    assert seconds == sorted(seconds)
    assert seconds[-1] >= 12 * 0.1
    assert json.loads((runs_folder / "a" / "summary.json").read_text())["seconds"] >= seconds[-1]


def test_an_evaluation_gets_the_key_of_seed_and_step(descent, tmp_path, watcher) -> None:
    keys = {}

    class Recorder(descent.Descent):
        def evaluate(self, state, key):
            keys[int(state.step)] = jax.random.key_data(key).tolist()
            return {}

    launch = runs.Launch("descent", "quick", descent.Config(seed=3), "a", runs=tmp_path)
    with runs.start(launch) as run:
        run.train(Recorder(launch.config, stride=3), 12, evaluate_every=6, display=watcher())
    stream = jax.random.fold_in(jax.random.key(3), EVALUATION)
    assert keys == {step: jax.random.key_data(jax.random.fold_in(stream, step)).tolist() for step in (6, 12)}


def test_metrics_are_on_disk_before_the_checkpoint_they_belong_to(run_descent, monkeypatch) -> None:
    happened = []

    def noted(original):
        def call(*args, **named):
            happened.append(original.__name__)
            return original(*args, **named)

        return call

    for kind, name in ((MetricsFile, "write"), (MetricsFile, "sync"), (Checkpoints, "save")):
        monkeypatch.setattr(kind, name, noted(getattr(kind, name)))
    run_descent("--name", "a", iterations=2, checkpoint_seconds=0)
    assert happened == ["save", *["write", "sync", "save"] * 2]


def test_the_evaluations_do_not_depend_on_how_often_one_evaluates(descent, tmp_path, watcher) -> None:
    def probes(name: str, every: int) -> dict[int, float]:
        launch = runs.Launch("descent", "quick", descent.Config(), name, runs=tmp_path)
        with runs.start(launch) as run:
            run.train(descent.Descent(launch.config), 12, evaluate_every=every, display=watcher())
            return {row["step"]: row["probe"] for row in run.metrics() if "probe" in row}

    often, seldom = probes("often", 2), probes("seldom", 6)
    assert sorted(often) == [2, 4, 6, 8, 10, 12]
    assert seldom == {step: often[step] for step in (6, 12)}


def test_a_run_in_another_thread_leaves_the_signals_alone(run_descent, watcher) -> None:
    before = signal.getsignal(signal.SIGTERM)
    during = []

    class Looker(watcher):
        def show(self, *args) -> None:
            during.append(signal.getsignal(signal.SIGTERM))

    here = run_descent("--name", "here")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        assert pool.submit(run_descent, "--name", "there", display=Looker()).result() == here
    assert set(during) == {before}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda state: state.replace(step=jnp.int32(0)), "update left the state's step at 0"),
        (lambda state: state.replace(point=jnp.zeros(7)), r"leaf .point is float32\[7\], should be float32\[3\]"),
        (lambda state: state.replace(seen={}), r"leaf .seen\['.*'\], .*, is missing"),
    ],
)
def test_an_update_that_could_not_be_resumed_is_refused_at_once(descent, tmp_path, watcher, change, says) -> None:
    class Broken(descent.Descent):
        def update(self, state):
            state, metrics = super().update(state)
            return change(state), metrics

    launch = runs.Launch("descent", "quick", descent.Config(), "a", runs=tmp_path)
    with runs.start(launch) as run, pytest.raises(TypeError, match=says):
        run.train(Broken(launch.config), 3, display=watcher())


def test_a_run_trains_once_and_at_sensible_intervals(descent, tmp_path, watcher) -> None:
    launch = runs.Launch("descent", "quick", descent.Config(), "a", runs=tmp_path)
    learner = descent.Descent(launch.config)
    with runs.start(launch) as run:
        with pytest.raises(ValueError, match="cannot evaluate every 0 steps"):
            run.train(learner, 3, evaluate_every=0, display=watcher())
        with pytest.raises(ValueError, match="cannot log every 0 updates"):
            run.train(learner, 3, log_every=0, display=watcher())
        run.train(learner, 3, display=watcher())
        with pytest.raises(RuntimeError, match="a run trains once"):
            run.train(learner, 6, display=watcher())


# --- real processes ---------------------------------------------------------------------------


class Process:
    """descent.py in a process of its own, from 30 updates that take 20 ms each, saving after each."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self.metrics = folder / "runs" / "descent" / "a" / "metrics.jsonl"
        script, root = Path(__file__).parent / "descent.py", Path(__file__).parent.parent.parent
        self.process = subprocess.Popen(
            [sys.executable, str(script), "--name", "a", "--checkpoint-seconds", "0", *flags],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(root)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for_lines(self, count: int) -> None:
        while self.process.poll() is None:
            if self.metrics.exists() and self.metrics.read_bytes().count(b"\n") >= count:
                return
            time.sleep(0.002)
        raise AssertionError(f"it ended before line {count}: {self.process.communicate()}")


def test_a_process_killed_at_random_and_then_terminated_ends_as_if_it_had_not_been(run_descent, tmp_path) -> None:
    whole_bits, whole_rows = run_descent("--name", "whole", iterations=30)
    settings = ("--iterations", "30", "--pause", "0.02")
    moments = random.Random(5)
    for session, lines in enumerate((4, 12)):
        process = Process(tmp_path, *settings, *(["--resume"] if session else []))
        process.wait_for_lines(lines)
        time.sleep(moments.uniform(0.0, 0.2))
        process.process.kill()
        process.process.communicate()
    process = Process(tmp_path, "--resume")
    process.wait_for_lines(24)
    process.process.send_signal(signal.SIGTERM)
    out, err = process.process.communicate()
    assert process.process.returncode == 143, err
    assert "go on with: scripts/run descent --resume --name a\n" in out
    assert "Traceback" not in err
    process = Process(tmp_path, "--resume")
    out, err = process.process.communicate()
    assert process.process.returncode == 0, err
    folder = process.metrics.parent
    assert json.loads((folder / "summary.json").read_text())["bits"] == whole_bits
    rows = runs.read_metrics(folder)
    assert [{name: row[name] for name in row if name != "seconds"} for row in rows] == whole_rows
