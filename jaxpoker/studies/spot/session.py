"""One session of a run that solves a spot: from its file or from nothing to its aim, or to Ctrl-C, and to its file."""

from __future__ import annotations

import contextlib
import time

from rich.console import Console

from jaxpoker import runs
from jaxpoker.runs.teller import Teller
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
        with contextlib.closing(Teller(console, run.folder, rows)) as teller:

            def progress(found: Progress) -> None:
                figures = {"exploitability_percent": found.exploitability}
                teller.write(found.iterations, before + found.seconds, figures)
                teller.tell(str(found))

            aims = (config.target, config.iterations, config.seconds)
            solved = subgame.solve(start.spot, *aims, progress=progress, start=start)
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
