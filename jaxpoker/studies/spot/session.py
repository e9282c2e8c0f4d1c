"""One session of a run that solves a spot: from its file or from nothing to its aim, or to Ctrl-C, and to its file."""

from __future__ import annotations

import contextlib
import time

from rich.console import Console

from jaxpoker import runs
from jaxpoker.dashboard import duration, print_line
from jaxpoker.runs.teller import Teller
from jaxpoker.solvers import flops, subgame
from jaxpoker.solvers.flops import SolvedFlop
from jaxpoker.solvers.flops import files as flop_files
from jaxpoker.solvers.flops import memory as flop_memory
from jaxpoker.solvers.flops import solving as flop_solving
from jaxpoker.solvers.flops.solved import FLOP
from jaxpoker.solvers.spots.words import AnySolved
from jaxpoker.solvers.subgame import Spot, regret_loop, solving, storage
from jaxpoker.solvers.subgame.solving import Progress
from jaxpoker.studies.spot.config import Config
from jaxpoker.studies.spot.spot_file import spot_of

MOST_BITS = 32
SOLVED_FILE, SOLVED_FLOP = "solved.spot", "solved.flop"


def begun(launch: runs.Launch[Config], console: Console) -> AnySolved:
    """The spot before this session; what is wrong with it, or takes too much memory, is refused here."""
    config = launch.config
    if launch.resume and (launch.folder / SOLVED_FILE).is_file():
        return storage.load(launch.folder / SOLVED_FILE)
    if launch.resume and (launch.folder / SOLVED_FLOP).is_file():
        return flop_files.load(launch.folder / SOLVED_FLOP, whole=True)
    algorithm, spot = regret_loop.algorithm_of(config.algorithm), spot_of(config)
    if spot.street == FLOP:
        _tell(spot, config, console)
        return flop_solving.prepared(spot, algorithm, config.symmetric, config.bits, config.memory_limit)
    if config.bits != MOST_BITS:
        raise ValueError(
            f"--bits {config.bits}: {spot.text} is no flop, and other tables have {MOST_BITS} bits a number"
        )
    return solving.prepared(spot, algorithm, symmetric=config.symmetric, memory_gb=config.memory_limit)


def _tell(spot: Spot, config: Config, console: Console) -> None:
    """What a flop takes, before it begins."""
    made = flop_solving.described(spot, symmetric=config.symmetric, bits=config.bits)
    needed, seconds = flop_memory.needed(made.game, config.bits), flop_memory.seconds_of(made.game, config.bits)
    print_line(
        console,
        f"A flop with {made.runouts.num_rivers:,} rivers: {needed.total / 1e9:.1f} GB of memory, "
        f"{needed.tables / 1e9:.2f} GB of them tables, and about {seconds:.1f} s of one core an iteration, "
        f"{duration(100 * seconds)} for 100",
    )


def solve(run: runs.Run[Config], start: AnySolved, console: Console) -> AnySolved:
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
            if isinstance(start, SolvedFlop):

                def checkpoint(found: SolvedFlop) -> None:
                    flop_files.save_state(found, run.folder / SOLVED_FLOP)

                seconds = run.launch.checkpoint_seconds
                solved = flops.solve(
                    start.spot, *aims, progress=progress, start=start, checkpoint=checkpoint, checkpoint_seconds=seconds
                )
            else:
                solved = subgame.solve(start.spot, *aims, progress=progress, start=start)
    run.seconds = before + time.perf_counter() - began
    if isinstance(solved, SolvedFlop):
        flop_files.save_state(solved, run.folder / SOLVED_FLOP)
    else:
        solved.save(run.folder / SOLVED_FILE)
    return solved


def is_reached(config: Config, solved: AnySolved) -> bool:
    """Whether an earlier session has got to the aim already."""
    if not solved.is_measured:
        return False
    if config.iterations is not None and solved.iterations >= config.iterations:
        return True
    unsaid = config.iterations is None and config.seconds is None
    target = config.target or (solving.DEFAULT_TARGET if unsaid else 0.0)
    return solved.exploitability_percent <= target
