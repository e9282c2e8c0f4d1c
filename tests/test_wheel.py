"""The package as its users get it: a wheel, in an environment that holds what the wheel asks for and nothing else.

The environments are empty but for links to the distributions that the wheel's own metadata name, and those that these
name in turn: an import of anything else fails there, as it would for a user, and nothing is downloaded.
"""

from __future__ import annotations

import http.client
import importlib.metadata
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of the sources, since building leaves files behind, which would be in the next wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(repository / "jaxpoker", source / "jaxpoker", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("experiments", "scripts"):
        shutil.copytree(repository / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "reports"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(repository / name, source)
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source)
    [built] = folder.glob("*.whl")
    return built


def pip(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def closure(requirements: list[Requirement]) -> dict[str, importlib.metadata.Distribution]:
    """The installed distributions that ``requirements`` name, and those that these name in turn."""
    found: dict[str, importlib.metadata.Distribution] = {}
    followed: set[tuple[str, str]] = set()  # a distribution, and an extra of it or ""
    while requirements:
        requirement = requirements.pop()
        name = canonicalize_name(requirement.name)
        distribution = found.setdefault(name, importlib.metadata.distribution(name))
        for extra in {"", *requirement.extras} - {extra for known, extra in followed if known == name}:
            followed.add((name, extra))
            requirements += wanted(distribution.requires or [], extra)
    return found


def wanted(lines: list[str], extra: str) -> list[Requirement]:
    """The requirements that hold here when ``extra`` is asked for."""
    requirements = [Requirement(line) for line in lines]
    return [one for one in requirements if one.marker is None or one.marker.evaluate({"extra": extra})]


class Environment:
    """A virtual environment with the wheel, and with links to what it asks for."""

    def __init__(self, folder: Path, wheel: Path, extra: str) -> None:
        self.folder = folder
        self.bin = folder / "env" / "bin"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
        pip("--python", self.bin / "python", "install", "--no-deps", "--no-index", wheel)
        [self.packages] = (folder / "env" / "lib").glob("python*/site-packages")
        [jaxpoker] = importlib.metadata.distributions(name="jaxpoker", path=[str(self.packages)])
        for distribution in closure(wanted(jaxpoker.requires or [], extra)).values():
            for part in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
                if not (self.packages / part).exists():  # distributions may share one
                    (self.packages / part).symlink_to(distribution.locate_file(part))
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.mkdir()

    @property
    def variables(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return {**kept, "HOME": str(self.folder)}

    def run(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.bin / command), *arguments],
            cwd=self.elsewhere,
            env=self.variables,
            capture_output=True,
            text=True,
        )

    def python(self, code: str) -> str:
        """What ``code`` prints."""
        done = self.run("python", "-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout


Install = Callable[[str], Environment]


@pytest.fixture(scope="module")
def install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Install:
    """``install(extra)``: an environment with the wheel and what it asks for."""
    return lambda extra: Environment(tmp_path_factory.mktemp(f"installed{extra}"), wheel, extra)


@pytest.fixture(scope="module")
def bare(install: Install) -> Environment:
    """Without extras."""
    return install("")


@pytest.fixture(scope="module")
def with_page(install: Install) -> Environment:
    return install("ui")


# --- what is in it ----------------------------------------------------------------------------


def test_the_wheel_holds_the_package_with_all_its_data_and_nothing_else(wheel: Path, repository: Path) -> None:
    whole = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    packed = {name for name in whole if ".data/" not in name}
    sources = (repository / "jaxpoker").rglob("*")
    files = {str(path.relative_to(repository)) for path in sources if path.is_file() and path.suffix != ".pyc"}
    assert packed == files
    brought = {name.split("/share/jaxpoker/")[1] for name in whole - packed}  # what the command jaxpoker runs
    here = [path for folder in ("experiments", "scripts/bench_peers") for path in (repository / folder).glob("*.py")]
    assert {str(path.relative_to(repository)) for path in here} < brought
    assert "scripts/equity.py" in brought


def test_every_declared_dependency_is_there_in_a_version_that_will_do(with_page: Environment) -> None:
    pip("--python", with_page.bin / "python", "check")


IMPORT_ALL = """
import importlib, pkgutil, jaxpoker
for module in pkgutil.walk_packages(jaxpoker.__path__, "jaxpoker."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        print(module.name, "needs", error.name)
print(jaxpoker.__file__)
"""
NEED_MORE = {  # by design: each says so, and an extra brings it
    "jaxpoker.adapters.gymnasium needs gymnasium",
    "jaxpoker.adapters.gymnax needs gymnax",
    "jaxpoker.adapters.jaxmarl needs jaxmarl",
    "jaxpoker.adapters.openspiel needs pyspiel",
    "jaxpoker.adapters.openspiel_policies needs pyspiel",
    "jaxpoker.adapters.pettingzoo needs gymnasium",
    "jaxpoker.adapters.pgx needs pgx",
    "jaxpoker.adapters.rlcard needs rlcard",
    "jaxpoker.app.connections needs uvicorn",
    "jaxpoker.app.guard needs starlette",
    "jaxpoker.app.server needs anyio",
}


def test_only_the_page_and_the_adapters_need_more_than_the_declared_dependencies(bare: Environment) -> None:
    *missing, where = bare.python(IMPORT_ALL).splitlines()
    assert set(missing) == NEED_MORE
    assert Path(where).is_relative_to(bare.packages)


# --- what it does -----------------------------------------------------------------------------

PLAY_AND_SOLVE = """
import jax, jaxpoker
from jaxpoker import core, players, solvers

for name in jaxpoker.GAMES:
    game = jaxpoker.make(name)
    turn = jax.jit(lambda state, key: game.step(state, core.random_action(key, state.legal_action_mask)))
    state = jax.jit(game.init)(jax.random.key(0))
    for key in range(3):
        state = turn(state, jax.random.key(key))
    print(name, sum(state.rewards.tolist()))

solver = solvers.make("cfr+", jaxpoker.make("kuhn"))
strategy = solver.average(solver.run(solver.init(), 1_000))
print("exploitability", solvers.exploitability(solver.game, strategy))

for name in ("blueprint", "ppo", "chicagonet", "dqn"):
    bot, params = players.entrant(name)
    print(name, sum(leaf.size for leaf in jax.tree.leaves(params)))
game = jaxpoker.make("holdem")
act = jax.jit(bot.act, static_argnums=2)
state = jax.jit(game.init)(jax.random.key(1))
print("acts", act(params, bot.init_memory(params), game, state, jax.random.key(2))[0])
"""


def test_games_play_kuhn_is_solved_and_shipped_bots_load_and_act(bare: Environment) -> None:
    said = {what: float(number) for what, number in map(str.split, bare.python(PLAY_AND_SOLVE).splitlines())}
    assert [said[game] for game in ("kuhn", "leduc", "holdem", "chicago")] == [0] * 4
    assert 0 <= said["exploitability"] < 1e-3
    assert all(said[bot] > 100_000 for bot in ("blueprint", "ppo", "chicagonet", "dqn"))  # params
    assert said["acts"] in range(-1, 201)  # chips of a stack of 100 big blinds


def test_the_command_runs_what_the_wheel_brought_along(bare: Environment) -> None:
    listed = bare.run("jaxpoker")
    assert listed.returncode == 0 and "  solve " in listed.stdout, listed.stderr
    done = bare.run("jaxpoker", "equity", "AA", "KK")
    assert done.returncode == 0 and "82" in done.stdout, done.stderr


def test_the_page_without_its_extra_says_what_to_install(bare: Environment) -> None:
    done = bare.run("jaxpoker-play", "--no-browser", "--port", "0")
    assert done.returncode == 2
    assert "pip install 'jaxpoker[ui]'" in done.stderr and "--terminal" in done.stderr


@pytest.fixture
def page(with_page: Environment, tmp_path: Path) -> Iterator[http.client.HTTPConnection]:
    """A connection to the page that ``jaxpoker-play`` serves, once it has warmed up; Ctrl-C ends it."""
    command = [with_page.bin / "jaxpoker-play", "--no-browser", "--port", "0", "--opponent", "calling machine"]
    errors = tmp_path / "errors"
    with (
        open(errors, "w") as told,
        subprocess.Popen(
            command, cwd=with_page.elsewhere, env=with_page.variables, stdout=subprocess.PIPE, stderr=told, text=True
        ) as process,
    ):
        try:
            assert process.stdout is not None
            said = ""
            while "Play at" not in said and (line := process.stdout.readline()):
                said += line
            assert "Ready in" in said, errors.read_text()
            port = int(said.split("http://127.0.0.1:")[1].split("/")[0])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            yield connection
            connection.close()
            process.send_signal(signal.SIGINT)
            assert process.wait() == 0, errors.read_text()
        finally:
            process.kill()


def test_the_page_is_served_with_its_parts(page: http.client.HTTPConnection, repository: Path) -> None:
    page.request("GET", "/api/opponents")
    assert json.loads(page.getresponse().read())[0]["name"] == "calling machine"
    static = repository / "jaxpoker" / "app" / "static"
    for path in ["", *(f"static/{file.relative_to(static)}" for file in static.rglob("*") if file.is_file())]:
        page.request("GET", f"/{path}")
        answer = page.getresponse()
        content = answer.read()
        assert answer.status == 200
        assert content == (static / (path.removeprefix("static/") or "index.html")).read_bytes()
