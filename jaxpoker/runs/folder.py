"""The folder of a run: its name, the files in it that are written whole or not at all, and its lock."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import time
from pathlib import Path

from jaxpoker.errors import RunError
from jaxpoker.files import writing

CONFIG_FILE = "config.yaml"
METRICS_FILE = "metrics.jsonl"
SUMMARY_FILE = "summary.json"
CHECKPOINTS = "checkpoints"
PLOTS = "plots"
LOCK_FILE = ".lock"
MOST_NAME = 128  # bytes of a run's name: file systems take 255 with what is put around it
OWN = (CONFIG_FILE, METRICS_FILE, SUMMARY_FILE)  # files that every run has


def check_name(name: str) -> None:
    """Names are one folder: letters, digits and ``_ . - + = , @``, the first one a letter, a digit or ``_``."""
    if len(name.encode(errors="replace")) > MOST_NAME:
        raise RunError(f"run name {name[:20] + '...'!r} has {len(name):,} letters: {MOST_NAME} bytes at most")
    if not re.fullmatch(r"\w[\w.+=,@-]*", name):
        raise RunError(
            f"bad run name {name!r}: a name is made of letters, digits and any of _ . - + = , @ "
            "and starts with a letter, a digit or _"
        )


def default_name(preset: str) -> str:
    """The preset and the time, such as ``quick-20261116-044900``."""
    return f"{preset}-{time.strftime('%Y%m%d-%H%M%S')}"


def latest_run(parent: Path) -> Path:
    """The run in ``parent`` whose files changed last."""

    def last_change(folder: Path) -> float:
        times = []
        for file in folder.rglob("*"):
            with contextlib.suppress(FileNotFoundError):  # a run at work deletes old checkpoints
                times.append(file.stat().st_mtime)
        return max(times)

    folders = [path for path in parent.glob("[!.]*") if (path / CONFIG_FILE).is_file()]
    if not folders:
        raise RunError(f"no run to resume in {parent}: start one first, or say where they are with --runs FOLDER")
    return max(folders, key=last_change)


def existing_run(parent: Path, name: str, purpose: str, file: str = CONFIG_FILE) -> Path:
    """The run in ``parent`` of that name, which has ``file``; the error says what for, and which runs have it."""
    check_name(name)
    if not os.path.isfile(parent / name / file):
        there = sorted(path.parent.name for path in parent.glob(f"[!.]*/{file}"))
        known = f"the runs there are {', '.join(there)}" if there else f"there is none in {parent}"
        raise RunError(f"no run {name!r} {purpose}: {known}")
    return parent / name


class RunLock:
    """One process at a time uses a run's folder. The lock goes with the process, however that ends.

    Systems without ``fcntl`` do not lock.
    """

    def __init__(self, folder: Path) -> None:
        with writing(folder / LOCK_FILE):
            self._file = open(folder / LOCK_FILE, "a+", encoding="utf-8")  # noqa: SIM115  held until release
        if importlib.util.find_spec("fcntl") is None:
            return
        fcntl = importlib.import_module("fcntl")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            owner = self._file.read().strip() or "unknown"
            self._file.close()
            raise RunError(
                f"run {folder} is in use by process {owner}: wait for it, stop it, or choose another --name"
            ) from None
        except OSError:  # a file system that has no locks
            return
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def release(self) -> None:
        self._file.close()
