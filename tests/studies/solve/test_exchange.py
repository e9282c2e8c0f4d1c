"""Runs that leave their tables in a file, and runs that go on from one."""

import jax
import numpy as np
import pytest

from jaxpoker.runs import RunError
from jaxpoker.solvers.blueprint import tables_file


def same_bits(one, other):
    leaves = [jax.tree.leaves((s.step, s.counts, s.boards, s.regrets, s.averages)) for s in (one, other)]
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in zip(*leaves, strict=True))


def test_a_run_from_a_file_ends_as_the_run_that_nobody_cut(train, whole):
    folder, state, _ = whole
    train(folder, "--name", "half", "--iterations", "3", "--export", folder / "half.h5")
    on = ("--iterations", "6", "--continue-from", folder / "half.h5")
    later, _ = train(folder, "--name", "other-half", *on)
    assert same_bits(later, state)
    other_seed, _ = train(folder, "--name", "other-seed", "--seed", "5", *on)
    assert int(other_seed.step) == 6 and not same_bits(other_seed, state)
    (folder / "half.h5").unlink()  # a resumed run has its own checkpoint
    again, _ = train(folder, "--name", "other-half", "--resume")
    assert same_bits(again, state)
    with pytest.raises(RunError, match=r"--continue-from .*whole\.h5: run .* goes on from its own checkpoint"):
        train(folder, "--name", "other-half", "--resume", "--continue-from", folder / "whole.h5")


def test_a_run_that_was_done_before_can_still_be_exported(train, whole):
    folder, _, average = whole
    train(folder, "--name", "whole", "--resume", "--export", folder / "later.h5")
    for name in ("whole.h5", "later.h5"):
        found = tables_file.load(folder / name)
        assert int(found.tables.step) == 6 and found.about["algorithm"] == "dcfr" and found.about["seed"] == "0"
        for mine, theirs in zip(found.blueprint().strategy, average, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--menu", "a, 50%; raises: 1"], "whole.h5 is for the menu"),
        (["--stack", "5"], "whole.h5 is for a stack of 40 chips, not 50"),
        (["--cards", "rank_history", "--merged"], "whole.h5 is for the buckets rank_based"),
        (["--sampling", "external"], "was made with sampling public, not external"),
        (["--merged"], "was made with merged False, not True"),
        (["--iterations", "6"], "has 6 iterations already: --iterations 6 is to be more"),
        (["--continue-from", "nothing.h5"], r"cannot read nothing\.h5: No such file"),
        (["--export", "tables.zip"], r"--export tables.zip: name a file that ends in \.h5 or \.hdf5"),
        (["--export", "nowhere/a.h5"], "there is no folder nowhere"),
    ],
)
def test_a_file_of_another_game_is_refused_before_a_run_is_made(train, whole, tmp_path, flags, message):
    folder, *_ = whole
    with pytest.raises(RunError, match=message):
        train(tmp_path, "--name", "n", "--iterations", "9", "--continue-from", folder / "whole.h5", *flags)
    assert not list(tmp_path.iterdir())


def test_small_games_have_no_tables_in_files():
    from jaxpoker.studies.solve.config import Config

    with pytest.raises(ValueError, match="only hold'em has tables in a file, not leduc"):
        Config(game="leduc", export="a.h5")
