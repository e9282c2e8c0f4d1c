#!/usr/bin/env python3
"""Makes a report of a finished run: what was run, the figures as they came out, and the pictures.

    python scripts/report.py runs/evolve/full --notes notes.md --out experiments/reports/evolve-seed

The folder gets README.md, summary.json and the pictures (as they are, without the checkpoints); the notes, Markdown of
yours, come after the figures: what they mean and what did not work.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from jaxpoker import runs
from jaxpoker.files import archives, write_whole
from jaxpoker.runs.folder import PLOTS, SUMMARY_FILE
from jaxpoker.runs.summary import PROVENANCE, processor

MOST_SUMMARY = 16 * archives.MB  # bytes

README = "README.md"


@dataclass(frozen=True)
class Options:
    """The run, and where its report goes."""

    run: Annotated[Path, tyro.conf.Positional]
    """Folder of a run that has ended."""
    out: Path
    """Folder of the report; one that it holds already is replaced."""
    title: str | None = None
    """Heading; the experiment and the run's name when left out."""
    notes: Path | None = None
    """Markdown to put after the figures."""


def report(run: Path, out: Path, title: str | None, notes: str) -> None:
    """Writes the report of ``run`` into the folder ``out``."""
    file = run / SUMMARY_FILE
    if not file.is_file():
        raise runs.RunError(f"no {SUMMARY_FILE} in {run}: a report is of a run that has ended")
    try:
        summary = archives.parsed(archives.whole(file, MOST_SUMMARY))
    except (OSError, archives.Damaged) as error:
        raise runs.RunError(f"cannot read {file}: {error}") from error
    if not isinstance(summary, dict):
        raise runs.RunError(f"{file} is no summary of a run")
    pictures = sorted((run / PLOTS).glob("*.png"))
    if out.exists():
        held = {path.name for path in out.iterdir()}
        if held and not {README, SUMMARY_FILE} <= held:
            raise runs.RunError(f"--out {out} holds what is no report: name a folder that is empty or not there")
        shutil.rmtree(out)
    out.mkdir(parents=True)
    shutil.copy(file, out / SUMMARY_FILE)
    for picture in pictures:
        shutil.copy(picture, out / picture.name)
    figures = {name: value for name, value in summary.items() if name not in PROVENANCE}
    parts = [
        f"# {title or f'{run.parent.name}: {run.name}'}",
        provenance(summary),
        "## Figures",
        *figure_tables(figures),
        notes.strip(),
        *(["## Pictures"] if pictures else []),
        *(f"![{picture.stem}]({picture.name})" for picture in pictures),
    ]
    write_whole(out / README, "\n\n".join(filter(None, parts)) + "\n")


def provenance(summary: dict[str, Any]) -> str:
    """What was run, where, and from which state of the code."""
    hardware = f"{summary['device']}, {os.cpu_count()} cores ({processor()}), Python {platform.python_version()}"
    minutes = summary["seconds"] / 60
    rows = {
        "command": f"`{summary['command']}`",
        "seed": summary["config"].get("seed"),
        "commit": f"`{summary['commit']}`",
        "hardware": f"{hardware}, jax {summary['jax']}",
        "time": f"{minutes:.1f} minutes, compiling included",
        "settings": ", ".join(f"{name} {value}" for name, value in summary["config"].items() if name != "seed"),
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())])


def figure_tables(figures: dict[str, Any]) -> list[str]:
    """Plain figures in one table; figures by opponent (or the like) side by side, a column each."""
    plain = {name: value for name, value in figures.items() if not isinstance(value, dict) or is_estimate(value)}
    nested = {name: value for name, value in figures.items() if name not in plain}
    tables = []
    if plain:
        tables.append(table(["figure", "value"], [[words(name), text(value)] for name, value in plain.items()]))
    while nested:  # those with the same rows belong together
        rows = list(next(iter(nested.values())))
        alike = {name: value for name, value in nested.items() if list(value) == rows}
        cells = [[row, *(text(value[row]) for value in alike.values())] for row in rows]
        tables.append(table(["", *map(words, alike)], cells))
        nested = {name: value for name, value in nested.items() if name not in alike}
    return tables


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def words(name: str) -> str:
    return name.replace("_", " ")


def is_estimate(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"mean", "ci95", "n"}


def text(value: Any) -> str:
    """A figure for people: estimates with their intervals."""
    if is_estimate(value):
        return f"{number(value['mean'])} ± {number(value['ci95'])}"
    return str(value) if isinstance(value, bool | str | list) else number(value)


def number(value: float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def main(arguments: list[str] | None = None) -> int:
    options = tyro.cli(Options, args=arguments, description=__doc__)
    try:
        notes = options.notes.read_text() if options.notes else ""
        report(options.run, options.out, options.title, notes)
    except (runs.RunError, OSError, ValueError) as error:
        print(f"scripts/report.py: {error}", file=sys.stderr)
        return 2
    print(options.out / README)
    return 0


if __name__ == "__main__":
    sys.exit(main())
