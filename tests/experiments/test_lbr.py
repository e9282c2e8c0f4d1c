"""scripts/run lbr, from the command line to the files it leaves."""

import json

import pytest

pytestmark = pytest.mark.thorough


def test_on_leduc_all_deals_are_counted(tmp_path, run_here):
    shown = run_here("lbr", "--runs", tmp_path, "--game", "leduc", "--player", "equilibrium", "--name", "k")
    folder = tmp_path / "lbr" / "k"
    summary = json.loads((folder / "summary.json").read_text())
    assert set(summary["local_best_response"]) == {"tree", "fold-call"} == set(summary["by_seat"])
    assert summary["local_best_response"]["tree"]["mean"] == pytest.approx(0, abs=2)
    assert summary["by_seat"]["tree"]["second"]["mean"] == pytest.approx(86, abs=2)
    assert "Local best responses win of equilibrium" in shown and "lower bound" in shown
    assert (folder / "plots" / "local_best_response.png").read_bytes().startswith(b"\x89PNG")


def test_a_player_without_a_policy_is_refused(tmp_path, answer):
    assert "player 'ppo' chooses chip amounts" in answer("lbr", "--runs", tmp_path, "--player", "ppo")


@pytest.mark.slow
def test_a_run_of_hold_em_ends_with_intervals_and_goes_on_where_it_stopped(tmp_path, run_here):
    flags = ("--player", "random", "--setting", "fold-call", "--half-width", "100000", "--deals", "2", "--walks", "1")
    run_here("lbr", "--runs", tmp_path, *flags, "--name", "h")
    folder = tmp_path / "lbr" / "h"
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["local_best_response"]["fold-call"]["n"] == 8 and summary["processor_seconds"] > 0
    run_here("lbr", "--runs", tmp_path, "--resume", "--name", "h")
    again = json.loads((folder / "summary.json").read_text())
    assert again["local_best_response"] == summary["local_best_response"]
