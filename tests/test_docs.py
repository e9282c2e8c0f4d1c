"""README, CONTRIBUTING and the site: their code runs as it stands there, their commands exist, and the site builds."""

import contextlib
import io
import itertools
import os
import pkgutil
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import jaxpoker

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
SITE = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
PLACEHOLDER = "NAME"  # of a run that a reader has made
OURS = re.compile(r"(scripts/|pip install ).*")  # variables, an interpreter or another's tool may come before it

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """The code of a page's blocks in a language, each with the line it begins at."""
    text = page.read_text()
    found = (match for match in BLOCK.finditer(text) if match[1] == language)
    return [(text.count("\n", 0, match.start(2)), match[2]) for match in found]


def test_blocks_are_told_from_text(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("text\n```python\na = 1\nb = 2\n```\n```sh\nscripts/run\n```\n```python\nc = 3\n```\n")
    assert blocks(page, "python") == [(2, "a = 1\nb = 2\n"), (9, "c = 3\n")]
    assert blocks(page, "sh") == [(6, "scripts/run\n")]


# --- Python -----------------------------------------------------------------------------------

RUN_EACH = "import runpy, sys; [runpy.run_path(page) for page in sys.argv[1:]]"


def as_script(page: Path, folder: Path) -> Path:
    """A file with a page's Python alone, every line where it is on the page, so that errors name it."""
    lines: list[str] = []
    for start, code in blocks(page, "python"):
        lines += [""] * (start - len(lines)) + code.splitlines()
    script = folder / page.relative_to(ROOT).with_suffix(".py")
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text("\n".join(lines) + "\n")
    return script


@pytest.mark.slow
def test_python_runs(tmp_path: Path) -> None:
    # One process for all pages: what they compile alike is compiled once.
    scripts = [str(as_script(page, tmp_path)) for page in (README, *SITE) if blocks(page, "python")]
    assert len(scripts) > 10
    done = subprocess.run([sys.executable, "-c", RUN_EACH, *scripts], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "mBB/hand" in done.stdout and "%" in done.stdout


# --- commands ---------------------------------------------------------------------------------


def commands() -> list[tuple[str, str]]:
    """Every line of a shell block of ours, with its page."""
    return [
        (str(page.relative_to(ROOT)), line.strip())
        for page in (README, CONTRIBUTING, *SITE)
        for _, code in blocks(page, "sh")
        for line in code.splitlines()
        if line.strip()
    ]


def help_of(script: Path, cache: dict[Path, str] = {}) -> str:  # noqa: B006  # a script is asked once
    """What a script answers to --help; Python in this process, where everything is imported already."""
    if script not in cache:
        if script.suffix == ".py":
            said, before = io.StringIO(), (sys.argv, sys.path)
            sys.argv, sys.path = [str(script), "--help"], [str(script.parent), *sys.path]
            try:
                with contextlib.redirect_stdout(said), pytest.raises(SystemExit) as stopped:
                    runpy.run_path(str(script), run_name="__main__")
            finally:
                sys.argv, sys.path = before
            assert not stopped.value.code, said.getvalue()
            cache[script] = said.getvalue()
        else:
            cache[script] = subprocess.run([script, "--help"], capture_output=True, text=True, check=True).stdout
    return cache[script]


def mistake(command: str) -> str | None:
    """What is wrong with a command: a script, a flag, a preset or a file that is not there."""
    ours = OURS.search(command)
    if ours is None:
        return None if command.startswith("export ") else "nothing of ours"
    text = ours[0].rstrip(" &")
    words = shlex.split(text.rstrip('"') if text.count('"') % 2 else text, comments=True)
    if words[0] == "pip":
        extras = re.findall(r"\[(.*)\]", command)
        known = set(re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), flags=re.MULTILINE))
        unknown = {extra for group in extras for extra in group.split(",")} - known
        return f"no extra {unknown}" if unknown else None
    script, arguments = ROOT / words[0], words[1:]
    if not script.is_file():
        return f"no script {words[0]}"
    if words[0] == "scripts/run" and arguments and not arguments[0].startswith("-"):
        script, arguments = ROOT / "experiments" / f"{arguments[0]}.py", arguments[1:]
        if not script.is_file():
            return f"no experiment {script.stem}"
    said = help_of(script)
    for word, value in itertools.pairwise([*arguments, ""]):
        if word.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", said):
            return f"{words[0]} has no flag {word}"
        if word == "--preset" and not re.search(rf"\b{re.escape(value)}:", said):
            return f"{script.stem} has no preset {value}"
        is_path = re.match(r"(experiments|docs|scripts|tests)/", word)
        if is_path and not (ROOT / word).exists():
            return f"no file {word}"
        if word.startswith("runs/") and PLACEHOLDER not in word:
            return f"{word} is nobody's run: say {PLACEHOLDER}"
    return None


def test_commands_exist() -> None:
    found = [(page, command, mistake(command)) for page, command in commands()]
    assert len(found) > 30
    wrong = [f"{page}: {command}: {why}" for page, command, why in found if why]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "command",
    [
        "scripts/run nosuch",
        "scripts/run solve --no-such-flag",
        "scripts/run solve --gam leduc",
        "scripts/run solve --preset nosuch",
        "scripts/run solve --config experiments/configs/nosuch.yaml",
        "scripts/nosuch",
        "script/run solve",
        "srun --nodes 4 scripts/run solve --no-such-flag",
        ".venv/bin/python scripts/equity.py AA KK --bord Qh7h2c",
        "pip install -e '.[nosuch]'",
        "scripts/play.py --opponent runs/evolve/mine",
    ],
)
def test_a_wrong_command_would_be_noticed(command: str) -> None:
    assert mistake(command)


# --- READMEs inside the package ---------------------------------------------------------------

READMES = sorted((ROOT / "jaxpoker").rglob("README.md"))
FILE = re.compile(r"`((?:\.\./)*[\w/]+(?:\.py|\.md|/))`")
ROW = re.compile(r"^\| [^|]+\? \| ([^|]+) \| `(\w+)` \|$", flags=re.MULTILINE)


@pytest.mark.parametrize("page", READMES, ids=lambda page: page.parent.name)
def test_files_that_a_readme_names_are_there(page: Path) -> None:
    named = FILE.findall(page.read_text())
    assert named
    around = (page.parent, page.parent.parent, ROOT)

    def is_there(name: str) -> bool:
        return any((at / name).exists() for at in around) or any(page.parent.rglob(name))

    missing = [name for name in named if PLACEHOLDER not in name and not is_there(name)]
    assert not missing, f"{page.relative_to(ROOT)}: {missing}"


def test_the_readme_of_solvers_says_where_things_are() -> None:
    page = ROOT / "jaxpoker" / "solvers" / "README.md"
    rows = ROW.findall(page.read_text())
    assert len(rows) > 30
    for files, name in rows:
        for file in FILE.findall(files):
            code = (page.parent / file).read_text()
            written = re.search(rf"^ *(?:(?:def|class) {name}\b|{name} = )", code, re.MULTILINE)
            assert written, f"{file} has no {name}"


def test_every_room_of_solvers_has_a_readme_that_the_first_one_names() -> None:
    solvers = ROOT / "jaxpoker" / "solvers"
    rooms = {path.parent.name for path in solvers.glob("*/__init__.py")}
    assert rooms == {path.parent.name for path in READMES if path.parent.parent == solvers}
    text = (solvers / "README.md").read_text()
    assert all(f"| `{room}/` |" in text for room in rooms)


def test_words_of_the_glossary_have_the_names_of_the_code() -> None:
    rows = re.findall(r"^\|[^|]+\|[^|]+\|([^|]+)\|$", (DOCS / "glossary.md").read_text(), flags=re.MULTILINE)
    code = " ".join(f"{path} {path.read_text()}" for path in (ROOT / "jaxpoker").rglob("*.py"))
    said = " ".join(text for row in rows for text in re.findall(r"`([^`]+)`", row))
    names = set(re.findall(r"[A-Za-z_]\w*", said))
    assert len(rows) > 80 and len(names) > 100
    unknown = [name for name in sorted(names) if not re.search(rf"\b{name}\b", code)]
    assert not unknown, unknown


# --- links ------------------------------------------------------------------------------------

LINK = re.compile(r"\]\((?!https?:)([^)#]+)[^)]*\)")


@pytest.mark.parametrize("page", [README, CONTRIBUTING], ids=lambda page: page.name)
def test_links_lead_to_files_that_are_there(page: Path) -> None:
    """Those of the site's pages are checked where the site is built."""
    links = LINK.findall(page.read_text())
    assert len(links) > 10
    assert not [link for link in links if not (ROOT / link).exists()]


# --- the site ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as scripts/docs builds it."""
    folder = tmp_path_factory.mktemp("site")
    flags = ["--quiet", "--fail-on-warning", "--keep-going", "--nitpicky"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *flags, str(DOCS), str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr  # a page in no list of contents is a warning, too
    return folder


@pytest.mark.slow
def test_every_module_is_in_the_reference(site: Path) -> None:
    pages = "".join(path.read_text() for path in (site / "reference").glob("*.html"))
    modules = [module.name for module in pkgutil.walk_packages(jaxpoker.__path__, "jaxpoker.")]
    missing = [name for name in modules if f'id="module-{name}"' not in pages]
    assert not missing, f"name them in docs/reference/*.rst: {missing}"


@pytest.mark.slow
def test_shapes_beside_fields_are_in_the_reference(site: Path) -> None:
    games = (site / "reference" / "games.html").read_text()
    assert "players] float32, for the last action" in games  # a comment of core.State


def test_every_report_has_a_page(repository: Path) -> None:
    made = {path.parent.name for path in (repository / "experiments" / "reports").glob("*/README.md")}
    assert made == {path.stem for path in (DOCS / "reports").glob("*.md")} - {"index"}
