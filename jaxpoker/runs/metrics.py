"""The metrics of a run: ``metrics.jsonl``, one ``{"step": ..., "seconds": ..., <metric>: ...}`` per line.

Numbers are written such that they read back exactly; NaN and infinities, which JSON lacks, are null.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxpoker import files
from jaxpoker.errors import RunError
from jaxpoker.files import archives
from jaxpoker.runs import folder as run_files

Row = dict[str, Any]
RESERVED = ("step", "seconds")
MOST_BYTES = 1 << 30


def read_metrics(folder: str | Path, say: Callable[[str], None] | None = None, most: int = MOST_BYTES) -> list[Row]:
    """The lines of a run's ``metrics.jsonl``, of a run at work too; NaN and infinities are None.

    A file of more than ``most`` bytes is a ``RunError``. A last line that was cut off is left out and ``say`` (standard
    error when None) is told. Any other damaged line is a ``RunError``.
    """
    path = Path(folder) / run_files.METRICS_FILE
    try:
        text = archives.whole(path, most)
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}; a run's folder holds it") from error
    except archives.Damaged as error:
        raise RunError(f"cannot read {path}: {error}") from error
    whole, _, cut = text.rpartition(b"\n")
    lines = whole.split(b"\n") if whole else []
    rows = [_row_of(line, path, number) for number, line in enumerate(lines, start=1)]
    if cut:
        (say or _to_stderr)(f"{path}, line {len(lines) + 1}: cut off, left out")
    return rows


def totals(rows: Sequence[Row], *names: str) -> dict[str, float | None]:
    """What metrics add up to over all lines, and the first of them a second, without the first line: it compiled."""
    summed = {name: sum(row[name] for row in rows) for name in names}
    seconds = rows[-1]["seconds"] - rows[0]["seconds"]
    later = summed[names[0]] - rows[0][names[0]]
    return {**summed, f"{names[0]}_per_s": later / seconds if seconds > 0 else None}


def plain_number(name: str, value: Any) -> float | int | bool | None:
    """A metric as it is written: a Python number, or None for NaN and infinities."""
    array = np.asarray(value)
    if array.shape != () or array.dtype.kind in "OSUMmc":
        raise TypeError(f"metric {name!r} is no scalar number: shape {array.shape}, dtype {array.dtype}")
    number = array.item()
    if isinstance(number, float) and not math.isfinite(number):
        return None
    return number


class MetricsFile:
    """``metrics.jsonl`` of a run at work: whole lines, each handed to the system at once."""

    def __init__(self, folder: Path, rows: list[Row] | None) -> None:
        """Goes on after ``rows``, which replace what the file holds; with None it goes on after that."""
        self.path = folder / run_files.METRICS_FILE
        if rows is not None:
            files.write_whole(self.path, "".join(_line_of(row) for row in rows))
        with files.writing(self.path):
            self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115  held until close

    def write(self, step: int, seconds: float, metrics: Mapping[str, Any]) -> Row:
        """Adds one line and returns it."""
        taken = [name for name in RESERVED if name in metrics]
        if taken:
            raise TypeError(f"a metric may not be called {taken[0]!r}: every line has its own")
        numbers = {name: plain_number(name, value) for name, value in metrics.items()}
        row: Row = {"step": step, "seconds": round(seconds, 3), **numbers}
        line = _line_of(row).encode()
        end = self._file.seek(0, os.SEEK_END)
        with files.writing(self.path):
            if self._file.write(line) != len(line):  # the disk is full: leave no half line behind
                os.ftruncate(self._file.fileno(), end)
                raise OSError("only part of a line could be written, the disk is full")
        return row

    def sync(self) -> None:
        """Returns when the lines are on disk."""
        with files.writing(self.path):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def _line_of(row: Row) -> str:
    return json.dumps(row, allow_nan=False) + "\n"


def _row_of(line: bytes, path: Path, number: int) -> Row:
    try:
        row = archives.parsed(line)
        fine = type(row["step"]) is int and isinstance(row["seconds"], int | float)
    except (archives.Damaged, TypeError, KeyError):
        fine = False
    if not fine:
        shown = line[:40].decode(errors="replace")
        raise RunError(
            f'{path}, line {number} is damaged: {shown!r}; a line is {{"step": ..., "seconds": ..., ...}}. '
            "Nothing was changed: mend or delete the line"
        )
    return dict(row)


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr)
