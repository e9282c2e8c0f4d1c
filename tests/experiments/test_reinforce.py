"""scripts/run reinforce, from the command line to the files it leaves."""

import functools
import json
import shutil

import pytest

from jaxpoker.players import saved_networks

KUHN = ("--preset", "kuhn", "--updates", "4", "--tables", "16", "--evaluate-every", "2", "--checkpoint-seconds", "0")
CHICAGO = (
    *("--updates", "2", "--tables", "8", "--turns", "8", "--target", "5", "--sizes", "2", "--pool-share", "0.5"),
    *("--evaluation-deals", "2", "--final-deals", "2", "--evaluate-every", "2"),  # matches of one size compile once
)


@pytest.fixture
def reinforce(run_experiment):
    return functools.partial(run_experiment, "reinforce")


@pytest.mark.thorough
def test_kuhn_from_the_command_line_and_taken_up_again(tmp_path, reinforce, lines_of):
    shown = reinforce(tmp_path, *KUHN, "--name", "whole")
    folder = tmp_path / "reinforce" / "whole"
    summary = json.loads((folder / "summary.json").read_text())
    assert 0 < summary["exploitability"] < 1 and summary["updates"] == 4
    assert f"exploitability {summary['exploitability']:.4f}" in shown
    assert {path.name for path in (folder / "plots").iterdir()} == {"learning.png", "updates.png"}
    assert saved_networks.load(folder).game == "kuhn"

    # a run that was killed after two updates ends with the same lines and the same network
    half = tmp_path / "reinforce" / "half"
    shutil.copytree(folder, half)
    for later in ("3", "4"):
        (half / "checkpoints" / f"{later}.json").unlink()
    assert "goes on from step 2" in reinforce(tmp_path, "--resume", "--name", "half")
    assert lines_of(half) == lines_of(folder)
    assert (half / "network.npz").read_bytes() == (folder / "network.npz").read_bytes()


@pytest.mark.slow
def test_chicago_from_the_command_line(tmp_path, reinforce):
    shown = reinforce(tmp_path, *CHICAGO, "--name", "tiny")
    folder = tmp_path / "reinforce" / "tiny"
    summary = json.loads((folder / "summary.json").read_text())
    assert list(summary["win_rate"]) == ["random, 2 players", "regular, 2 players", "earlier self, 2 players"]
    assert all(set(found) == {"mean", "ci95", "n"} for found in summary["win_rate"].values())
    assert len(summary["win_rate_by_seat"]) == 3 * 2
    for figure in ("rounds", "points_announced", "points_hand", "points_last_trick", "discards_in_draw_0"):
        assert list(summary[figure]) == ["2 players"]
    assert "earlier self" in shown
    pictures = {path.name for path in (folder / "plots").iterdir()}
    assert pictures == {"learning.png", "updates.png", "win_rates.png", "style.png", "discards.png", "calibration.png"}
    assert saved_networks.load(folder).game == "chicago"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--pool-share", "2"), "--pool-share 2.0: 0 to 1"),
        (("--minibatches", "7"), "16384 decisions of an update in 7 minibatches"),
        (("--sizes", "2", "9"), "num_players = 9: Chicago is for 2 to 6 players"),
    ],
)
def test_settings_that_make_no_sense_are_clear_errors(arguments, message, answer):
    assert message in answer("reinforce", *arguments)
