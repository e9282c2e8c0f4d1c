"""scripts/run solve, from the command line to the files it leaves."""

import csv
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jaxpoker import ranges
from jaxpoker.solvers import blueprint
from jaxpoker.solvers.blueprint import tables_file
from jaxpoker.solvers.response import strength

SOLVE = Path(__file__).resolve().parent.parent.parent / "experiments" / "solve.py"


def command(runs, *arguments):
    return [sys.executable, str(SOLVE), "--runs", str(runs), *arguments]


@pytest.fixture(scope="session")
def solve(run_experiment):
    return functools.partial(run_experiment, "solve")


def strategy_of(folder):
    with open(folder / "strategy.csv", newline="") as file:
        return {row.pop("information set"): row for row in csv.DictReader(file)}


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text())


@pytest.mark.thorough
def test_kuhn_from_the_command_line(tmp_path, solve):
    shown = solve(tmp_path, "--game", "kuhn", "--algorithm", "pcfr+", "--iterations", "2000", "--name", "k")
    folder = tmp_path / "solve" / "k"
    summary = summary_of(folder)
    assert summary["value"] == pytest.approx(-1 / 18, abs=1e-6)
    assert summary["exploitability"] < 1e-5
    assert summary["iterations"] == 2000 and summary["algorithm"] == "pcfr+"
    assert summary["seconds"] > 0 and summary["config"]["game"] == "kuhn"
    assert "Value for seat 0 -0.05555" in shown and "pass bet" in shown
    strategy = strategy_of(folder)
    assert len(strategy) == 12
    assert float(strategy["K | pass bet"]["bet"]) == pytest.approx(1, abs=1e-3)
    assert (folder / "plots" / "exploitability.png").read_bytes().startswith(b"\x89PNG")
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert lines[0]["step"] == 1 and lines[-1]["step"] == 2000
    assert lines[0]["exploitability"] == pytest.approx(0.458333, abs=1e-5)


@pytest.mark.thorough
def test_push_fold_is_solved_without_asking_for_more(tmp_path, run_here):
    """The published equilibrium at ten big blinds, with the settings one gets without asking."""
    shown = run_here("solve", "--runs", tmp_path, "--game", "pushfold", "--name", "p")
    folder = tmp_path / "solve" / "p"
    summary = summary_of(folder)
    assert summary["value"] == pytest.approx(-0.045370753, abs=1e-5)
    assert summary["jam_percent"] == pytest.approx(58.284, abs=0.05)
    assert summary["call_percent"] == pytest.approx(37.376, abs=0.05)
    assert "43s:0.71" in shown and "Q6s:0.40" in shown
    strategy = strategy_of(folder)
    assert len(strategy) == 2 * ranges.NUM_CLASSES
    assert float(strategy["43s |"]["all-in"]) == pytest.approx(0.711, abs=0.01)
    assert float(strategy["Q6s | all-in to 20"]["all-in"]) == pytest.approx(0.403, abs=0.01)
    assert strategy["43s |"]["check/call"] == ""
    assert (folder / "plots" / "ranges.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "chess"], "invalid choice 'chess'"),
        (["--iterations", "0"], "--iterations 0: at least 1"),
        (["--big-blind", "0"], "--big-blind 0.0: above 0"),
        (["--game", "pushfold", "--stack", "0.25"], "nobody has a decision"),
        (["--game", "pushfold", "--small-blind", "0.333333333333"], "too many digits"),
        (["--game", "kuhn", "--sampling", "public"], "kuhn is solved exactly"),
        (["--merged", "--sampling", "external"], "--merged: only hold'em by public sampling"),
        (["--game", "leduc", "--compare", "nosuch"], "no run 'nosuch' to compare with: there is none in"),
        (["--game", "leduc", "--delay", "-1"], "--delay -1: from 0 to below --iterations"),
        (["--game", "holdem", "--lbr-deals", "1"], "--lbr-deals 1: at least two, or 0 for none"),
        (["--start", "shipped", "--stack", "20"], "leave out flags that say something else, or say --start nothing"),
        (["--start", "nosuch.zip"], "cannot read blueprint nosuch.zip"),
        (["--game", "holdem", "--menu", "33 pieces"], "unknown bet size '33 pieces'"),
        (["--game", "holdem", "--buckets", "5", "5", "5", "5"], "rank_based has 6/9/9/9"),
        (["--checkpoint-every", "0"], "--checkpoint-every 0: at least 1"),
        (["--export", "tables.zip"], "--export tables.zip: name a file that ends in .h5 or .hdf5"),
        (["--stack", "4", "--menu", "a", "--continue-from", "nothing.h5"], "cannot read nothing.h5: No such file"),
        (["--game", "leduc", "--export", "a.h5"], "--export a.h5: only hold'em has tables in a file"),
    ],
)
def test_bad_input_is_answered_and_leaves_nothing(tmp_path, arguments, message, answer):
    assert message in answer("solve", "--runs", tmp_path, *arguments)
    assert not list(tmp_path.iterdir())


LEDUC = ("--game", "leduc", "--algorithm", "dcfr")
LONG = (*LEDUC, "--iterations", "3000")


@pytest.fixture(scope="module")
def whole(tmp_path_factory, solve):
    """The folder of a run that nobody stopped."""
    runs = tmp_path_factory.mktemp("runs")
    solve(runs, *LONG, "--name", "whole")
    return runs / "solve" / "whole"


@pytest.mark.thorough
def test_a_run_made_longer_is_the_long_run(tmp_path, whole, run_here, answer):
    run_here("solve", "--runs", tmp_path, *LEDUC, "--iterations", "700", "--name", "short")
    resume = ("--runs", tmp_path, "--resume", "--name", "short")
    assert "may be raised" in answer("solve", *resume, "--iterations", "200")
    assert "has game 'leduc', not 'kuhn'" in answer("solve", *resume, "--game", "kuhn")
    run_here("solve", *resume, "--iterations", "3000")
    short = tmp_path / "solve" / "short"
    assert summary_of(short)["iterations"] == 3000
    assert (short / "strategy.csv").read_bytes() == (whole / "strategy.csv").read_bytes()
    assert summary_of(short)["value"] == summary_of(whole)["value"]


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(tmp_path, whole, number, run_here, lines_of):
    often = command(tmp_path, *LONG, "--name", "cut", "--checkpoint-seconds", "0")
    process = subprocess.Popen(often, stdout=subprocess.PIPE, text=True)
    metrics = tmp_path / "solve" / "cut" / "metrics.jsonl"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (metrics.exists() and metrics.read_text().count("\n") > 20):
        time.sleep(0.02)
    os.kill(process.pid, number)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == (143 if number == signal.SIGTERM else -signal.SIGKILL)
    assert not (tmp_path / "solve" / "cut" / "summary.json").exists()
    if number == signal.SIGTERM:
        assert "go on with: scripts/run solve --resume --name cut" in out
    assert "goes on from step" in run_here("solve", "--runs", tmp_path, "--resume", "--name", "cut")
    cut = tmp_path / "solve" / "cut"
    assert (cut / "strategy.csv").read_bytes() == (whole / "strategy.csv").read_bytes()
    assert lines_of(cut) == lines_of(whole)


@pytest.mark.thorough
def test_cards_that_play_alike_are_solved_alike(whole):
    """Hearts stand for both suits in the table that is shown: they had better."""
    strategy = strategy_of(whole)
    assert len(strategy) == 936
    for known, row in strategy.items():
        if known.count("|") == 1:
            twin = strategy[known[0] + "s" + known[2:]]
            for action, probability in row.items():
                assert probability == twin[action] or float(probability) == pytest.approx(float(twin[action]), abs=1e-5)


# --- hold'em ----------------------------------------------------------------------------------

SMALL = ("--game", "holdem", "--stack", "4", "--menu", "a, 75%; raises: 1", "--boards", "64")
SMALL += ("--evaluations", "2", "--final-hands", "64", "--lbr-deals", "8", "--opponents", "all", "--details")


@pytest.fixture(scope="module")
def small(tmp_path_factory, solve):
    """The runs' folder with a small hold'em in it, solved in eight iterations, and what was printed."""
    runs = tmp_path_factory.mktemp("holdem")
    often = ("--iterations", "8", "--name", "small", "--checkpoint-seconds", "0", "--checkpoint-every", "4")
    often += ("--export", str(runs / "small.h5"))
    return runs, solve(runs, *SMALL, *often)


@pytest.mark.slow
def test_holdem_from_the_command_line(small):
    runs, shown = small
    folder = runs / "solve" / "small"
    summary = summary_of(folder)
    assert summary["iterations"] == 8 and summary["config"]["sampling"] == "public"
    assert set(summary["exploitability"]) == {"mean", "ci95", "n"} and summary["exploitability"]["mean"] > 0
    assert summary["exploitability_fitted"] > 0 and set(summary["value"]) == {"mean", "ci95", "n"}
    assert summary["config"]["stack"] == 4.0 and summary["boards_per_s"] > 0
    for name in (*strength.OPPONENTS, "itself, half way"):
        assert set(summary["mbb_per_hand"][name]) == {"mean", "ci95", "n"}
    assert {"aces never fold before the flop", "stronger hands open no less"} <= set(summary["litmus"])
    assert set(summary["litmus_found"]) == set(summary["litmus"])
    assert "The button, 4 big blinds deep: first to act" in shown and "poker facts hold" in shown
    assert not any(word in shown for word in ("types", "node_updates", "exploitability_fitted"))
    assert "hothead maniac" in shown and "aces never fold before the flop" in shown
    assert set(summary["local_best_response"]) == {"mean", "ci95", "n"} and summary["local_best_response"]["n"] == 8
    assert "A local best response with real cards wins " in shown
    for picture in ("preflop", "exploitability", "buckets"):
        assert (folder / "plots" / f"{picture}.png").read_bytes().startswith(b"\x89PNG")
    solved = blueprint.load(folder / "blueprint.zip")
    assert (solved.game.stack, solved.game.small_blind, solved.game.big_blind) == (40, 5, 10)
    assert sum(solved.mix(0, "AhAd").values()) == pytest.approx(1, abs=1e-6)
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert len(rows) == 8 and [row["step"] for row in rows if "exploitability" in row] == [4, 8]
    assert sorted(int(path.stem) for path in folder.glob("checkpoints/*.json")) == [4, 6, 7, 8]
    assert f"Tables after 8 iterations: {runs / 'small.h5'}" in shown
    exported = tables_file.load(runs / "small.h5").blueprint()
    assert exported.mix(0, "AhAd") == pytest.approx(solved.mix(0, "AhAd"), abs=1.5 / 255)


@pytest.mark.slow
def test_a_file_of_tables_is_the_start_of_another_run(small, answer, tmp_path):
    runs, _ = small
    on = (*SMALL, "--continue-from", runs / "small.h5")
    assert "has 8 iterations already" in answer("solve", "--runs", tmp_path, *on, "--iterations", "8")
    process = subprocess.Popen(
        command(tmp_path, *map(str, on), "--iterations", "10", "--name", "on"), stdout=subprocess.PIPE, text=True
    )
    folder = tmp_path / "solve" / "on"
    while process.poll() is None and not (folder / "blueprint.zip").exists():
        time.sleep(0.02)
    process.kill()  # matches and pictures come after the blueprint
    process.communicate()
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [9, 10]
    assert (folder / "blueprint.zip").exists()


@pytest.mark.slow
def test_a_holdem_run_that_was_killed_ends_as_if_it_had_not_been(small, answer, lines_of):
    runs, _ = small
    whole, cut = runs / "solve" / "small", runs / "solve" / "cut"
    shutil.copytree(whole, cut)
    for later in ("checkpoints/7.json", "checkpoints/8.json", "blueprint.zip"):
        (cut / later).unlink()
    assert "has menu" in answer("solve", "--runs", runs, "--resume", "--name", "cut", "--menu", "pot, a")
    resumed = command(runs, "--resume", "--name", "cut")
    process = subprocess.Popen(resumed, stdout=subprocess.PIPE, text=True)
    while process.poll() is None and not (cut / "blueprint.zip").exists():
        time.sleep(0.02)
    process.kill()  # matches and pictures come after the blueprint
    assert "goes on from step 6" in process.communicate()[0]
    assert lines_of(cut) == lines_of(whole)
    assert (cut / "blueprint.zip").read_bytes() == (whole / "blueprint.zip").read_bytes()


def test_a_training_file_that_asks_for_too_much_is_refused(tmp_path, answer):
    (tmp_path / "mine.yaml").write_text("game:\n  starting_stack: 200\n  num_players: 6\n")
    assert "mine.yaml: game: 'num_players' has no place" in answer("solve", "--config", tmp_path / "mine.yaml")


@pytest.mark.thorough
@pytest.mark.parametrize("sampling", ["public", "external", "outcome"])
def test_leduc_by_sampling(tmp_path, sampling, run_here):
    sampled = ("--game", "leduc", "--sampling", sampling, "--iterations", "300", "--name", "l")
    run_here("solve", "--runs", tmp_path, *sampled)
    summary = summary_of(tmp_path / "solve" / "l")
    assert summary["exploitability"] < 0.5  # uniform play: 2.37
    assert summary["iterations_per_s"] > 0
    assert (tmp_path / "solve" / "l" / "plots" / "exploitability_seconds.png").is_file()


@pytest.mark.slow
def test_push_fold_for_three_with_prizes(tmp_path, solve):
    few = ("--three-way-boards", "128", "--deals", "2000", "--iterations", "60")
    shown = solve(
        tmp_path, "--game", "pushfold", "--stacks", "10", "10", "10", "--payouts", "50", "30", *few, "--name", "p"
    )
    folder = tmp_path / "solve" / "p"
    summary = summary_of(folder)
    assert max(summary["gains"]) < 0.01 and len(summary["gains_sampled_anew"]) == 3
    assert summary["percents"]["BTN after folds"] < summary["percents"]["SB after folds"]
    assert "big blinds of prize money" in shown and "sampling error" in shown and "BTN 10, SB 10, BB 10" in shown
    for picture in ("jams", "calls", "exploitability"):
        assert (folder / "plots" / f"{picture}.png").read_bytes().startswith(b"\x89PNG")
    rows = (folder / "strategy.csv").read_text().splitlines()
    assert rows[0] == "hand,seat and history,in" and rows[1].startswith("AA,BTN after folds,")
    assert float(rows[1].split(",")[2]) > 0.999
    assert len(rows) == 1 + 6 * 169  # all histories but the one in which nobody came in


@pytest.mark.slow
def test_kuhn_of_three_says_nash_conv(tmp_path, solve):
    shown = solve(tmp_path, "--game", "kuhn", "--players", "3", "--iterations", "2000", "--name", "k3")
    summary = summary_of(tmp_path / "solve" / "k3")
    assert summary["nash_conv"] < 1e-3 and "exploitability" not in summary
    assert "NashConv" in shown and "Values by seat" in shown
