"""scripts/run evolve, from the command line to the files it leaves."""

import functools
import json

import numpy as np
import pytest

from jaxpoker import players
from jaxpoker.learners.evolution.learner import PROTOCOLS
from jaxpoker.models import pokernet

TINY = (
    "--individuals",
    "4",
    "--survival-rate",
    "0.5",
    "--generations",
    "2",
    "--hands",
    "4",
    "--win-samples",
    "5",
    "--runoff",
    "2",
    "--final-sessions",
    "4",
)


@pytest.fixture
def evolve(run_experiment):
    return functools.partial(run_experiment, "evolve")


@pytest.mark.slow
def test_an_evolution_from_the_command_line(tmp_path, evolve, run_here, answer):
    """One tiny run for all that can be seen of it: compiling is what takes its time."""
    shown = evolve(tmp_path, *TINY, "--final-hands", "32", "--name", "tiny")
    folder = tmp_path / "evolve" / "tiny"

    # the champion has met everybody
    summary = json.loads((folder / "summary.json").read_text())
    assert list(summary["mbb_per_hand"]) == [*players.OPPONENTS, *players.STYLES]
    assert all(set(found) == {"mean", "ci95", "n"} for found in summary["mbb_per_hand"].values())
    for figure in ("session_earnings", "win_rate", "hands_until_the_end", "without_opponent_memory"):
        assert list(summary[figure]) == list(PROTOCOLS["seed"].family)
    assert summary["generations"] == 2 and summary["hands"] > 0
    assert all(name in shown for name in (*players.OPPONENTS, *players.STYLES))
    assert "stacks carried over" in shown

    # it can be loaded and plays
    genome = np.load(folder / "champion.npy")
    assert genome.shape == (pokernet.GENOME_SIZE,)
    output, _ = pokernet.apply(pokernet.params_of(genome), np.full(8, 0.5, np.float32), pokernet.empty_memory())
    assert -1 <= float(output) <= 1

    # pictures and metrics are there, and the dashboard shows the run again
    pictures = {path.name for path in (folder / "plots").iterdir()}
    assert pictures == {"fitness.png", "earnings.png", "statistics.png", "actions.png", "adaptation.png"}
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [1, 2]
    again = run_here("evolve", "--runs", tmp_path, "--show", "tiny")
    assert "tiny" in again and "check-fold" in again and "starting stacks" in again
    none = answer("evolve", "--runs", tmp_path, "--show", "huge")
    assert "no run 'huge' to show: the runs there are tiny" in none


@pytest.mark.slow
def test_a_policy_gradient_from_the_command_line(tmp_path, evolve):
    arguments = ("--strategy", "gradient", "--final-hands", "32", "--name", "climb")
    shown = evolve(tmp_path, *TINY, *arguments)
    folder = tmp_path / "evolve" / "climb"
    summary = json.loads((folder / "summary.json").read_text())
    assert list(summary["mbb_per_hand"]) == [*players.OPPONENTS, *players.STYLES]
    assert summary["command"].endswith("--name climb")
    assert summary["fitness_best"] is None and summary["generations"] == 2
    assert np.load(folder / "champion.npy").shape == (pokernet.GENOME_SIZE,)
    assert "random switcher" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--individuals", "3"], "--individuals 3: at least 4"),
        (["--survival-rate", "0.01"], "two parents must survive"),
        (["--survival-rate", "nan"], "--survival-rate nan: 0 to 1"),
        (["--final-hands", "10"], "--final-hands 10: at least"),
        (["--final-sessions", "3"], "--final-sessions 3: at least 4"),
        (["--individuals", "5", "--survival-rate", "0.5", "--strategy", "open-es"], "take an even number"),
    ],
)
def test_bad_input_is_answered_and_leaves_nothing(tmp_path, arguments, message, answer):
    assert message in answer("evolve", "--runs", tmp_path, *arguments)
    assert not list(tmp_path.iterdir())
