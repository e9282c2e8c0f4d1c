"""``summary.json``: what a run found, with all one needs to find it again."""

from __future__ import annotations

import dataclasses
import json
import math
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxpoker import files
from jaxpoker.runs import folder as run_files

PROVENANCE = ("config", "preset", "command", "seconds", "commit", "device", "jax")


def write_summary(folder: Path, figures: Mapping[str, Any], provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Writes the figures, then where they come from, and returns both as plain values."""
    taken = [name for name in PROVENANCE if name in figures]
    if taken:
        raise TypeError(f"a figure may not be called {taken[0]!r}: every summary has its own")
    summary = {name: plain_figure(name, value) for name, value in {**figures, **provenance}.items()}
    files.write_whole(folder / run_files.SUMMARY_FILE, json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    return summary


def plain_figure(name: str, value: Any) -> Any:
    """A figure as JSON has it. Estimates (and other named tuples) become objects, NaN and infinities null."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, np.ndarray | np.generic | jax.Array):
        return plain_figure(name, np.asarray(value).tolist())
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain_figure(f"{name}[{key!r}]", item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_figure(f"{name}[{i}]", item) for i, item in enumerate(value)]
    raise TypeError(f"figure {name} cannot be a {type(value).__name__}: use numbers, text, lists, dicts or estimates")


def commit_of(folder: Path) -> str | None:
    """The git commit of the package in ``folder``, with "+changes" when the tree differs; None when it is in none."""

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True)
        except OSError:  # no git here
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    # A package installed below some other project's repository is not that project's code.
    if not git("ls-files", "--", "__init__.py"):
        return None
    commit = git("rev-parse", "HEAD")
    return f"{commit}+changes" if commit and git("status", "--porcelain") else commit


def device() -> str:
    """What computes: "cpu", "4 × TPU v4"."""
    devices = jax.devices()
    kind = devices[0].device_kind
    return kind if len(devices) == 1 else f"{len(devices)} × {kind}"


def processor() -> str:
    """The host's, by the name that it gives itself where the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
