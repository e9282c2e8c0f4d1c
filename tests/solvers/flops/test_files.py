"""Solved flops as files."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.errors import RunError
from jaxpoker.solvers import flops
from jaxpoker.solvers.flops import files

NODES = (("r5", ""), ("r5c/", "2s"), ("r5c/cc/c", "4h 9d"))


@pytest.fixture(scope="module", params=["solved", "packed"])
def state(request, tmp_path_factory):
    solved = request.getfixturevalue(request.param)
    path = tmp_path_factory.mktemp("flops") / "state.flop"
    files.save_state(solved, path)
    return solved, path


def test_a_state_is_read_node_by_node_as_it_was(state):
    solved, path = state
    loaded = files.load(path)
    assert loaded.state is None and loaded.ev == solved.ev and loaded.iterations == solved.iterations
    for line, dealt in NODES:
        ours, theirs = loaded.at(line, dealt), solved.at(line, dealt)
        np.testing.assert_array_equal(ours.strategy, theirs.strategy)
        np.testing.assert_array_equal(ours.ev, theirs.ev)


@pytest.mark.parametrize(("levels", "margin"), [(files.FINE, 1 / 255), (files.COARSE, 1 / 15)])
def test_a_strategy_is_rounded_to_its_levels(solved, tmp_path, levels, margin):
    files.save(solved, tmp_path / "a.flop", levels=levels)
    loaded = files.load(tmp_path / "a.flop")
    for line, dealt in NODES:
        ours, theirs = loaded.at(line, dealt), solved.at(line, dealt)
        together = (ours.strategy.sum(axis=0) > 0) & (theirs.strategy.sum(axis=0) > 0)
        assert np.abs(ours.strategy - theirs.strategy)[:, together].max() <= margin + 1e-6
        np.testing.assert_allclose(ours.strategy.sum(axis=0)[together], 1, atol=1e-5)
    assert loaded.at("r5").range_ev == pytest.approx(solved.at("r5").range_ev, abs=1e-3)


def test_a_shallow_file_is_small_and_says_what_it_lacks(solved, tmp_path):
    files.save(solved, tmp_path / "deep.flop")
    files.save(solved, tmp_path / "turn.flop", depth=2, levels=files.COARSE)
    assert (tmp_path / "turn.flop").stat().st_size < (tmp_path / "deep.flop").stat().st_size / 10
    loaded = files.load(tmp_path / "turn.flop")
    turn = loaded.at("r5c/", "4h")
    assert np.isnan(turn.ev).all() and turn.range_equity[0] > 0.1
    with pytest.raises(ValueError, match="keeps no strategies of the river"):
        loaded.at("r5c/cc/", "4h 2c")
    assert loaded.spot_at("r5c/cc/", "4h 2c").pot == 20


def test_only_what_is_asked_for_is_read(solved, tmp_path):
    """All members but those of one turn are spoiled: that turn can be read, and no other."""
    files.save(solved, tmp_path / "a.flop")
    turn = solved._runout(solved.tree.decisions(street=2)[0], (50 - 13 * 3 + 12,)).turn  # of some card
    with zipfile.ZipFile(tmp_path / "a.flop") as file, zipfile.ZipFile(tmp_path / "b.flop", "w") as spoiled:
        for name in file.namelist():
            content = file.read(name)
            kept = name in ("flop", "manifest.json", "ranges", "values") or name.split("-")[1] == str(turn)
            spoiled.writestr(name, content if kept else bytes(len(content)))
    loaded = files.load(tmp_path / "b.flop")
    known = next(t.card for number, t in enumerate(solved.runouts.turns) if number == turn)
    assert loaded.at("r5c/", cards.text([known])).range_ev.sum() == pytest.approx(20, abs=0.1)
    with pytest.raises(RunError, match="is not what was saved"):
        loaded.at("r5c/", "4h" if cards.text([known]) != "4h" else "5h")


def test_strategies_alone_are_not_solved_on(solved, small, tmp_path):
    files.save(solved, tmp_path / "a.flop")
    with pytest.raises(RunError, match="strategies alone"):
        files.load(tmp_path / "a.flop", whole=True)
    with pytest.raises(ValueError, match="strategies alone"):
        flops.solve(small, iterations=200, start=files.load(tmp_path / "a.flop"))


@pytest.mark.parametrize("spoil", ["cut", "empty", "other"])
def test_a_damaged_file_is_refused(state, tmp_path, spoil):
    content = state[1].read_bytes()
    spoiled = {"cut": content[: len(content) // 2], "empty": b"", "other": b"PK\x05\x06" + bytes(18)}[spoil]
    (tmp_path / "a.flop").write_bytes(spoiled)
    with pytest.raises(RunError, match="damaged"):
        files.load(tmp_path / "a.flop")
    with pytest.raises(RunError, match="cannot read"):
        files.load(tmp_path / "none.flop")
