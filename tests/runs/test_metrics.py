"""metrics.jsonl: valid JSON whatever the numbers, whole lines whatever happens."""

import json
import math
import resource
import signal
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import runs
from jaxpoker.runs.metrics import MetricsFile, totals


def written(folder: Path, **metrics) -> dict:
    lines = MetricsFile(folder, [])
    lines.write(3, 1.23456, metrics)
    lines.close()
    (row,) = runs.read_metrics(folder)
    return row


def test_numbers_of_every_type_read_back_exactly(tmp_path: Path) -> None:
    third = np.float32(1 / 3)
    row = written(
        tmp_path, loss=jnp.float32(third), hands=np.int64(2**53 + 1), half=jnp.bfloat16(1.5), won=np.bool_(True), n=3
    )
    assert row == {
        "step": 3,
        "seconds": 1.235,
        "loss": float(third),
        "hands": 2**53 + 1,
        "half": 1.5,
        "won": True,
        "n": 3,
    }
    assert list(row)[:2] == ["step", "seconds"]


def test_what_json_lacks_is_null(tmp_path: Path) -> None:
    row = written(tmp_path, a=math.nan, b=jnp.float32(jnp.inf), c=-np.float64(np.inf))
    assert (row["a"], row["b"], row["c"]) == (None, None, None)
    json.loads((tmp_path / "metrics.jsonl").read_text(), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    ("metrics", "says"),
    [({"loss": jnp.ones(2)}, r"'loss' is no scalar number: shape \(2,\)"), ({"step": 1}, "may not be called 'step'")],
)
def test_what_is_no_metric_is_refused_by_name(tmp_path: Path, metrics: dict, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        written(tmp_path, **metrics)
    assert (tmp_path / "metrics.jsonl").read_bytes() == b""


def test_a_folder_without_metrics_is_named(tmp_path: Path) -> None:
    with pytest.raises(runs.RunError, match=f"{tmp_path}/metrics.jsonl"):
        runs.read_metrics(tmp_path)


@pytest.fixture
def stopped(run_descent, watcher, runs_folder):
    whole = run_descent("--name", "whole")
    with pytest.raises(runs.Stopped):
        run_descent("--name", "a", display=watcher(7, signal.SIGTERM))
    return runs_folder / "a" / "metrics.jsonl", whole


@pytest.mark.parametrize("tail", [b'{"step": 8, "seco', b'{"step": 8, "seconds": 1.0}', b"\x00\x00"])
def test_a_line_cut_off_by_a_kill_is_named_and_dropped(stopped, run_descent, watcher, capsys, tail: bytes) -> None:
    path, whole = stopped
    path.write_bytes(path.read_bytes() + tail)
    before = path.read_bytes()
    assert len(runs.read_metrics(path.parent)) == 7
    assert f"{path}, line 8: cut off" in capsys.readouterr().err
    assert path.read_bytes() == before, "reading changes nothing"
    display = watcher()
    assert run_descent("--name", "a", "--resume", display=display) == whole
    assert any(f"{path}, line 8: cut off" in text for text in display.messages)


def test_lines_after_the_checkpoint_are_computed_again(stopped, run_descent) -> None:
    path, whole = stopped
    path.write_bytes(path.read_bytes() + b'{"step": 8, "seconds": 1.0, "loss": 666}\n')
    assert run_descent("--name", "a", "--resume") == whole


@pytest.mark.parametrize("line", [b'{"step": 3, "sec', b"[]", b'{"seconds": 1}', b'{"step": "3", "seconds": 1}', b""])
def test_any_other_damaged_line_is_an_error_that_changes_nothing(stopped, run_descent, line: bytes) -> None:
    path, _ = stopped
    lines = path.read_bytes().split(b"\n")
    lines[2] = line
    path.write_bytes(b"\n".join(lines))
    before = {file: file.stat().st_mtime_ns for file in path.parent.rglob("*") if file.name != ".lock"}
    with pytest.raises(runs.RunError, match=f"{path}, line 3 is damaged"):
        run_descent("--name", "a", "--resume")
    assert {file: file.stat().st_mtime_ns for file in path.parent.rglob("*") if file.name != ".lock"} == before


def test_a_disk_that_is_full_is_an_error_and_leaves_whole_lines(tmp_path: Path) -> None:
    lines = MetricsFile(tmp_path, [])
    lines.write(1, 0.0, {"loss": 1.0})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60, hard))
    try:
        with pytest.raises(runs.RunError, match=f"cannot write {tmp_path}/metrics.jsonl"):
            lines.write(2, 0.0, {"loss": 2.0})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [row["step"] for row in runs.read_metrics(tmp_path, say=pytest.fail)] == [1]


def test_totals_are_of_all_lines_and_speed_without_the_first_which_compiled():
    rows = [
        {"step": 1, "seconds": 60.0, "decisions": 10, "games": 2},
        {"step": 2, "seconds": 61.0, "decisions": 20, "games": 3},
        {"step": 3, "seconds": 64.0, "decisions": 40, "games": 5},
    ]
    assert totals(rows, "decisions", "games") == {"decisions": 70, "games": 10, "decisions_per_s": 15.0}
    assert totals(rows[:1], "games") == {"games": 2, "games_per_s": None}
