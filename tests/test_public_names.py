"""What a user types: names that exist, that a type checker knows, and that cost nothing until they are used."""

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from mypy import api

import jaxpoker


def test_every_module_is_a_name_of_the_package_at_run_time_and_for_type_checkers(repository: Path) -> None:
    modules = {module.name for module in pkgutil.iter_modules(jaxpoker.__path__)}
    assert set(jaxpoker.__all__) == modules | {"GAMES", "__version__", "make", "register"}
    tree = ast.parse((repository / "jaxpoker" / "__init__.py").read_text())
    (checked,) = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for node in checked.body if isinstance(node, ast.ImportFrom) and node.module == "jaxpoker"]
    assert {alias.name for node in imports for alias in node.names} == modules


def test_a_module_is_imported_when_somebody_asks_for_it(repository: Path) -> None:
    code = (
        "import sys, jaxpoker; before = 'jaxpoker.cards' in sys.modules or 'jax' in sys.modules; "
        "jaxpoker.cards.parse('Ah'); print(before, 'jaxpoker.cards' in sys.modules, 'jaxpoker.match' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True", "False"], done.stderr


def test_a_name_that_is_none_is_told_so() -> None:
    with pytest.raises(AttributeError, match="module 'jaxpoker' has no attribute 'mach'"):
        jaxpoker.mach  # noqa: B018


@pytest.mark.parametrize("package", ["games", "learners", "models", "players", "solvers"])
def test_a_package_exports_what_is_there(package: str) -> None:
    module = getattr(jaxpoker, package)
    assert module.__all__ == [name for name in module.__all__ if hasattr(module, name)]


def test_every_game_is_exported_by_its_name() -> None:
    for name in jaxpoker.GAMES:
        kind = type(jaxpoker.make(name))
        assert kind.__name__ in jaxpoker.games.__all__ and getattr(jaxpoker.games, kind.__name__) is kind


# --- examples ---------------------------------------------------------------------------------

MODULES = {
    module.name: (Path(jaxpoker.__path__[0]).parent / module.name.replace(".", "/"))
    for module in pkgutil.walk_packages(jaxpoker.__path__, "jaxpoker.")
} | {"jaxpoker": Path(jaxpoker.__path__[0])}
SOURCES = {
    name: (path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py").read_text()
    for name, path in MODULES.items()
}
WITH_EXAMPLES = [name for name, source in SOURCES.items() if ">>> " in source]
FRONT = {
    "jaxpoker",
    "jaxpoker.cards",
    "jaxpoker.equity",
    "jaxpoker.hands",
    "jaxpoker.match",
    "jaxpoker.players.registry",
}


def test_the_front_functions_have_examples() -> None:
    assert set(WITH_EXAMPLES) >= FRONT | {"jaxpoker.ranges"}


@pytest.mark.parametrize("name", WITH_EXAMPLES)
@pytest.mark.usefixtures("forgets_names")
def test_examples_say_what_comes_out(name: str) -> None:
    found = [test for test in doctest.DocTestFinder().find(importlib.import_module(name)) if test.examples]
    assert sum(len(test.examples) for test in found) == SOURCES[name].count(">>> "), "an example that nobody finds"
    runner = doctest.DocTestRunner(verbose=False)
    said: list[str] = []
    for test in found:
        runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)


# --- for a type checker -----------------------------------------------------------------------

USE = """
import jaxpoker

result: jaxpoker.match.Result
text: str = jaxpoker.cards.text([1, 2])
number: int = jaxpoker.cards.text([1, 2])
jaxpoker.match.pley
jaxpoker.mach
reveal_type(jaxpoker.make("kuhn"))
"""
SAID = (
    (6, 'expression has type "str", variable has type "int"'),
    (7, 'Module has no attribute "pley"'),
    (8, 'Module has no attribute "mach"'),
    (9, 'Revealed type is "jaxpoker.core.Game"'),
)


def test_modules_have_their_types(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """mypy reads the modules that are used here and skips all others: that is fast."""
    monkeypatch.chdir(repository)
    use, config, package = tmp_path / "use.py", tmp_path / "mypy.ini", repository / "jaxpoker"
    use.write_text(USE)
    config.write_text("[mypy]\nexplicit_package_bases = True\nfollow_imports = skip\nignore_missing_imports = True\n")
    ours = [str(package / f"{module}.py") for module in ("__init__", "registry", "core", "cards", "match")]
    said, wrong, _ = api.run([f"--config-file={config}", f"--cache-dir={tmp_path / 'cache'}", *ours, str(use)])
    assert not wrong, wrong
    found = [line for line in said.splitlines() if "use.py" in line]
    assert len(found) == len(SAID), said
    for line, (number, what) in zip(found, SAID, strict=True):
        assert f"use.py:{number}: " in line and what in line
