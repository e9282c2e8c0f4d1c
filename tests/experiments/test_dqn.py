"""scripts/run dqn, from the command line to the files it leaves."""

import functools
import json
import shutil

import numpy as np
import pytest

from jaxpoker.players import saved_networks

SMALL = ("--tables", "64", "--evaluate-every", "2", "--checkpoint-seconds", "0", "--capacity", "2000")
HANDS = ("--evaluation-hands", "100", "--final-hands", "200", "--cross-hands", "50")


@pytest.fixture
def dqn(run_experiment):
    return functools.partial(run_experiment, "dqn")


@pytest.mark.thorough
def test_leduc_in_three_phases_and_taken_up_again(tmp_path, dqn, lines_of):
    leduc = ("--preset", "leduc", "--updates", "2", "1", "1", *SMALL)
    shown = dqn(tmp_path, *leduc, "--name", "whole")
    folder = tmp_path / "dqn" / "whole"
    summary = json.loads((folder / "summary.json").read_text())
    assert list(summary["exploitability"]) == ["A", "B", "C"]
    assert all(value > 0 for value in summary["exploitability"].values())
    assert abs(summary["most_of_random"]["C"] - 2.374) < 1e-3 and summary["makes_of_random"]["C"] < 2.375
    assert "the network of C: exploitability" in shown
    pictures = {path.name for path in (folder / "plots").iterdir()}
    assert pictures == {"learning.png", "exploitation.png", "updates.png", "actions.png"}
    assert saved_networks.load(folder).kind == "values"

    # a run that was killed at the end of phase A ends with the same lines and the same network
    half = tmp_path / "dqn" / "half"
    shutil.copytree(folder, half)
    for later in ("3", "4"):
        (half / "checkpoints" / f"{later}.json").unlink()
    assert "goes on from step 2" in dqn(tmp_path, "--resume", "--name", "half")
    assert lines_of(half) == lines_of(folder)
    for name, array in np.load(folder / "network.npz").items():
        np.testing.assert_array_equal(array, np.load(half / "network.npz")[name])


@pytest.mark.slow
def test_hold_em_goes_on_from_the_network_of_a_run(tmp_path, dqn):
    first = tmp_path / "dqn" / "first"
    first.mkdir(parents=True)
    shutil.copy(saved_networks.DATA / "qnet.npz", first / "network.npz")  # which a run of phase A has made
    more = ("--phase", "C", "--target", "call", "--start", str(first), "--updates", "2", "2", "2")
    shown = dqn(tmp_path, *more, *SMALL, *HANDS, "--name", "more")
    folder = tmp_path / "dqn" / "more"
    summary = json.loads((folder / "summary.json").read_text())
    assert list(summary["mbb_per_hand_of_C"]) == [
        f"against {rival}" for rival in ("random", "tag", "lag", "call", "min-raise", "check-fold", "blueprint")
    ]
    assert set(summary["gain_on_target"]) == {"C over start"}
    assert set(summary["cross_play"]) >= {"C 3/3 against start", "C 3/3 against C 1/3"}
    assert "BB/100" in shown
    pictures = {path.name for path in (folder / "plots").iterdir()}
    assert pictures == {"learning.png", "results.png", "cross_play.png", "updates.png", "actions.png"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--phase", "B"), "--phase B goes on from a network: give --start runs/dqn/NAME"),
        (("--start", "somewhere"), "--phase A begins with a new network: --start is for B and C"),
        (("--phase", "C", "--start", "nowhere"), "no network in nowhere: give a network.npz, or the folder of a run"),
        (("--target", "nobody"), "--target 'nobody': holdem has random, tag, lag, call"),
        (("--shares", "1", "1"), "one each for random, tag, lag"),
        (("--batch", "0"), "batch = 0: it is 1 or more"),
        (("--snapshots", "0"), "--snapshots 0: at least 1"),
        (("--decisions-per-step", "0"), "--decisions-per-step 0: at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_clear_errors(arguments, message, answer):
    assert message in answer("dqn", *arguments)
