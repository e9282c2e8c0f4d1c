"""Runs of experiments as the page shows them: which there are, and the metrics of one, of a run at work too."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import Any

from jaxpoker.app.duel import Refusal
from jaxpoker.runs import RunError, folder
from jaxpoker.runs.metrics import RESERVED, read_metrics

MOST_RUNS = 200
SILENT_SECONDS = 900  # after which a run without a summary is taken to have been stopped
MOST_POINTS = 300  # of a curve
MOST_METRICS = 24
MOST_BYTES = 64 * 1024 * 1024  # of a metrics file that is read for a picture


def runs(parent: Path) -> list[dict[str, Any]]:
    """Runs with metrics below ``parent``, those that changed last first."""
    found = []
    for file in parent.glob(f"*/*/{folder.METRICS_FILE}"):
        name = f"{file.parent.parent.name}/{file.parent.name}"
        about = _own_file(file)
        if about is not None and _is_text(name):
            ended = os.path.isfile(file.parent / folder.SUMMARY_FILE)
            silent = abs(time.time() - about.st_mtime)  # a clock that was set back: from the future
            found.append((about.st_mtime, name, not ended and silent < SILENT_SECONDS))
    ordered = sorted(found, reverse=True)[:MOST_RUNS]
    return [{"name": name, "changed": changed, "at_work": at_work} for changed, name, at_work in ordered]


def _own_file(file: Path) -> os.stat_result | None:
    """Of a regular file that is where its name says; None for links, also on the way to it, pipes and what is gone."""
    try:
        about = file.lstat()
        linked = file.parent.is_symlink() or file.parent.parent.is_symlink()
    except OSError:
        return None
    return about if stat.S_ISREG(about.st_mode) and not linked else None


def _is_text(name: str) -> bool:
    """Whether a name can be sent: a file system holds names that are no UTF-8."""
    return name.isprintable() and not any("\ud800" <= letter <= "\udfff" for letter in name)


def metrics(parent: Path, name: str) -> dict[str, Any]:
    """The curves of a run: steps and values of each metric, every n-th line where there are many."""
    known = {run["name"] for run in runs(parent)}
    if name not in known:  # so that no name can lead out of the folder
        raise Refusal(404, "no such run: it may have been deleted")
    path = parent / name
    try:
        rows = read_metrics(path, say=lambda _: None, most=MOST_BYTES)
    except RunError as error:  # what a damaged line holds is nobody's business
        raise Refusal(422, f"the metrics of run {name} are damaged, or more than a page can show") from error
    every = -(-len(rows) // MOST_POINTS) or 1
    kept = rows[::-1][::every][::-1]  # the last line is always there
    names = sorted({key for row in kept for key in row if key not in RESERVED})[:MOST_METRICS]
    curves = {}
    for metric in names:
        points = [(row["step"], row[metric]) for row in kept if isinstance(row.get(metric), int | float)]
        if points:
            steps, values = zip(*points, strict=True)
            curves[metric] = {"steps": list(steps), "values": [float(value) for value in values]}
    last = rows[-1] if rows else {"step": 0, "seconds": 0.0}
    return {"name": name, "step": last["step"], "seconds": last["seconds"], "lines": len(rows), "curves": curves}
