"""The command ``jaxpoker``: everything that scripts and experiments do, by one name.

    jaxpoker play                              a table against the blueprint, in your browser
    jaxpoker solve --game leduc                or any other experiment by its name
    jaxpoker equity "AhKh" "QQ+, AK"
    jaxpoker solve --help

They are the files in ``experiments/`` and ``scripts/`` of a checkout, which a wheel brings along.
"""

from __future__ import annotations

import ast
import os
import runpy
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

NAME = "jaxpoker"
SCRIPTS = ("bench", "equity", "play")  # of scripts/; all of experiments/ are commands
FIRST = ("play", "solve", "spot", "equity", "gauntlet", "bench")  # what most people want


def folder() -> Path:
    """Where ``experiments`` and ``scripts`` are: in the checkout, or in what the wheel installed."""
    checkout = Path(__file__).resolve().parents[2]
    return checkout if (checkout / "experiments").is_dir() else Path(sysconfig.get_path("data")) / "share" / NAME


def commands() -> dict[str, Path]:
    """The file of each command, the most wanted first."""
    here = folder()
    found = {path.stem: path for path in sorted((here / "experiments").glob("[!_]*.py"))}
    found |= {name: here / "scripts" / f"{name}.py" for name in SCRIPTS if (here / "scripts" / f"{name}.py").is_file()}
    order = [*(name for name in FIRST if name in found), *(name for name in found if name not in FIRST)]
    return {name: found[name] for name in order}


def _about(file: Path) -> str:
    """The first line of what a file says of itself."""
    said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return said.partition("\n")[0]


def listing() -> str:
    """All commands, for people."""
    lines = [f"  {name:<10} {_about(file)}" for name, file in commands().items()]
    return "\n".join([f"usage: {NAME} COMMAND [ARGUMENT ...]; {NAME} COMMAND --help shows its arguments", "", *lines])


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command as if its file had been called; 2 for one that there is none of."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        print(listing())
        return 0
    known = commands()
    if given[0] not in known:
        print(f"error: unknown command {given[0]!r}; commands are {', '.join(known)}", file=sys.stderr)
        return 2
    file = known[given[0]]
    checkout = Path(__file__).resolve().parents[2]
    if file.is_relative_to(checkout):  # compiled functions are kept where scripts/run keeps them
        os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(checkout / ".cache" / "jax"))
    sys.argv = [str(file), *given[1:]]
    sys.path.insert(0, str(file.parent))
    try:
        runpy.run_path(str(file), run_name="__main__")
    except SystemExit as stopped:
        if stopped.code is None or isinstance(stopped.code, int):
            return stopped.code or 0
        print(stopped.code, file=sys.stderr)
        return 1
    return 0
