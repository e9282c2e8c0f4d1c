"""scripts/report.py: a report holds what was run, the figures and the pictures."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPORT = Path(__file__).resolve().parent.parent / "scripts" / "report.py"


def report(*arguments, code=0):
    done = subprocess.run([sys.executable, str(REPORT), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def run(tmp_path):
    """The folder of a run that has ended."""
    folder = tmp_path / "runs" / "evolve" / "a"
    (folder / "plots").mkdir(parents=True)
    (folder / "plots" / "fitness.png").write_bytes(b"a picture")
    summary = {
        "hands_per_s": 81234.5,
        "fitness_best": 0.61239,
        "mbb_per_hand": {
            "call": {"mean": 33218.04, "ci95": 790.4, "n": 40},
            "smart": {"mean": -1.5, "ci95": 0.25, "n": 9},
        },
        "win_rate": {"call": {"mean": 0.9, "ci95": 0.05, "n": 40}, "smart": {"mean": 0.4, "ci95": 0.1, "n": 9}},
        "config": {"hands": 500, "seed": 3},
        "preset": "full",
        "command": "scripts/run evolve --preset full",
        "seconds": 90.0,
        "commit": "abc",
        "device": "cpu",
        "jax": "0.10.2",
    }
    (folder / "summary.json").write_text(json.dumps(summary))
    return folder


def test_a_report_says_what_was_run_and_what_came_out(run, tmp_path):
    out, notes = tmp_path / "reports" / "evolve", tmp_path / "notes.md"
    notes.write_text("## What did not work\n\nThe rest.\n")
    report(run, "--out", out, "--notes", notes, "--title", "Evolution")
    text = (out / "README.md").read_text()
    assert text.startswith("# Evolution\n")
    for fact in (
        "`scripts/run evolve --preset full`",
        "| seed | 3 |",
        "`abc`",
        "jax 0.10.2",
        "1.5 minutes",
        "hands 500",
    ):
        assert fact in text
    assert "| call | 33,218 ± 790.4 | 0.9 ± 0.05 |" in text  # figures of the same opponents stand side by side
    assert "| hands per s | 81,234 |" in text and "| fitness best | 0.6124 |" in text
    assert text.index("## Figures") < text.index("## What did not work") < text.index("![fitness](fitness.png)")
    assert (out / "fitness.png").read_bytes() == b"a picture"
    assert json.loads((out / "summary.json").read_text())["commit"] == "abc"


def test_a_run_that_has_not_ended_has_no_report(run, tmp_path):
    (run / "summary.json").unlink()
    assert "no summary.json" in report(run, "--out", tmp_path / "out", code=2)
    assert not (tmp_path / "out").exists()
