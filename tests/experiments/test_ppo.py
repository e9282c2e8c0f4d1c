"""scripts/run ppo, from the command line to the files it leaves."""

import functools
import json

import pytest

from jaxpoker.players import saved_networks

LEDUC = ("--preset", "leduc", "--updates", "4", "--tables", "16", "--evaluate-every", "2", "--checkpoint-seconds", "0")
HOLDEM = (
    *("--updates", "2", "--tables", "16", "--turns", "8", "--minibatches", "2"),
    *("--evaluate-every", "2", "--evaluation-hands", "32", "--final-hands", "32"),
)


@pytest.fixture
def ppo(run_experiment):
    return functools.partial(run_experiment, "ppo")


@pytest.mark.thorough
def test_leduc_from_the_command_line(tmp_path, ppo):
    shown = ppo(tmp_path, *LEDUC, "--name", "tiny")
    folder = tmp_path / "ppo" / "tiny"
    summary = json.loads((folder / "summary.json").read_text())
    assert 0 < summary["exploitability"] < 6 and summary["updates"] == 4
    assert f"exploitability {summary['exploitability']:.4f}" in shown
    assert {path.name for path in (folder / "plots").iterdir()} == {"learning.png", "updates.png"}
    assert saved_networks.load(folder).game == "leduc"


@pytest.mark.slow
def test_holdem_from_the_command_line(tmp_path, ppo):
    shown = ppo(tmp_path, *HOLDEM, "--name", "tiny")
    folder = tmp_path / "ppo" / "tiny"
    summary = json.loads((folder / "summary.json").read_text())
    rivals = ["random", "tag", "lag", "call", "min-raise", "check-fold", "blueprint", "earlier self"]
    assert list(summary["mbb_per_hand"]) == rivals and all(rival in shown for rival in rivals)
    for figure in ("part_fold", "part_raise", "median_raise_in_pots", "raises_all_in"):
        assert list(summary[figure]) == ["preflop", "flop", "turn", "river"]
    pictures = {path.name for path in (folder / "plots").iterdir()}
    assert pictures == {"learning.png", "updates.png", "sizes.png", "kinds.png", "results.png"}
    assert (folder / "network.npz").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--past-share", "2"), "--past-share 2.0: 0 to 1"),
        (("--opponents", "shark", "--shares", "1"), "--opponents 'shark': there are random, tag, lag, call"),
        (("--opponents", "--shares"), "--opponents is empty: name some of random, tag"),
        (("--shares", "1", "2"), "one each for random, tag, lag, call"),
        (("--clip", "0"), "--clip 0.0: above 0"),
    ],
)
def test_settings_that_make_no_sense_are_clear_errors(arguments, message, answer):
    assert message in answer("ppo", *arguments)
