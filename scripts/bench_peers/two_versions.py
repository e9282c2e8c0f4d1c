"""Two versions of jaxpoker measured against each other: is the new one as fast as the old one?

Each version does its own work of a figure (its own ``bench_peers``) in a process of its own. Both compile first; then
they work by turns, old, new, new, old, ..., so that both meet the same disturbances of the machine. An alternation is
one turn of each and gives one ratio, speed of the new / speed of the old, by wall time and by processor time. The 95%
interval is Student's for the mean of the logarithms of the ratios.

Two processes that do the same may differ for as long as they live. So a figure that looks slower is measured again
with two new processes, and it is slower when both times say so.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from rich import box
from rich.table import Table
from scipy import stats

WORKER = Path(__file__).resolve().parent / "one_version.py"
LEAST_SECONDS = 0.25  # of a turn: shorter works are done several times
SLOWER = 0.95  # a figure is slower when the whole interval lies below this ratio
LEAST_ALTERNATIONS = 2  # of which there is an interval


class VersionFailed(Exception):
    """One version cannot do its work; the message has its last words."""


class Turn(NamedTuple):
    """What one version did in one turn."""

    amount: float  # units of work
    seconds: float
    processor_seconds: float


@dataclass(frozen=True)
class Version:
    """A process that works for the checkout ``folder``."""

    folder: Path
    process: subprocess.Popen[bytes]
    said: IO[str]  # its standard error

    def ask(self, repeats: int) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended: the answer says so
            self.process.stdin.write(f"{repeats}\n".encode())

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.said.seek(0)
            last = (self.said.read().strip().splitlines() or ["no message"])[-1]
            raise VersionFailed(f"{self.folder}: {last}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def turn(self, repeats: int) -> Turn:
        self.ask(repeats)
        return Turn(**self.answer())


@contextlib.contextmanager
def started(folder: Path, *arguments: str) -> Iterator[Version]:
    """``one_version.py`` for the checkout ``folder``; it ends when nobody asks any more."""
    path = os.pathsep.join(str(part) for part in (folder, folder / "scripts"))
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(
            [sys.executable, "-P", str(WORKER), *arguments],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            bufsize=0,
        ) as process,
    ):
        yield Version(folder, process, said)


def figure_names(folder: Path) -> list[str]:
    """The figures of the checkout ``folder`` that can be compared, in its order."""
    with started(folder) as version:
        names: list[str] = version.answer()["names"]
        return names


class Interval(NamedTuple):
    """A ratio and its 95% interval."""

    ratio: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.ratio:.3f}  [{self.low:.3f}, {self.high:.3f}]"


def interval(ratios: Sequence[float]) -> Interval:
    """Of the geometric mean of independent ratios."""
    logs = np.log(np.asarray(ratios, float))
    half = stats.t.ppf(0.975, len(logs) - 1) * logs.std(ddof=1) / math.sqrt(len(logs))
    return Interval(*(float(np.exp(value)) for value in (logs.mean(), logs.mean() - half, logs.mean() + half)))


@dataclass(frozen=True)
class Compared:
    """A figure in two versions: speed of the new / speed of the old."""

    wall: Interval
    processor: Interval
    alternations: int

    @property
    def slower(self) -> bool:
        return min(self.wall.high, self.processor.high) < SLOWER


def compare(old: Path, new: Path, figure: str, alternations: int) -> Compared:
    """Both versions by turns, in two new processes."""
    with started(old, figure) as before, started(new, figure) as after:
        for version in (before, after):  # both compile at the same time
            version.ask(1)
        for version in (before, after):
            version.answer()
        longest = max(version.turn(1).seconds for version in (before, after))
        # Both do it equally often: some works have another seed each time, the same for both.
        repeats = max(1, math.ceil(LEAST_SECONDS / longest))
        wall, processor = [], []
        for number in range(alternations):
            if number % 2 == 0:
                a = before.turn(repeats)
                b = after.turn(repeats)
            else:
                b = after.turn(repeats)
                a = before.turn(repeats)
            wall.append((b.amount / b.seconds) / (a.amount / a.seconds))
            processor.append((b.amount / b.processor_seconds) / (a.amount / a.processor_seconds))
    return Compared(interval(wall), interval(processor), alternations)


def row(old: Path, new: Path, figure: str, alternations: int) -> dict[str, Any]:
    """A figure compared; one that looks slower is measured twice, and its row has the second time."""
    made: dict[str, Any] = {"figure": figure}
    try:
        found = compare(old, new, figure, alternations)
        if found.slower:
            made["first_time"] = as_numbers(found)
            found = compare(old, new, figure, alternations)
    except VersionFailed as failure:
        return made | {"failed": str(failure)}
    return made | as_numbers(found) | {"slower": found.slower}


def as_numbers(found: Compared) -> dict[str, Any]:
    return {"wall": found.wall._asdict(), "processor": found.processor._asdict(), "alternations": found.alternations}


def terminal(rows: Sequence[dict[str, Any]]) -> Table:
    title = "speed of the new version / speed of the old one, with its 95% interval; above 1 is faster"
    table = Table(title=title, box=box.SIMPLE)
    table.add_column("figure", min_width=40)
    for heading in ("by wall time", "by processor time", ""):
        table.add_column(heading, no_wrap=True)
    for row in rows:
        if "failed" in row:
            table.add_row(row["figure"], "", "", "[red]failed[/]")
            continue
        again = "slower the first time only" if "first_time" in row else ""
        verdict = "[red]slower[/]" if row["slower"] else again
        table.add_row(row["figure"], *(str(Interval(**row[kind])) for kind in ("wall", "processor")), verdict)
    return table
