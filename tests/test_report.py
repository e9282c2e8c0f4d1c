"""scripts/report.py: a report holds what was run, the figures and the pictures; those that are kept are of one form."""

import json
import runpy
import sys

import pytest


@pytest.fixture
def report(repository, monkeypatch, capsys):
    """``report(*arguments, code=0)``: what the script prints before it exits with that code."""
    script = str(repository / "scripts" / "report.py")

    def write(*arguments, code=0):
        monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            runpy.run_path(script, run_name="__main__")
        assert done.value.code == code
        return "".join(capsys.readouterr())

    return write


@pytest.fixture
def run(tmp_path):
    """The folder of a run that has ended."""
    folder = tmp_path / "runs" / "evolve" / "a"
    (folder / "plots").mkdir(parents=True)
    (folder / "plots" / "fitness.png").write_bytes(b"a picture")
    summary = {
        "hands_per_s": 81234.5,
        "fitness_best": 0.61239,
        "fitness_mean": None,
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


def test_a_report_says_what_was_run_and_what_came_out(report, run, tmp_path):
    out, notes = tmp_path / "reports" / "evolve", tmp_path / "notes.md"
    notes.write_text("## What did not work\n\nThe rest.\n")
    for _ in range(2):  # a report that is there is replaced
        assert str(out) in report(run, "--out", out, "--notes", notes, "--title", "Evolution")
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
    assert "| hands per s | 81,234 |" in text and "| fitness best | 0.6124 |" in text and "| fitness mean | – |" in text
    assert text.index("## Figures") < text.index("## What did not work") < text.index("![fitness](fitness.png)")
    assert (out / "fitness.png").read_bytes() == b"a picture"
    assert json.loads((out / "summary.json").read_text())["commit"] == "abc"


def test_a_run_that_has_not_ended_has_no_report(report, run, tmp_path):
    (run / "summary.json").unlink()
    assert "no summary.json" in report(run, "--out", tmp_path / "out", code=2)
    assert not (tmp_path / "out").exists()


def test_only_a_report_is_replaced_by_a_report(report, run):
    """The run itself has a summary, too, and the folder above it has other runs."""
    for out in (run, run.parent):
        assert "holds what is no report" in report(run, "--out", out, code=2)
    assert (run / "plots" / "fitness.png").is_file()


def test_reports_that_are_kept_are_of_one_form(repository):
    folders = [path.parent for path in (repository / "experiments" / "reports").glob("*/README.md")]
    assert folders
    for folder in folders:
        text = (folder / "README.md").read_text()
        parts = ["# ", *(f"| {row} | " for row in ("command", "seed", "commit", "hardware", "time", "settings"))]
        parts += ["## Figures", "## What it shows", "## What did not work", "## Pictures"]
        places = [text.find(part) for part in parts]
        assert places == sorted(places) and places[0] == 0, folder
        assert {path.name for path in folder.iterdir()} == {
            *("README.md", "summary.json"),
            *(line.partition("](")[2].rstrip(")") for line in text.splitlines() if line.startswith("![")),
        }
