"""scripts/run respond, from the command line to the files it leaves."""

import functools
import json
import shutil

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players

SMALL = (
    "--tables",
    "32",
    "--validate-every",
    "2",
    "--checkpoint-seconds",
    "0",
    "--falls-over",
    "10",
    "--minutes",
    "60",
)


@pytest.fixture
def respond(run_experiment):
    return functools.partial(run_experiment, "respond")


def lines(folder):
    """Metrics without the times that they took."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{name: row[name] for name in row if name not in ("seconds", "processor_seconds")} for row in rows]


@pytest.mark.thorough
@pytest.mark.parametrize("learner", ["ppo", "dqn"])
def test_kuhn_from_the_command_line_and_taken_up_again(tmp_path, respond, learner):
    shown = respond(tmp_path, "--preset", "kuhn", *SMALL, "--updates", "4", "--learner", learner, "--name", "whole")
    folder = tmp_path / "respond" / "whole"
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["part"] == pytest.approx(summary["value"] / summary["best_response_value"])
    assert summary["bound"] == "lower" and summary["updates"] == 4 and summary["processor_minutes"] > 0
    assert f"{summary['part']:.1%} of it." in shown
    assert {path.name for path in (folder / "plots").iterdir()} == {"learning.png", "updates.png"}
    saved = players.entrant(str(folder), jaxpoker.make("kuhn"))
    assert players.check(*saved, jaxpoker.make("kuhn"), jax.random.key(0), 16) > 16

    # a run that was killed after two updates ends with the same lines and the same network
    half = tmp_path / "respond" / "half"
    shutil.copytree(folder, half)
    for later in ("3", "4"):
        (half / "checkpoints" / f"{later}.json").unlink()
    assert "goes on from step 2" in respond(tmp_path, "--resume", "--name", "half")
    assert lines(half) == lines(folder)
    for name, array in np.load(folder / "network.npz").items():
        np.testing.assert_array_equal(array, np.load(half / "network.npz")[name])


@pytest.mark.slow
def test_hold_em_from_the_command_line(tmp_path, respond):
    hands = ("--validation-hands", "64", "--final-hands", "128")
    shown = respond(tmp_path, "--to", "tag", *SMALL, *hands, "--updates", "2", "--menu", "75%, a", "--name", "tiny")
    folder = tmp_path / "respond" / "tiny"
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["mbb_per_hand"]["tag"]["ci95"] > 0 and summary["target"] == "tag"
    assert "mBB/hand of tag: a lower bound of what can be won of it" in shown
    rows = lines(folder)
    assert all({"mbb", "mbb_ci95", "best"} <= row.keys() for row in rows)
    game = jaxpoker.make("holdem", stack=20)
    player, params = players.entrant(str(folder), game)
    assert players.check(player, params, game, jax.random.key(1), 8) >= 8
    assert player.menu == jaxpoker.make("holdem", menu="75%, a").bet_menu


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "shark"), "unknown player 'shark': players are random, call, check-fold"),
        (("--to", "equilibrium"), "player 'equilibrium' plays leduc, kuhn, not holdem"),
        (("--preset", "leduc", "--to", "tag"), "--to 'tag': leduc has random, equilibrium, call, noisy, scattered"),
        (("--stack", "1"), "--stack 1: at least 2 big blinds"),
        (("--minutes", "0"), "--minutes 0.0: more than 0"),
    ],
)
def test_settings_that_make_no_sense_are_clear_errors(arguments, message, answer):
    assert message in answer("respond", *arguments)
