"""How much memory a spot takes, known before it is solved."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxpoker.cards import NUM_CARDS
from jaxpoker.errors import RunError
from jaxpoker.solvers.regret import Algorithm
from jaxpoker.solvers.subgame.hand_places import Places
from jaxpoker.solvers.subgame.template import Template

_FLOAT = 4  # bytes
_MEMINFO = Path("/proc/meminfo")  # Linux alone has it
_PROGRAM = 300e6  # bytes that compiling takes


class Memory(NamedTuple):
    """Bytes."""

    tables: float  # regrets and averages
    working: float  # reach, values and what compares hands, while it runs
    program: float = _PROGRAM

    @property
    def total(self) -> float:
        return self.tables + self.working + self.program


def needed(template: Template, places: Places, algorithm: Algorithm, locked: bool = False) -> Memory:
    """The memory of solving a spot."""
    per_table = 3 if algorithm.predictive else 2
    tables = nodes = 0.0
    for buffer in template.buffers:
        street = places.streets[buffer.street - template.first_street]
        tables += buffer.actions * len(buffer.nodes) * street.combo.size
        nodes += len(buffer.nodes) * street.combo.size
    compare = sum(s.combo.size * (2 * (NUM_CARDS - s.boards.shape[1] + 1) + s.combo.shape[2]) for s in places.streets)
    working = 2.5 * tables + 4 * nodes + compare + (2 * tables if locked else 0)
    return Memory(per_table * tables * _FLOAT, working * _FLOAT)


def available() -> float:
    """Bytes of memory that are free, as far as the system says; infinite elsewhere."""
    if not _MEMINFO.is_file():
        return np.inf
    lines = [line.split() for line in _MEMINFO.read_text().splitlines()]
    found = [float(words[1]) * 1024 for words in lines if words[0] == "MemAvailable:"]
    return found[0] if found else np.inf


def require(memory: Memory, limit_gb: float | None = None) -> None:
    """``RunError`` when it does not fit into ``limit_gb``, or into what is free when None."""
    limit = available() if limit_gb is None else limit_gb * 1e9
    if memory.total > limit:
        raise RunError(
            f"this spot takes {memory.total / 1e9:.1f} GB of memory and {limit / 1e9:.1f} GB are there: "
            "take fewer bet sizes, a cap on raises, or smaller ranges"
        )
