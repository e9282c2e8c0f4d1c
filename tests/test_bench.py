"""scripts/bench.py: every bar has its figure, pages show what was measured, and two versions can be compared.

Nothing of ours is measured here.
"""

from __future__ import annotations

import importlib
import math
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module", autouse=True)
def _scripts_on_the_path(repository: Path) -> Iterator[None]:
    sys.path.insert(0, str(repository / "scripts"))
    yield
    sys.path.remove(str(repository / "scripts"))


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    return importlib.import_module("bench_peers.figures")


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    return importlib.import_module("bench_peers.tables")


@pytest.fixture(scope="module")
def kept(tables: ModuleType, repository: Path) -> list[dict[str, Any]]:
    """The rows of docs/bench.json."""
    return tables.read_rows(repository / "docs" / "bench.json")


# --- bars -------------------------------------------------------------------------------------

AGAINST_PEERS = {  # (part of a figure's name, part of a peer's): how many times as fast
    ("from suit masks", "sval"): 2,
    ("from card ids", "pkrbot"): 15,
    ("from card ids", "eval7"): 15,
    ("from card ids", "treys"): 15,
    ("equity against a random hand", "eval7"): 2,
    ("equity against a range", "eval7"): 2,
    ("play at 8,192 tables: Kuhn", "pgx"): 2,
    ("play at 8,192 tables: Leduc", "pgx"): 4,
    ("hold'em, two players", "pokers"): 10,
    ("Leduc by CFR+", "OpenSpiel (JAX)"): 15,
    ("50 PokerNets at 64 tables", "torch"): 1,
    ("import jaxpoker", "import jax"): 1 / 1.5,
}
ALONE = {  # part of a figure's name: units a second at least, seconds or bytes at most
    "exact equity on a flop": ("at_most_s", 0.05),
    "hold'em, six players": ("at_least_per_s", 1_000_000),
    "from nothing to exploitability 0.001": ("at_most_s", 0.1),
    "exploitability of a Leduc strategy": ("at_least_per_s", 100),
    "evolution with stacks carried over": ("at_least_per_s", 40_000),
    "evolution with stacks reset": ("at_least_per_s", 40_000),
    "a generation of the preset full": ("at_most_s", 20 * 60 / 250),
    "by external sampling to exploitability 0.01": ("at_most_s", 10),
    "by public chance sampling to exploitability 0.01": ("at_most_s", 10),
    "hold'em with 100 big blinds": ("at_least_per_s", 8),
    "all hands of hold'em boards": ("at_least_per_s", 5),
    "a look into the shipped blueprint": ("at_most_s", 0.05),
    "Chicago, four players": ("at_least_per_s", 200_000),
    "REINFORCE on Chicago for two": ("at_least_per_s", 12_000),
    "REINFORCE on Chicago for four": ("at_least_per_s", 12_000),
    "Double DQN on hold'em": ("at_least_per_s", 50_000),
    "Kuhn with a search of 50": ("at_least_per_s", 4_500),
    "full advice of the coach, 1,000 rollouts": ("at_most_s", 0.3),
    "slowest answer to an action": ("at_most_s", 0.1),
    "memory of scripts/run evolve --preset full": ("at_most_bytes", 2e9),
    "memory of scripts/run reinforce --preset full": ("at_most_bytes", 4e9),
    "memory of scripts/run solve": ("at_most_bytes", 1e9),
}


@pytest.mark.parametrize("part, peer", AGAINST_PEERS)
def test_a_bar_against_a_peer_has_its_figure(figures: ModuleType, part: str, peer: str) -> None:
    least = [other.at_least for one in figures.FIGURES if part in one.name for other in one.peers if peer in other.name]
    assert AGAINST_PEERS[part, peer] in least


@pytest.mark.parametrize("part", ALONE)
def test_a_bar_without_a_peer_has_its_figure(figures: ModuleType, part: str) -> None:
    [figure] = [figure for figure in figures.FIGURES if part in figure.name]
    kind, bar = ALONE[part]
    assert getattr(figure, kind) == bar


def test_no_two_figures_have_the_same_name(figures: ModuleType) -> None:
    names = [figure.name for figure in figures.FIGURES]
    assert len(set(names)) == len(names)


# --- the table --------------------------------------------------------------------------------


def row(figure: str, **fields: Any) -> dict[str, Any]:
    side = {"best_s": 0.002, "median_s": 0.003, "best_per_s": 2_500_000.0, "answer": 1.5e9}
    made = {"date": "2026-01-31", "commit": "abc", "load": 0.5, "cores": 2, "processor": "a processor"}
    return {
        "figure": figure,
        "unit": "hands",
        "ours": side,
        "made": {**made, "system": "Linux", "python": "3.11.7", "jax": "0.10.2"},
        **fields,
    }


PEER = {
    "peer": "sval",
    "package": "sval",
    "version": "0.1.2",
    "theirs": {"best_per_s": 500_000.0},
    "ratio_of_bests": 5.0,
    "bar": {"ratio_at_least": 2},
    "met": True,
}


@pytest.mark.parametrize(
    "fields, line",
    [
        (PEER, "| deal: hands a second | 2.5 M | sval 500 k | 5 × | ≥ 2 × |"),
        ({"bar": {"at_least_per_s": 3e6}, "met": False}, "| deal: hands a second | 2.5 M |  |  | ≥ 3 M, **missed** |"),
        ({"unit": "calls", "bar": {"at_most_s": 0.05}, "met": True}, "| deal | 2 ms |  |  | ≤ 50 ms |"),
        ({"unit": "calls", "by_median": True}, "| deal | 3 ms |  |  |  |"),
        ({"unit": "bytes", "bar": {"at_most_bytes": 2e9}, "met": True}, "| deal | 1.50 GB |  |  | ≤ 2 GB |"),
        ({"peer": "sval", "skipped": "not installed"}, "| deal: hands a second | | sval: not measured | | |"),
    ],
    ids=["peer", "missed", "time", "median", "memory", "skipped"],
)
def test_a_row_of_the_table(tables: ModuleType, fields: dict[str, Any], line: str) -> None:
    assert tables.markdown([row("deal", **fields)]).splitlines()[2:] == [line]


def test_writing_the_table_changes_only_what_is_between_the_marks_and_twice_is_once(tables: ModuleType) -> None:
    rows = [row("deal", **PEER), row("shuffle")]
    before = f"# Title\n{tables.BEGIN}\nold\n{tables.END}\nafter\n"
    once = tables.written_into(before, rows)
    assert once.startswith("# Title\n") and once.endswith("\nafter\n") and "old" not in once
    assert "abc" in once and "3.11.7" in once and "sval 0.1.2" in once
    assert tables.written_into(once, rows) == once


def test_a_text_without_marks_is_refused(tables: ModuleType) -> None:
    for text in ("", tables.BEGIN, f"{tables.END} {tables.BEGIN}"):
        with pytest.raises(ValueError, match="put the two marks"):
            tables.written_into(text, [row("deal")])


def test_measuring_a_figure_again_replaces_its_rows_alone(tables: ModuleType) -> None:
    old = [row("deal", **PEER), row("deal"), row("shuffle"), row("gone")]
    new = row("deal", unit="calls")
    assert tables.joined(old, [new], ["shuffle", "deal"]) == [row("shuffle"), new]


def test_the_tables_on_the_pages_are_of_the_rows_that_were_kept(
    tables: ModuleType, kept: list[dict[str, Any]], repository: Path
) -> None:
    page, readme = ((repository / name).read_text() for name in ("docs/speed.md", "README.md"))
    assert tables.written_into(page, kept) == page
    assert tables.written_into(readme, kept, few=True) == readme
    assert set(tables.FEW) <= {row["figure"] for row in kept}


def test_the_readme_is_short(repository: Path) -> None:
    assert (repository / "README.md").read_text().count("\n") <= 150


def test_every_figure_was_measured_with_the_bar_that_it_has(figures: ModuleType, kept: list[dict[str, Any]]) -> None:
    for figure in figures.FIGURES:
        rows = [one for one in kept if one["figure"] == figure.name]
        assert rows, f"{figure.name}: scripts/bench.py --write --only {figure.name!r}"
        bars = [bar for one in rows for bar in one.get("bar", {}).items()]
        for kind in ("at_least_per_s", "at_most_s", "at_most_bytes"):
            bar = getattr(figure, kind)
            assert bar is None or (kind, bar) in bars
        assert {peer.name for peer in figure.peers} <= {one.get("peer") for one in rows}


# --- two versions -----------------------------------------------------------------------------

CHECKOUT = """
import time
from typing import NamedTuple

BYTES = "bytes"

class Repeat(NamedTuple):
    seconds: float
    processor_seconds: float
    answer: None

class Work(NamedTuple):
    amount: float
    repeat: object
    close: object = lambda: None

class Figure(NamedTuple):
    name: str
    unit: str
    prepare: object

def count():
    print("working")  # is no answer

    def repeat():
        time.sleep(0.001)
        return Repeat({seconds}, {seconds} / 2, None)

    return Work(10, repeat)

def missing():
    raise ValueError("no such table")

FIGURES = [Figure("count", "hands", count), Figure("memory", BYTES, missing), *{others}]
"""


def checkout(folder: Path, seconds: str, others: str = "[]") -> Path:
    """A stand-in for a checkout whose works say that they took ``seconds``."""
    (folder / "scripts" / "bench_peers").mkdir(parents=True)
    (folder / "scripts" / "bench_peers" / "__init__.py").touch()
    (folder / "scripts" / "bench_peers" / "figures.py").write_text(CHECKOUT.format(seconds=seconds, others=others))
    return folder


@pytest.fixture(scope="module")
def two_versions() -> ModuleType:
    return importlib.import_module("bench_peers.two_versions")


@pytest.mark.parametrize("new, ratio, slower", [("0.2", 0.5, True), ("0.1", 1.0, False), ("0.104", 0.962, False)])
def test_a_version_is_slower_by_its_own_figures(
    two_versions: ModuleType, tmp_path: Path, new: str, ratio: float, slower: bool
) -> None:
    made = two_versions.row(checkout(tmp_path / "old", "0.1"), checkout(tmp_path / "new", new), "count", 2)
    assert made["wall"] == pytest.approx({"ratio": ratio, "low": ratio, "high": ratio}, rel=1e-3)
    assert made["processor"] == pytest.approx(made["wall"])
    assert made["slower"] == slower == ("first_time" in made)


def test_only_figures_that_are_a_time_or_a_speed_are_compared(two_versions: ModuleType, tmp_path: Path) -> None:
    assert two_versions.figure_names(checkout(tmp_path, "1")) == ["count"]


def test_a_version_that_fails_is_named_with_its_last_words(two_versions: ModuleType, tmp_path: Path) -> None:
    others = '[Figure("gone", "hands", missing)]'
    old, new = checkout(tmp_path / "old", "1", others), checkout(tmp_path / "new", "1")
    assert two_versions.row(old, new, "gone", 2)["failed"] == f"{old}: ValueError: no such table"
    assert f"{new}: KeyError: 'count 2'" in two_versions.row(new, old, "count 2", 2)["failed"]


def test_the_interval_of_a_ratio_is_students(two_versions: ModuleType) -> None:
    # Logarithms -1, 0, 1: their deviation is 1, and 95% of Student's t with two degrees lie within 4.3027.
    found = two_versions.interval([math.exp(-1), 1.0, math.e])
    half = 4.3027 / math.sqrt(3)
    assert found == pytest.approx((1.0, math.exp(-half), math.exp(half)), rel=1e-4)


@pytest.mark.parametrize("wall, processor, slower", [(0.949, 1.1, True), (1.1, 0.949, True), (0.951, 0.951, False)])
def test_a_figure_is_slower_when_a_whole_interval_lies_below_the_bar(
    two_versions: ModuleType, wall: float, processor: float, slower: bool
) -> None:
    intervals = [two_versions.Interval(0.9, 0.8, high) for high in (wall, processor)]
    assert two_versions.Compared(*intervals, alternations=7).slower == slower


def test_a_figure_that_looks_slower_gets_a_second_chance(
    two_versions: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, fast = two_versions.Interval(0.5, 0.4, 0.6), two_versions.Interval(1.0, 0.9, 1.1)
    found = iter([two_versions.Compared(slow, slow, 7), two_versions.Compared(fast, fast, 7)])
    monkeypatch.setattr(two_versions, "compare", lambda *_: next(found))
    made = two_versions.row(Path("old"), Path("new"), "count", 7)
    assert not made["slower"] and made["wall"]["ratio"] == 1.0 and made["first_time"]["wall"]["ratio"] == 0.5


@pytest.mark.parametrize("alternations, message", [(7, "no checkout of jaxpoker"), (1, "at least two")])
def test_what_cannot_be_compared_is_refused(
    repository: Path, tmp_path: Path, alternations: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path if alternations == 7 else checkout(tmp_path / "old", "1")
    bench = runpy.run_path(str(repository / "scripts" / "bench.py"))
    options = bench["Options"](against=folder, alternations=alternations)
    assert bench["compare_versions"](options, folder, bench["Console"]()) == 2
    assert message in capsys.readouterr().err
