"""A solved spot as a file."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

from jaxpoker.errors import RunError
from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import NodeLock


@pytest.fixture(scope="module")
def saved(solved_river, tmp_path_factory):
    path = tmp_path_factory.mktemp("spots") / "river.spot"
    solved_river.save(path)
    return path


def test_what_is_loaded_is_what_was_saved(solved_river, saved):
    loaded = subgame.load(saved)
    assert loaded.iterations == solved_river.iterations
    assert loaded.ev == pytest.approx(solved_river.ev, abs=1e-9)
    ours, theirs = loaded.at("c"), solved_river.at("c")
    np.testing.assert_array_equal(ours.strategy, theirs.strategy)
    np.testing.assert_array_equal(ours.ev, theirs.ev)


def test_solving_on_from_a_file_gives_what_no_stop_would_have_given(river_spot, saved):
    loaded = subgame.load(saved)
    on, whole = subgame.solve(river_spot, iterations=45, start=loaded), subgame.solve(river_spot, iterations=45)
    assert on.iterations == whole.iterations == 45
    assert on.ev == whole.ev and on.exploitability == whole.exploitability


@pytest.mark.parametrize("algorithm", ["pcfr+", "cfr+"])
def test_turns_locks_and_other_algorithms_are_kept(turn_spot, tmp_path, algorithm):
    lock = NodeLock("c", {"c": 0.5, "r75": 0.5})
    solved = subgame.solve(turn_spot, iterations=3, locks=[lock], algorithm=algorithm)
    solved.save(tmp_path / "a.spot")
    loaded = subgame.load(tmp_path / "a.spot")
    assert loaded.algorithm == solved.algorithm
    one, other = (subgame.solve(turn_spot, iterations=5, start=start) for start in (solved, loaded))
    assert one.ev == other.ev


def test_a_damaged_file_is_refused(saved, tmp_path):
    content = bytearray(saved.read_bytes())
    for name, damage in {
        "cut": content[: len(content) // 2],
        "changed": content[: len(content) // 2] + b"\xff" * 40 + content[len(content) // 2 + 40 :],
        "other": b"no zip",
    }.items():
        path = tmp_path / name
        path.write_bytes(damage)
        with pytest.raises(RunError, match="damaged"):
            subgame.load(path)
    path = tmp_path / "of another spot"  # a whole zip, one table of which was not saved with the others
    with zipfile.ZipFile(saved) as file, zipfile.ZipFile(path, "w") as wrong:
        for name in file.namelist():
            data = file.read(name)
            wrong.writestr(name, data[::-1] if name == "averages-0-0" else data)
    with pytest.raises(RunError, match="its averages-0-0 is not what was saved"):
        subgame.load(path)
    with pytest.raises(RunError, match="cannot read"):
        subgame.load(tmp_path / "none")
