"""What a run that solves a spot says at its end, and the figures of its summary."""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from jaxpoker.dashboard import print_line
from jaxpoker.solvers.spots import charts
from jaxpoker.solvers.spots.words import AnySolved
from jaxpoker.solvers.subgame.menus import SEATS

_STATUS = Path("/proc/self/status")  # Linux alone has it


def most_memory_gb() -> float:
    """The largest resident set of this process so far, in GB."""
    if _STATUS.is_file():  # getrusage may count the process that started this one
        peak = [line.split()[1] for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:")]
        if peak:
            return int(peak[0]) * 1024 / 1e9
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def figures(solved: AnySolved, memory_gb: float) -> dict[str, Any]:
    """The figures of ``summary.json``: EVs in chips with the pot, exploitability in % of it."""
    return {
        "ev": dict(zip(SEATS, solved.ev, strict=True)),
        "exploitability_percent": solved.exploitability_percent,
        "root": charts.frequencies(solved, solved.at()),
        "iterations": solved.iterations,
        "processor_seconds": round(solved.processor_seconds, 3),
        "memory_gb": round(memory_gb, 3),
    }


def say(console: Console, solved: AnySolved) -> None:
    """The root's grid by action, EVs, equities, combos and frequencies."""
    root = solved.at()
    console.print(charts.grid(solved, root))
    console.print(charts.summary(solved, root))
    oop, ip = solved.ev
    print_line(console, f"EV with the pot: OOP {oop:.3f}, IP {ip:.3f} chips")
    print_line(
        console,
        f"Exploitable for {solved.exploitability_percent:.3f}% of the pot ({solved.exploitability:.3f} chips) after "
        f"{solved.iterations:,} iterations, {solved.processor_seconds:.1f} s of processor time without compiling",
    )
