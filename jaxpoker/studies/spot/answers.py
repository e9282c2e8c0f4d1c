"""Questions about a solved spot that runs left: which file it is, and what a person sees of one decision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from jaxpoker import plots
from jaxpoker.errors import RunError
from jaxpoker.files import write_whole
from jaxpoker.players.registry import BLUEPRINT_FILE
from jaxpoker.runs.folder import existing_run
from jaxpoker.solvers import spots
from jaxpoker.solvers.flops import SolvedFlop, library
from jaxpoker.solvers.spots import charts, next_cards
from jaxpoker.solvers.spots.words import AnySolved
from jaxpoker.studies.spot.session import SOLVED_FILE, SOLVED_FLOP

SOLVED_FILES = (SOLVED_FILE, SOLVED_FLOP)
SUFFIXES = tuple(Path(name).suffix for name in SOLVED_FILES)


class Question(NamedTuple):
    """What is asked about a spot."""

    line: str = ""
    hands: str = ""  # a range: these hands one by one
    ranges: bool = False  # show both
    csv: Path | None = None  # "-": print it
    png: Path | None = None
    json: bool = False
    cards: bool = False  # which cards after the line change what


def file_of(run: str | None, runs: Path, about_spot: bool) -> Path | None:
    """The solved spot that ``run`` names, by its path or by its name among ``runs``; None when it is a blueprint's.

    ``about_spot``: the question is one that only spots answer.
    """
    if run is None:
        if about_spot:
            raise RunError("--line, --hand and --ranges are about a solved spot: name its run or its file with --run")
        return None
    path = Path(run)
    for file in (path, *(path / name for name in SOLVED_FILES)):
        if file.is_file() and file.suffix in SUFFIXES:
            return file
    of_run = [runs / "spot" / run / name for name in SOLVED_FILES]
    file = next((there for there in of_run if there.is_file()), of_run[0])
    if file.is_file() and (about_spot or not (runs / "solve" / run / BLUEPRINT_FILE).is_file()):
        return file
    if about_spot:
        existing_run(runs / "spot", run, "of scripts/run spot", SOLVED_FILE)
    return None


def answer(file: Path, asked: Question, console: Console) -> None:
    """Shows a decision: its grid, EV, equity and combos, and what else is asked for; or writes it as CSV or JSON."""
    answer_about(spots.load(file), asked, console)


def from_library(name: str) -> SolvedFlop:
    """A flop that ships, by a name such as "srp Kh7s2c"; in any suits, and shown in those of the library."""
    words = name.replace("/", " ").split()
    if len(words) != 2:
        there = ", ".join(f"'{pot} {flop}'" for pot, flop in library.listed())
        raise ValueError(f"--library {name!r}: a pot and a flop: {there}")
    return library.find(*words).solved


def answer_about(solved: AnySolved, asked: Question, console: Console) -> None:
    """Likewise, of a spot that is read already."""
    if asked.cards:
        if asked.csv is not None:
            _write(asked.csv, next_cards.as_csv(solved, asked.line))
        else:
            console.print(next_cards.table(solved, asked.line))
        return
    node = spots.find(solved, asked.line)
    if asked.csv is not None:
        _write(asked.csv, spots.as_csv(solved, node, asked.hands))
    if asked.png is not None:
        title, names = charts.title_of(solved, node), charts.names_of(solved, node)
        reach = {title: charts.class_shares(node)}
        plots.hand_grid(asked.png, {title: charts.class_mix(node)}, actions=names, reach=reach)
    if asked.json:
        print(json.dumps(spots.as_json(solved, node, asked.hands), indent=2))
    elif asked.csv is None and asked.png is None:
        console.print(charts.grid(solved, node))
        console.print(charts.summary(solved, node))
        if asked.ranges:
            console.print(charts.range_grids(solved, node))
        if asked.hands:
            console.print(charts.hands_table(solved, node, asked.hands))


def _write(path: Path, text: str) -> None:
    """Into a file; "-" prints it."""
    if str(path) == "-":
        print(text, end="")
    else:
        write_whole(path, text)
