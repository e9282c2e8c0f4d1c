"""Checkpoints and tables of a run, asked for their strategies."""

import shutil

import numpy as np
import pytest

from jaxpoker.runs import RunError
from jaxpoker.studies.solve import kept


def test_every_checkpoint_has_the_strategy_of_a_run_that_ended_there(train, whole):
    folder, _, average = whole
    _, after_two = train(folder, "--name", "two", "--iterations", "2")
    for step, expected in (("2", after_two), ("6", average)):
        found = kept.checkpoint(folder / "solve" / "whole", step)
        for mine, theirs in zip(found.blueprint.strategy, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert any(not np.array_equal(a, b) for a, b in zip(after_two, average, strict=True))


def test_times_seen_are_in_iterations_of_the_last_ones_weight(whole):
    """Iteration t of DCFR counts t squared."""
    folder, *_ = whole
    run = folder / "solve" / "whole"
    for step in (2, 4, 6):
        found = kept.checkpoint(run, str(step))
        assert found.iterations == pytest.approx(sum(t**2 for t in range(1, step + 1)) / step**2, rel=1e-4)
    best = found.blueprint.bucket("AhKh")
    assert found.times_seen(0, best) == pytest.approx(
        46 / 1326 * found.iterations, rel=0.1
    )  # the combos of AA to TT and AK
    same = kept.tables(folder / "whole.h5")
    assert same.times_seen(0, best) == found.times_seen(0, best)
    np.testing.assert_allclose(same.blueprint.at(0), found.blueprint.at(0), atol=1e-6)


@pytest.mark.parametrize("step", ["3", "list", "-2", ""])
def test_a_step_that_is_not_there_is_answered_with_those_that_are(whole, step):
    folder, *_ = whole
    with pytest.raises(RunError, match=f"has no checkpoint '{step}': the steps there are 2, 4, 6$"):
        kept.checkpoint(folder / "solve" / "whole", step)


def test_asking_changes_nothing_and_damage_is_named(whole, tmp_path):
    folder, *_ = whole
    run = tmp_path / "solve" / "copy"
    shutil.copytree(folder / "solve" / "whole", run)
    written = max(
        (path for path in (run / "checkpoints" / "4").rglob("*") if path.is_file()), key=lambda p: p.stat().st_size
    )
    written.write_bytes(b"x" + written.read_bytes())
    before = sorted(run.rglob("*"))
    with pytest.raises(RunError, match="checkpoint 4 is damaged"):
        kept.checkpoint(run, "4")
    assert sorted(run.rglob("*")) == before
    assert kept.checkpoint(run, "2").blueprint.game.stack == 40


def test_a_run_from_before_these_settings_can_be_asked_and_goes_on(train, whole, tmp_path):
    """They change nothing of what was learned, so its checkpoints fit and its config.yaml needs no new lines."""
    folder, _, average = whole
    run = tmp_path / "solve" / "old"
    shutil.copytree(folder / "solve" / "whole", run)
    config = run / "config.yaml"
    lines = config.read_text().splitlines(keepends=True)
    new = ("checkpoint_every:", "export:", "continue_from:")
    config.write_text("".join(line for line in lines if not line.startswith(new)))
    assert len(config.read_text().splitlines()) == len(lines) - len(new)
    found = kept.checkpoint(run, "6").blueprint
    _, resumed = train(tmp_path, "--name", "old", "--resume")
    for mine, theirs, before in zip(found.strategy, resumed, average, strict=True):
        np.testing.assert_array_equal(mine, before)
        np.testing.assert_array_equal(theirs, before)
