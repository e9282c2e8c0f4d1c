"""summary.json: figures as plain numbers, and where they come from."""

import json
import math
import subprocess
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import match, runs
from jaxpoker.runs import summary
from jaxpoker.runs.config import plain


@pytest.fixture
def run(descent, tmp_path: Path):
    with runs.start(runs.Launch("descent", "quick", descent.Config(seed=3), "a", runs=tmp_path)) as run:
        yield run


def test_a_summary_holds_the_figures_and_where_they_come_from(run, descent) -> None:
    done = run.finish(
        value=np.float32(-0.5),
        exploitability=jnp.float32(0.25),
        iterations=np.int64(7),
        mbb_per_hand={"caller": match.Estimate(12.5, 3.0, 400)},
        curve=np.array([1.0, math.nan]),
        sizes=("33%", 2),
        converged=jnp.array(True),
    )
    assert done == json.loads((run.folder / "summary.json").read_text(), parse_constant=pytest.fail)
    assert list(done)[-7:] == ["config", "preset", "command", "seconds", "commit", "device", "jax"]
    assert done["value"] == -0.5
    assert done["exploitability"] == 0.25
    assert done["iterations"] == 7
    assert done["mbb_per_hand"] == {"caller": {"mean": 12.5, "ci95": 3.0, "n": 400}}
    assert done["curve"] == [1.0, None]
    assert done["sizes"] == ["33%", 2]
    assert done["converged"] is True
    assert done["config"] == plain(descent.Config(seed=3))
    assert done["preset"] == "quick"
    assert done["command"] == "scripts/run descent"
    assert done["jax"] == jax.__version__
    assert done["device"] == summary.device() and "cpu" in done["device"]


def test_what_json_cannot_say_is_refused_by_name(run) -> None:
    with pytest.raises(TypeError, match=r"figure mbb\['x'\]\[1\] cannot be a object"):
        run.finish(mbb={"x": [1, object()]})
    with pytest.raises(TypeError, match="may not be called 'seconds'"):
        run.finish(seconds=3)
    assert not (run.folder / "summary.json").exists()


def test_the_commit_is_that_of_the_package_and_says_when_there_are_changes(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        names = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        done = subprocess.run(
            ["git", "-C", str(tmp_path), *names, *arguments], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    assert summary.commit_of(package) is None
    git("init", "-q")
    (tmp_path / "other").write_text("")
    git("add", "other")
    git("commit", "-qm", "something else")
    assert summary.commit_of(package) is None, "the repository around it does not have it"
    git("add", "package")
    git("commit", "-qm", "the package")
    head = git("rev-parse", "HEAD")
    assert summary.commit_of(package) == head
    (tmp_path / "other").write_text("changed")
    assert summary.commit_of(package) == f"{head}+changes"
