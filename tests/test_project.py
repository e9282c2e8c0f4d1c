"""The package as a whole: what importing it costs, and what the scripts say to a newcomer."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

# --- importing --------------------------------------------------------------------------------


def run_python(code: str, root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(root), **environment},
        capture_output=True,
        text=True,
    )


IMPORT_EVERYTHING = """
import importlib, pkgutil, jaxpoker
for module in pkgutil.walk_packages(jaxpoker.__path__, "jaxpoker."):
    if not module.name.startswith("jaxpoker.adapters."):  # these import libraries that start a backend
        importlib.import_module(module.name)
"""


@pytest.mark.parametrize("code", ["import jaxpoker", IMPORT_EVERYTHING], ids=["package", "every module"])
def test_importing_starts_no_backend(code: str, repository: Path) -> None:
    # A backend that does not exist cannot start: the first array would fail, and importing makes none.
    done = run_python(code, repository, JAX_PLATFORMS="no_such_platform")
    assert done.returncode == 0, done.stderr


def test_an_array_at_import_would_be_noticed(repository: Path) -> None:
    done = run_python("import jax.numpy as jnp; jnp.zeros(1)", repository, JAX_PLATFORMS="no_such_platform")
    assert done.returncode != 0
    assert "no_such_platform" in done.stderr


@pytest.mark.thorough
def test_importing_takes_less_than_one_and_a_half_times_importing_jax(repository: Path) -> None:
    def processor_seconds(module: str) -> float:
        code = f"import time; import {module}; print(time.process_time())"
        done = run_python(code, repository)
        assert done.returncode == 0, done.stderr
        return float(done.stdout)

    ours, jaxs = [], []
    for _ in range(3):  # alternating, so that both meet the same disturbances
        jaxs.append(processor_seconds("jax"))
        ours.append(processor_seconds("jaxpoker"))
    assert min(ours) < 1.5 * min(jaxs)


def test_the_version_is_the_projects(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    done = run_python("import jaxpoker; print(jaxpoker.__version__)", repository)
    assert done.stdout.strip() == project["version"], done.stderr


def test_what_is_cited_is_the_last_release_and_the_project_is_at_the_top_of_the_changelog(repository: Path) -> None:
    headings = re.findall(r"^## (\S+) \((.+)\)$", (repository / "CHANGELOG.md").read_text(), re.MULTILINE)
    released = [(version, date) for version, date in headings if date != "unreleased"]
    citation = yaml.safe_load((repository / "CITATION.cff").read_text())
    assert (citation["version"], str(citation["date-released"])) == released[0]
    assert f"version = {{{released[0][0]}}}" in (repository / "README.md").read_text()
    version, date = headings[0]
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    assert project["version"] == (f"{version}.dev0" if date == "unreleased" else version)


# --- scripts/run and scripts/test -------------------------------------------------------------


def run_script(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], env={**os.environ, **environment}, capture_output=True, text=True
    )


def test_an_unknown_experiment_is_a_clear_error_with_the_list(repository: Path) -> None:
    done = run_script(repository / "scripts" / "run", "nosuch")
    assert done.returncode == 2
    assert "unknown experiment 'nosuch'" in done.stderr
    for experiment in (repository / "experiments").glob("[!_]*.py"):
        assert f"  {experiment.stem} " in done.stderr


def test_an_experiment_is_a_name_not_a_path(repository: Path) -> None:
    assert run_script(repository / "scripts" / "run", "../scripts/bench").returncode == 2


def test_every_experiment_has_a_line_in_the_list(repository: Path) -> None:
    done = run_script(repository / "scripts" / "run", "--help")
    assert done.returncode == 0
    listed = {line.split()[0]: line.split()[1:] for line in done.stdout.split("Experiments:\n")[1].splitlines()}
    assert set(listed) == {path.stem for path in (repository / "experiments").glob("[!_]*.py")}
    assert all(listed.values()), f"an experiment without a docstring: {listed}"


@pytest.mark.parametrize("script", ["run", "test", "test_versions", "docs", "setup_venv"])
def test_help_says_how_to_call_it(script: str, repository: Path) -> None:
    done = run_script(repository / "scripts" / script, "--help")
    assert done.returncode == 0
    assert f"scripts/{script}" in done.stdout
    assert "set -" not in done.stdout


# --- setting up .venv, with a stand-in for Python that writes down what it is asked to do ------

STAND_IN = """#!/bin/sh
case "$*" in
  *version_info*) echo "$STAND_IN_VERSION" ;;
  "-m venv --clear "*)
    rm -rf "$4" && mkdir -p "$4/bin" && cp "$0" "$4/bin/python"; echo "venv" >>"$STAND_IN_CALLS" ;;
  "-m pip install "*)
    echo "Could not find a version" >&2
    [ -z "$STAND_IN_PIP_FAILS" ] || exit 1
    for last; do :; done
    echo "pip ${last##*/}" >>"$STAND_IN_CALLS" ;;
  *"import venv, ensurepip"*) [ -z "$STAND_IN_HAS_NO_VENV" ] ;;
  "-m pytest "*"-m not slow and not thorough"*) echo "fast tests in ${0%/bin/python}" >>"$STAND_IN_CALLS" ;;
  "-m pytest "*) echo "pytest in ${0%/bin/python}" >>"$STAND_IN_CALLS" ;;
esac
"""


class Checkout:
    """A copy of the scripts next to a small pyproject.toml, whose only Python is the stand-in."""

    def __init__(self, folder: Path, repository: Path) -> None:
        self.root = folder / "checkout"
        shutil.copytree(repository / "scripts", self.root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        (self.root / "pyproject.toml").write_text("[project]\n")
        (self.root / "constraints.txt").write_text("jax==1\n")
        self.bin = folder / "bin"
        self.bin.mkdir()
        tools = "bash sh cat cksum cp dirname flock id mkdir nproc rm sed sort tail touch tr"
        for tool in tools.split():
            path = shutil.which(tool)
            if path:
                (self.bin / tool).symlink_to(path)
        self.calls_file = folder / "calls"
        self.python = self.bin / "python3"
        self.python.write_text(STAND_IN)
        self.python.chmod(self.python.stat().st_mode | stat.S_IXUSR)

    def setup(self, *extras: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.script("setup_venv", *extras, **environment)

    def script(self, name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        self.calls_file.write_text("")
        stand_in = {"PATH": str(self.bin), "STAND_IN_VERSION": "3.12.1", "STAND_IN_CALLS": str(self.calls_file)}
        return subprocess.run(
            ["bash", str(self.root / "scripts" / name), *arguments],
            env={**stand_in, "HOME": str(self.bin), **environment},
            capture_output=True,
            text=True,
        )

    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path, repository: Path) -> Checkout:
    return Checkout(tmp_path, repository)


def test_setup_installs_once(checkout: Checkout) -> None:
    first = checkout.setup("test", "dev")
    assert first.returncode == 0, first.stderr
    assert checkout.calls() == ["venv", "pip checkout[dev,test]"]
    assert "Python 3.12.1" in first.stderr and "minutes" in first.stderr
    again = checkout.setup("dev")
    assert (again.returncode, again.stderr, checkout.calls()) == (0, "", [])


def test_setup_adds_an_extra_and_keeps_the_others(checkout: Checkout) -> None:
    checkout.setup("plots")
    checkout.setup("test", JAXPOKER_EXTRAS="cuda12")
    assert checkout.calls() == ["pip checkout[cuda12,plots,test]"]


def test_setup_makes_another_environment_beside_the_usual_one(checkout: Checkout) -> None:
    checkout.setup("test")
    checkout.setup("test", JAXPOKER_VENV=".venv-3.13", STAND_IN_VERSION="3.13.0")
    assert checkout.calls() == ["venv", "pip checkout[test]"]
    assert (checkout.root / ".venv" / "bin").is_dir() and (checkout.root / ".venv-3.13" / "bin").is_dir()
    checkout.setup("test")
    assert checkout.calls() == []


def test_setup_updates_when_the_pins_changed(checkout: Checkout) -> None:
    checkout.setup()
    (checkout.root / "constraints.txt").write_text("jax==2\n")
    checkout.setup()
    assert checkout.calls() == ["pip checkout"]


def test_setup_starts_anew_after_a_failed_install_and_shows_why(checkout: Checkout) -> None:
    failed = checkout.setup("dev", STAND_IN_PIP_FAILS="yes")
    assert failed.returncode == 1
    assert "Could not find a version" in failed.stderr and "pip could not install jaxpoker[dev]" in failed.stderr
    checkout.setup("dev")
    assert checkout.calls() == ["venv", "pip checkout[dev]"]


def test_setup_starts_anew_in_a_moved_folder(checkout: Checkout) -> None:
    checkout.setup("dev")
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))
    checkout.setup("dev")
    assert checkout.calls() == ["venv", "pip moved[dev]"]


def test_setup_without_a_new_enough_python_says_so(checkout: Checkout) -> None:
    old = checkout.setup(STAND_IN_VERSION="3.10.13")
    assert old.returncode == 1
    assert "needs Python 3.11 or newer" in old.stderr and "3.10.13" in old.stderr
    checkout.python.unlink()
    none = checkout.setup()
    assert none.returncode == 1
    assert "needs Python 3.11 or newer" in none.stderr and "missing" in none.stderr


def test_setup_without_the_venv_module_names_the_package(checkout: Checkout) -> None:
    done = checkout.setup(STAND_IN_HAS_NO_VENV="yes")
    assert done.returncode == 1
    assert "apt-get install python3-venv" in done.stderr


def test_a_newer_python_gets_an_environment_and_the_tests_of_its_own(checkout: Checkout) -> None:
    checkout.setup("test", "dev")
    newer = checkout.bin / "python3.13"
    newer.write_text(f'#!/bin/sh\nSTAND_IN_VERSION=3.13.0 exec {checkout.python} "$@"\n')
    newer.chmod(newer.stat().st_mode | stat.S_IXUSR)
    done = checkout.script("test_versions")
    assert done.returncode == 0, done.stderr
    assert checkout.calls() == ["venv", "pip checkout[dev,test]", f"pytest in {checkout.root}/.venv-3.13"]


def test_the_tests_that_a_newer_python_runs_are_there(repository: Path) -> None:
    named = re.findall(r"est_\{(.*?)\}\.py", (repository / "scripts" / "test_versions").read_text())
    names = [name for group in named for name in group.split(",")]
    assert len(names) > 10
    for name in names:
        found = [path for depth in ("", "*/", "*/*/") for path in (repository / "tests").glob(f"{depth}test_{name}.py")]
        assert found, f"scripts/test_versions runs test_{name}.py, which is nowhere"


def test_without_a_newer_python_that_is_said(checkout: Checkout) -> None:
    checkout.setup("test", "dev")
    done = checkout.script("test_versions")
    assert (done.returncode, checkout.calls()) == (0, [])
    assert "No Python newer than 3.12 here" in done.stdout


@pytest.mark.parametrize("flags, tests", [((), "pytest"), (("--fast",), "fast tests"), (("--no-checks",), "pytest")])
def test_the_fast_lane_checks_the_code_and_leaves_out_slow_and_thorough_tests(
    checkout: Checkout, flags: tuple[str, ...], tests: str
) -> None:
    checkout.setup("test", "dev")
    for tool in ("ruff", "mypy"):
        (checkout.root / ".venv" / "bin" / tool).write_text(f'#!/bin/sh\necho "{tool}" >>"$STAND_IN_CALLS"\n')
        (checkout.root / ".venv" / "bin" / tool).chmod(0o755)
    done = checkout.script("test", *flags, JAXPOKER_CHROMIUM="sh")
    assert done.returncode == 0, done.stderr
    checks = [] if "--no-checks" in flags else ["ruff", "ruff", "mypy"]
    assert checkout.calls() == [*checks, f"{tests} in {checkout.root}/.venv"]
