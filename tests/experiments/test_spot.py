"""scripts/run spot, from the command line to the files it leaves."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from jaxpoker.solvers import subgame

pytestmark = pytest.mark.thorough

RIVER = ("--board", "Ks7h3d9h2c", "--pot", "100", "--stack", "100", "--menu", "100%")
HANDS = ("--oop", "KhKd, 5c4c, 5d4d", "--ip", "AdKc, AcQd:0.5")


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text())


@pytest.fixture
def one_spot(tmp_path):
    sizes = {player: {"bet": "100%", "raise": ""} for player in ("oop", "ip")}
    spot = {"board": ["Ks", "7h", "3d", "9h", "2c"], "pot": 100, "stack": 100, "menu": {"river": sizes}}
    (tmp_path / "one_spot.json").write_text(json.dumps({**spot, "oop": "KhKd, 5c4c, 5d4d", "ip": "AdKc"}))
    return tmp_path / "one_spot.json"


def test_a_spot_from_a_file_is_solved_to_its_target_and_goes_on(tmp_path, one_spot, run_here):
    shown = run_here("spot", "--runs", tmp_path, "--config", one_spot, "--target", "0.5", "--name", "k")
    folder = tmp_path / "spot" / "k"
    summary = summary_of(folder)
    assert list(summary)[:6] == ["ev", "exploitability_percent", "root", "iterations", "processor_seconds", "memory_gb"]
    assert summary["ev"]["oop"] + summary["ev"]["ip"] == pytest.approx(100, abs=1e-3)
    assert summary["exploitability_percent"] <= 0.5 and 0 < summary["memory_gb"] < 30
    assert list(summary["root"]) == ["check", "all-in 100"]
    assert summary["root"]["all-in 100"] == pytest.approx(0.5, abs=0.03)  # the nuts, and half as many bluffs
    assert "OOP on Ks7h3d9h2c, pot 100" in shown and "EV with the pot: OOP 50." in shown
    for name in ("root", "ranges", "exploitability"):
        assert (folder / "plots" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert subgame.load(folder / "solved.spot").iterations == summary["iterations"]

    shown = run_here("spot", "--runs", tmp_path, "--resume", "--name", "k", "--target", "0.05")
    assert "iteration 10:" not in shown, "it goes on and does not begin again"
    later = summary_of(folder)
    assert later["iterations"] > summary["iterations"] and later["exploitability_percent"] <= 0.05
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == sorted({row["step"] for row in rows}) and rows[-1]["step"] == later[
        "iterations"
    ]

    run_here("spot", "--runs", tmp_path, "--resume", "--name", "k")
    assert summary_of(folder)["iterations"] == later["iterations"], "it was there already"


def test_a_spot_by_flags_for_so_many_iterations(tmp_path, run_here):
    run_here("spot", "--runs", tmp_path, *RIVER, *HANDS, "--iterations", "15", "--name", "flags")
    assert summary_of(tmp_path / "spot" / "flags")["iterations"] == 15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*RIVER, *HANDS, "--board", "Ks7h3d9hKs"), "appears twice"),
        ((*RIVER, *HANDS, "--board", "Ks7h"), "a flop has 3, a turn 4 and a river 5"),
        ((*RIVER, "--oop", "AA:0", "--ip", "KK"), "the range of oop is empty"),
        ((*RIVER, "--oop", "KsQs", "--ip", "KK"), "blocks every hand in the range of oop"),
        ((*RIVER, *HANDS, "--menu", ""), "has no sizes"),
        ((*RIVER, *HANDS, "--menu", '{"turn": {}}'), "there is no legal bet"),
        ((*RIVER, *HANDS, "--menu", "{turn"), "--menu is not JSON"),
        ((*RIVER, *HANDS, "--stack", "0"), "stack of oop is 0.0 chips: it must be above 0"),
        ((*RIVER, *HANDS, "--pot", "nan"), "pot=nan: a number"),
        ((*RIVER, *HANDS, "--target", "nan"), "--target nan: a number above 0"),
        ((*RIVER, *HANDS, "--memory-limit", "0.0001"), "GB of memory"),
        (("--board", "Ks7h3d9h"), "--pot is missing"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_no_run(tmp_path, answer, arguments, message):
    shown = answer("spot", "--runs", tmp_path, *arguments)
    assert message in shown and shown.startswith("error: ") and len(shown.splitlines()) == 1
    assert not (tmp_path / "spot").exists()


def test_a_file_that_is_no_spot_is_named(tmp_path, answer):
    (tmp_path / "text.json").write_text("not a spot {")
    assert "text.json" in answer("spot", "--config", tmp_path / "text.json")
    (tmp_path / "extra.json").write_text('{"board": ["Ks"], "colour": 1}')
    assert "unknown field 'colour'" in answer("spot", "--config", tmp_path / "extra.json")


def test_other_settings_of_a_run_stay(tmp_path, run_here, answer):
    run_here("spot", "--runs", tmp_path, *RIVER, *HANDS, "--iterations", "5", "--name", "same")
    assert "has pot 100.0, not 50.0" in answer("spot", "--runs", tmp_path, "--resume", "--name", "same", "--pot", "50")


def test_ctrl_c_keeps_what_there_is(tmp_path, repository):
    script = str(repository / "experiments" / "spot.py")
    command = [sys.executable, script, "--runs", str(tmp_path), *RIVER, *HANDS, "--seconds", "300", "--name", "long"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        metrics, began = tmp_path / "spot" / "long" / "metrics.jsonl", time.monotonic()
        while not (metrics.is_file() and metrics.stat().st_size) and time.monotonic() - began < 120:
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGINT)
        shown, _ = process.communicate(timeout=120)
    assert process.returncode == 130, shown
    assert "go on with: scripts/run spot --resume --name long" in shown
    assert (
        summary_of(tmp_path / "spot" / "long")["iterations"] == subgame.load(metrics.parent / "solved.spot").iterations
    )
