"""What a run says that has a loop of its own: lines of ``metrics.jsonl``, and how far it is.

with contextlib.closing(Teller(console, run.folder, rows)) as teller:
    row = teller.write(step, seconds, {"exploitability": 0.3})
    teller.tell("12 of 100 spots")
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from jaxpoker.dashboard import PLAIN_SECONDS, print_line
from jaxpoker.runs.metrics import MetricsFile, Row


class Teller:
    """Writes the metrics after ``rows``, which the run has. On a terminal one line changes, else there is a line now
    and then."""

    def __init__(self, console: Console, folder: Path, rows: list[Row]) -> None:
        self._console, self._lines = console, MetricsFile(folder, rows)
        self._status = console.status("compiles")
        self._told: float | None = None
        if console.is_terminal:
            self._status.start()
        else:
            print_line(console, f"writes to {folder}")

    def write(self, step: int, seconds: float, metrics: Mapping[str, Any]) -> Row:
        """One line of metrics, as a reader will find it."""
        return self._lines.write(step, seconds, metrics)

    def tell(self, text: str) -> None:
        """How far the run is."""
        if self._console.is_terminal:
            self._status.update(text)
        elif self._told is None or time.perf_counter() - self._told >= PLAIN_SECONDS:
            print_line(self._console, text)
            self._told = time.perf_counter()

    def close(self) -> None:
        self._status.stop()
        self._lines.sync()
        self._lines.close()
