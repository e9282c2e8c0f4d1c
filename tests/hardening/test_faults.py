"""What machines do to runs: kills, full disks, folders that nobody may write to, two processes, a clock set back.

Nothing is lost: the run goes on and ends with the bits of one that nothing happened to. What its user can put right is
one sentence.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hardening.conftest import LONG

KILLS = 60 if LONG else 2
ITERATIONS = 120 if LONG else 30
pytestmark = pytest.mark.thorough  # processes that start JAX
ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "tests" / "runs" / "descent.py"


def started(folder: Path, *flags: str, limit: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """tests/runs/descent.py in a process of its own."""
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), "--checkpoint-seconds", "0", *flags],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate()
    return process.returncode, said


def bits_of(folder: Path, name: str) -> str:
    found: str = json.loads((folder / "runs" / "descent" / name / "summary.json").read_text())["bits"]
    return found


def lines_of(folder: Path, name: str) -> int:
    path = folder / "runs" / "descent" / name / "metrics.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> str:
    """The bits of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole")
    code, said = ended(started(folder, "--name", "a", "--iterations", str(ITERATIONS)))
    assert code == 0, said
    return bits_of(folder, "a")


def goes_on(folder: Path, whole: str, *flags: str) -> None:
    """Resumed, the run ends as it would have."""
    code, said = ended(started(folder, "--resume", *flags))
    assert code == 0, said
    assert bits_of(folder, "a") == whole


def test_a_run_that_is_killed_again_and_again_ends_as_if_it_had_not_been(tmp_path, whole):
    chance = random.Random(1)
    flags = ("--name", "a", "--iterations", str(ITERATIONS), "--pause", "0.02")
    for _ in range(KILLS):
        process = started(tmp_path, *flags)
        before = lines_of(tmp_path, "a")
        while process.poll() is None and lines_of(tmp_path, "a") <= before:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.15))
        process.kill()
        process.communicate()
        flags = ("--resume",)
        if lines_of(tmp_path, "a") >= ITERATIONS:
            break
    goes_on(tmp_path, whole)


@pytest.mark.parametrize("most", [300, 1_500, 4_000] if LONG else [1_500])
def test_a_disk_that_is_full_is_said_and_nothing_is_lost(tmp_path, whole, most):
    """No file may have more than ``most`` bytes: the metrics grow over it, or the checkpoints do."""
    first = started(tmp_path, "--name", "a", "--iterations", str(ITERATIONS), "--pause", "0.02")
    while lines_of(tmp_path, "a") < 3:
        assert first.poll() is None
        time.sleep(0.01)
    first.terminate()
    first.communicate()

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    code, said = ended(started(tmp_path, "--resume", limit=limit))
    assert code == 2 and "Traceback" not in said, said
    assert "error: cannot " in said and "saved before is still there" in said
    goes_on(tmp_path, whole)


def test_a_picture_that_the_disk_does_not_hold_is_said(tmp_path):
    pytest.importorskip("matplotlib")
    code = (
        "import resource; from jaxpoker import plots; from jaxpoker.errors import RunError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
        "try: plots.curves('a.png', {'a': ([1, 2], [3, 4])}, 'x', 'y')\n"
        "except RunError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert "cannot write a.png" in done.stdout, done.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_that_nobody_may_write_to_is_said(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    if os.access(closed, os.W_OK):  # for root: where even root may not
        closed = Path("/sys/kernel")
    if os.access(closed, os.W_OK) and not str(closed).startswith("/sys"):
        pytest.skip("there is no folder that may not be written to")
    code, said = ended(started(tmp_path, "--name", "a", "--runs", str(closed / "runs")))
    assert code == 2 and "error: cannot write" in said and "Traceback" not in said


def test_a_name_of_three_hundred_letters_is_said(tmp_path):
    for flags in (("--name", "a" * 300), ("--resume", "--name", "a" * 300), ("--name", "a", "--runs", "b" * 300)):
        code, said = ended(started(tmp_path, *flags))
        assert code == 2 and said.startswith("error: ") and "Traceback" not in said, said


def test_of_two_processes_the_second_is_told_who_has_the_run(tmp_path, whole):
    first = started(tmp_path, "--name", "a", "--iterations", str(ITERATIONS), "--pause", "0.1")
    while lines_of(tmp_path, "a") < 2:
        assert first.poll() is None
        time.sleep(0.01)
    code, said = ended(started(tmp_path, "--resume", "--name", "a"))
    assert code == 2 and f"is in use by process {first.pid}" in said and "Traceback" not in said
    first.kill()
    first.communicate()
    goes_on(tmp_path, whole)


def test_a_clock_that_was_set_back_changes_nothing(tmp_path, whole):
    """All files are from the future when the run goes on."""
    first = started(tmp_path, "--name", "a", "--iterations", str(ITERATIONS), "--pause", "0.02")
    while lines_of(tmp_path, "a") < 5:
        assert first.poll() is None
        time.sleep(0.01)
    first.terminate()
    first.communicate()
    later = time.time() + 10 * 365 * 86_400
    for path in [tmp_path / "runs", *(tmp_path / "runs").rglob("*")]:
        os.utime(path, (later, later))
    goes_on(tmp_path, whole)
    rows = [json.loads(line) for line in (tmp_path / "runs/descent/a/metrics.jsonl").read_text().splitlines()]
    seconds = [row["seconds"] for row in rows]
    assert seconds == sorted(seconds) and seconds[-1] < 3_600
