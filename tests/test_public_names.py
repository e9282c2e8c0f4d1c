"""What a user types: names that exist, that a type checker knows, and that cost nothing until they are used."""

import ast
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
