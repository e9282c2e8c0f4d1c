"""scripts/run flops, from the command line to the files it leaves; and a flop by scripts/run spot."""

import json

import numpy as np
import pytest

from jaxpoker.solvers.flops import files

pytestmark = [pytest.mark.thorough, pytest.mark.slow]

SMALL = ("--oop", "AA, 76s, QJs", "--ip", "KQs, T9s, 88", "--pot", "10", "--stack", "10", "--menu", "100%")


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text())


def test_shards_add_up_to_the_same_bits_and_files_are_left(tmp_path, run_here):
    flops = ("flops", "--runs", tmp_path, *SMALL, "--flops", "Ks7h3h, Td9d6h, 2c2d9h", "--target", "2")
    shown = run_here(*flops, "--keep", "turn", "--name", "whole")
    folder = tmp_path / "flops" / "whole"
    assert "GB of memory for a flop" in shown and "3 flops by texture" in shown
    for name in ("textures", "flops", "turn_cards"):
        assert (folder / "plots" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    summary = summary_of(folder)
    assert summary["flops"] == 3 and summary["most_exploitable_percent"] <= 2
    kept = files.load(folder / "Ks7h3h.flop")
    assert kept.exploitability_percent <= 2 and kept.depth == 2

    shown = run_here(*flops, "--shard", "1/2", "--name", "first")
    assert "2 of 3 flops; add the shards up with --parts" in shown
    run_here(*flops, "--parts", "first", "--at-once", "2", "--name", "both")
    done, again = (np.load(tmp_path / "flops" / name / "facts.npz") for name in ("whole", "both"))
    assert all(done[name].tobytes() == again[name].tobytes() for name in ("quality", "decisions", "turns"))
    assert summary_of(tmp_path / "flops" / "both")["means"] == summary["means"]

    run_here("flops", "--runs", tmp_path, "--resume", "--name", "whole")
    assert summary_of(folder)["means"] == summary["means"]


def test_a_flop_is_a_spot_that_goes_on_and_can_be_asked(tmp_path, run_here):
    spot = ("spot", "--runs", tmp_path, *SMALL, "--board", "Ks7h3h", "--bits", "16")
    shown = run_here(*spot, "--iterations", "10", "--name", "k")
    assert "GB of memory" in shown and "s of one core an iteration" in shown
    folder = tmp_path / "spot" / "k"
    assert summary_of(folder)["iterations"] == 10
    run_here("spot", "--runs", tmp_path, "--resume", "--name", "k", "--iterations", "15")
    loaded = files.load(folder / "solved.flop")
    assert summary_of(folder)["iterations"] == loaded.iterations == 15
    assert sum(loaded.at("cc/", "2d").frequencies.values()) == pytest.approx(1, abs=1e-5)


def test_half_precision_is_for_flops(tmp_path, answer):
    board = ("--board", "Ks7h3h2c9d")
    assert "is no flop" in answer("spot", "--runs", tmp_path, *SMALL, *board, "--bits", "16", "--name", "x")
