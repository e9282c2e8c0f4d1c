"""Who imports whom, and where tests stand: dependencies point one way, and tests mirror the modules."""

import ast
import collections
import re
from pathlib import Path

import pytest

# Each may import those above it, and what stands with it on a line may not import each other.
LAYERS = (
    ("registry",),
    ("jaxpoker",),  # makes games by name, and imports them when it does
    ("arguments", "blocks", "errors"),
    ("files",),
    ("cards", "core", "dashboard", "devices"),
    ("hands", "ranges"),
    ("charts", "equity", "icm"),
    ("games", "plots", "runs"),
    ("models", "statistics"),
    ("players",),
    ("aivat",),
    ("match",),
    ("rivals",),
    ("solvers",),
    ("learners", "coach", "adapters"),
    ("studies",),  # of experiments: their settings, evaluations, tables and pictures
    ("app",),
)
# The rooms of solvers, likewise: a room may import those above it.
ROOMS = (
    ("action_sums",),
    ("regret",),
    ("sweep",),
    ("tree", "showdowns", "abstraction", "push_fold"),
    ("exact", "subgame"),
    ("flops",),
    ("sampling", "blueprint"),
    ("response", "making", "spots"),
    ("solvers",),  # the package itself: what a user types
)
# Solvers stand on players: the registry names some of what they solved, and imports it when it is asked for.
PLACE = {name: place for place, layer in enumerate(LAYERS) for name in layer}
MOST_MODULES = 15  # of a folder


def modules(root: Path) -> dict[str, Path]:
    def name(path: Path) -> str:
        parts = path.relative_to(root.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    return {name(path): path for path in root.rglob("*.py")}


def imported(module: str, path: Path, known: dict[str, Path], at_start: bool) -> set[str]:
    """Modules of ours that ``module`` imports; ``at_start``: when it is itself imported, not in a function."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if at_start and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in known else node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text()))
    return {name for name in found if name in known} - {module}


@pytest.fixture(scope="module")
def known(repository):
    return modules(repository / "jaxpoker")


def package(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def test_packages_import_only_what_lies_below_them(known):
    assert {package(module) for module in known} == set(PLACE), "a package without a place, or a place without one"
    wrong = [
        f"{module} imports {other}"
        for module, path in known.items()
        for other in sorted(imported(module, path, known, at_start=False))
        if package(other) != package(module) and PLACE[package(other)] >= PLACE[package(module)]
    ]
    assert not wrong, "\n".join(wrong)


def test_rooms_of_solvers_import_only_what_lies_below_them(known):
    place = {name: number for number, layer in enumerate(ROOMS) for name in layer}
    solvers = {module: path for module, path in known.items() if package(module) == "solvers"}

    def room(module: str) -> str:
        return (*module.split("."), "solvers")[2]

    assert {room(module) for module in solvers} == set(place), "a room without a place, or a place without one"
    wrong = [
        f"{module} imports {other}"
        for module, path in solvers.items()
        for other in sorted(imported(module, path, known, at_start=False))
        if other in solvers and room(other) != room(module) and place[room(other)] >= place[room(module)]
    ]
    assert not wrong, "\n".join(wrong)


def drawn(page: Path) -> list[tuple[str, ...]]:
    """The names on each line of the first drawing of a page, up to a line of dashes."""
    drawing = page.read_text().split("```")[1].split("\n---")[0]
    return [tuple(re.findall(r"\w+", line.split("   ")[0].replace(".py", ""))) for line in drawing.strip().splitlines()]


def test_the_drawing_of_the_architecture_has_these_layers(repository):
    assert drawn(repository / "docs" / "architecture.md") == list(LAYERS)


def test_the_drawing_of_the_solvers_has_these_rooms(repository):
    *rooms, package_itself = drawn(repository / "jaxpoker" / "solvers" / "README.md")
    assert package_itself == ("__init__",) and rooms == list(ROOMS[:-1])


@pytest.mark.parametrize(
    ("house", "shared"),
    [
        ("learners", ("experience",)),  # families of learners have the games that they play in common
        ("studies", ()),  # two experiments share what stands directly in studies
    ],
)
def test_rooms_of_a_house_import_nothing_of_each_other(known, house, shared):
    rooms = {module: module.split(".")[2] for module in known if module.startswith(f"jaxpoker.{house}.")}
    packages = {room for module, room in rooms.items() if module.count(".") > 2}
    assert packages, f"jaxpoker.{house} has no rooms"
    wrong = [
        f"{module} imports {other}"
        for module, room in rooms.items()
        for other in sorted(imported(module, known[module], known, at_start=False))
        if rooms.get(other, room) in packages - {room, *shared}
    ]
    assert not wrong, "\n".join(wrong)


def test_no_folder_of_the_package_has_more_than_fifteen_modules(known):
    folders = collections.Counter(path.parent for path in known.values() if path.name != "__init__.py")
    crowded = {str(folder): number for folder, number in folders.items() if number > MOST_MODULES}
    assert not crowded, crowded


def test_no_module_imports_itself_by_a_detour(known):
    """Within a package, too; ``from package import module`` is an import of the module."""
    graph = {module: imported(module, path, known, at_start=True) for module, path in known.items()}
    done: set[str] = set()

    def walk(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join((*way[way.index(module) :], module))
        if module not in done:
            for other in sorted(graph[module]):
                walk(other, (*way, module))
            done.add(module)

    for module in sorted(graph):
        walk(module, ())


def test_the_library_stands_on_nothing_of_the_repository_around_it(known):
    around = ("experiments", "scripts", "tests", "bench_peers")
    for module, path in known.items():
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] in around], f"{module} imports {names}"


def test_a_file_that_is_longer_than_500_lines_says_why(repository):
    for folder in ("jaxpoker", "experiments", "scripts", "tests"):
        for path in (repository / folder).rglob("*.py"):
            lines = path.read_text().splitlines()
            doc = ast.get_docstring(ast.parse("\n".join(lines))) or ""
            assert len(lines) <= 500 or "500 lines" in doc, f"{path.relative_to(repository)} has {len(lines)} lines"


# --- tests mirror the modules -----------------------------------------------------------------

FEW_LINES = 30  # of code: a module of no more needs no test file of its own
# Modules without one, by folder. Solvers have none; the others become fewer and never more.
WITHOUT_TESTS_OF_THEIR_OWN = {
    "app": "dealer guard hand_history run_view strategy_view terminal views",
    "coach": "explanation implied_range wording",
    "games": "packed",
    "games.chicago": "hands reveals table text tokens view worlds",
    "games.holdem": "counts pots table view",
    "learners.experience": "opponent_pool",
    "models": "belief_heads policy",
    "runs": "config folder loop",
    "studies": "gradient_settings",
    "studies.belief": "config learner plots report",
    "studies.demo": "tables",
    "studies.dqn": "config learner plots report",
    "studies.evolve": "champion config learner report",
    "studies.gauntlet": "config report session",
    "studies.ppo": "config learner report",
    "studies.reinforce": "chicago_evaluation config learner matches plots report",
    "studies.solve": "solvers training",
    "studies.spot": "answers config session",
}


def lines_of_code(path: Path) -> int:
    """Without comments, docstrings and empty lines, each statement as short as it can be written."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree).count("\n") + 1


def untested(repository: Path, known: dict[str, Path], by_folder: bool) -> set[str]:
    """Modules of more than a few lines without a ``test_NAME.py`` in the mirrored folder; ``by_folder``: one of the
    name of their folder, such as tests/test_equity.py, will do.
    """
    found = set()
    for module, path in known.items():
        if path.name == "__init__.py" or lines_of_code(path) <= FEW_LINES:
            continue
        _, *folders, name = module.split(".")
        files = [repository.joinpath("tests", *folders, f"test_{name}.py")]
        if by_folder and folders:
            files.append(repository.joinpath("tests", *folders[:-1], f"test_{folders[-1]}.py"))
        if not any(file.is_file() for file in files):
            found.add(".".join((*folders, name)))
    return found


def test_every_module_of_the_solvers_has_a_test_file_of_its_name(known, repository):
    missing = sorted(name for name in untested(repository, known, by_folder=False) if name.startswith("solvers."))
    assert not missing, f"write test_NAME.py in the mirrored folder for {missing}"


def test_modules_without_a_test_file_become_fewer(known, repository):
    missing = {name for name in untested(repository, known, by_folder=True) if not name.startswith("solvers.")}
    listed = {
        ".".join(filter(None, (folder, name)))
        for folder, names in WITHOUT_TESTS_OF_THEIR_OWN.items()
        for name in names.split()
    }
    assert not missing - listed, f"write test_NAME.py in the mirrored folder for {sorted(missing - listed)}"
    assert not listed - missing, f"strike off the list: {sorted(listed - missing)}"
