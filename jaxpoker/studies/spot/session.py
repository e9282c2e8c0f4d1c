"""One session of a run that solves a spot: from its file or from nothing to its aim, or to Ctrl-C, and to its file."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from rich.console import Console

from jaxpoker import runs
from jaxpoker.dashboard import PLAIN_SECONDS, print_line
from jaxpoker.runs.metrics import MetricsFile, Row
from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import Solved, regret_loop, solving, storage
from jaxpoker.solvers.subgame.solving import Progress
from jaxpoker.studies.spot.config import Config
from jaxpoker.studies.spot.spot_file import spot_of

SOLVED_FILE = "solved.spot"


def begun(launch: runs.Launch[Config]) -> Solved:
    """The spot before this session; what is wrong with it, or takes too much memory, is refused here."""
    config, file = launch.config, launch.folder / SOLVED_FILE
    if launch.resume and file.is_file():
        return storage.load(file)
    algorithm = regret_loop.algorithm_of(config.algorithm)
    return solving.prepared(spot_of(config), algorithm, symmetric=config.symmetric, memory_gb=config.memory_limit)


def solve(run: runs.Run[Config], start: Solved, console: Console) -> Solved:
    """Solves on from ``start`` and saves what comes of it; ``run.seconds`` is the time of all sessions."""
    config = run.config
    rows = [row for row in run.metrics() if row["step"] <= start.iterations]
    before = rows[-1]["seconds"] if rows else 0.0
    began = time.perf_counter()
    solved = start
    if not is_reached(config, start):
        with contextlib.closing(_Teller(console, run.folder, rows, before)) as teller:
            aims = (config.target, config.iterations, config.seconds)
            solved = subgame.solve(start.spot, *aims, progress=teller.tell, start=start)
    run.seconds = before + time.perf_counter() - began
    solved.save(run.folder / SOLVED_FILE)
    return solved


def is_reached(config: Config, solved: Solved) -> bool:
    """Whether an earlier session has got to the aim already."""
    if solved.values is None:
        return False
    if config.iterations is not None and solved.iterations >= config.iterations:
        return True
    unsaid = config.iterations is None and config.seconds is None
    target = config.target or (solving.DEFAULT_TARGET if unsaid else 0.0)
    return solved.exploitability_percent <= target


class _Teller:
    """Writes the metrics, and says how far it is: one line that changes on a terminal, else a line now and then."""

    def __init__(self, console: Console, folder: Path, rows: list[Row], before: float) -> None:
        self._console, self._before = console, before
        self._lines = MetricsFile(folder, rows)
        self._status = console.status("compiles")
        self._told: float | None = None
        if console.is_terminal:
            self._status.start()
        else:
            print_line(console, f"writes to {folder}")

    def tell(self, progress: Progress) -> None:
        self._lines.write(
            progress.iterations, self._before + progress.seconds, {"exploitability_percent": progress.exploitability}
        )
        if self._console.is_terminal:
            self._status.update(str(progress))
        elif self._told is None or time.perf_counter() - self._told >= PLAIN_SECONDS:
            print_line(self._console, str(progress))
            self._told = time.perf_counter()

    def close(self) -> None:
        self._status.stop()
        self._lines.sync()
        self._lines.close()
