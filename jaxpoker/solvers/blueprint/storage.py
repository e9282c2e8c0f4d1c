"""How a blueprint is kept in a file: probabilities in 255ths, one byte each, a street at a time."""

from __future__ import annotations

import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

from jaxpoker.errors import RunError
from jaxpoker.files import write_whole
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.solvers.abstraction.contract import digest

FORMAT = 2
MANIFEST = "manifest.json"
CARDS, TREE = "cards.npz", "tree.npz"  # card abstraction and betting tree, in files that bring them along
PARTS = 255  # of a probability in a file
CHUNK = 1_024  # decisions whose probabilities are rounded at once


def in_parts(strategy: np.ndarray, parts: int = PARTS) -> np.ndarray:
    """Probabilities ``[decisions, ..., actions]`` as uint8 that add up to ``parts``, by largest remainders; all 0 stay
    so.
    """
    found = np.empty(strategy.shape, np.uint8)
    for first in range(0, len(strategy), CHUNK):
        some = strategy[first : first + CHUNK].astype(np.float64)
        total = some.sum(axis=-1, keepdims=True)
        exact = np.where(total > 0, some / np.where(total > 0, total, 1), 0) * parts
        whole = np.floor(exact + 1e-6)
        missing = np.where(total > 0, parts - whole.sum(axis=-1, keepdims=True), 0)
        rank = np.argsort(np.argsort(whole - exact, axis=-1, kind="stable"), axis=-1)  # 0 has the largest remainder
        found[first : first + CHUNK] = whole + (rank < missing)
    return found


def probabilities(parts: np.ndarray) -> np.ndarray:
    """What ``in_parts`` made parts of, float32."""
    return parts.astype(np.float32) / PARTS


class StoredStrategy(Sequence[np.ndarray]):
    """The strategy in a file; a street is read, checked and kept when it is asked for."""

    def __init__(self, path: Path, shapes: list[tuple[int, int, int]], checksums: list[str]) -> None:
        self.path, self.shapes, self.checksums = path, shapes, checksums
        self._streets: dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.shapes)

    @overload
    def __getitem__(self, street: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, street: slice) -> list[np.ndarray]: ...
    def __getitem__(self, street: int | slice) -> np.ndarray | list[np.ndarray]:
        if isinstance(street, slice):
            return [self[s] for s in range(len(self))[street]]
        return probabilities(self.parts(range(len(self))[street]))

    def parts(self, street: int) -> np.ndarray:
        """``[decisions, buckets, actions]`` uint8."""
        if street not in self._streets:
            self._streets[street] = self._read(street)
        return self._streets[street]

    def _read(self, street: int) -> np.ndarray:
        data = member(self.path, f"{STREETS[street]}.bin")
        decisions, buckets, actions = self.shapes[street]
        if len(data) != decisions * buckets * actions:
            raise damaged(self.path, f"its {STREETS[street]} has {len(data):,} bytes")
        parts = np.frombuffer(data, np.uint8).reshape(decisions, buckets, actions)
        if digest(parts) != self.checksums[street]:
            raise damaged(self.path, f"its {STREETS[street]} is not what was saved")
        return parts


def damaged(path: Path, why: str) -> RunError:
    return RunError(f"{path} is damaged: {why}; make it anew, or take another copy")


def member(path: Path, name: str) -> bytes:
    try:
        with zipfile.ZipFile(path) as file:
            return file.read(name)
    except OSError as error:
        raise RunError(f"cannot read blueprint {path}: {error.strerror}") from error
    except (zipfile.BadZipFile, lzma.LZMAError, zlib.error, KeyError, EOFError, ValueError) as error:
        raise damaged(path, f"no blueprint's {name} in it") from error


def brought_along(path: Path) -> dict[str, bytes]:
    """The ``CARDS`` and the ``TREE`` of a file that has them."""
    with zipfile.ZipFile(path) as file:
        names = [name for name in (CARDS, TREE) if name in file.namelist()]
    return {name: member(path, name) for name in names}


def write(path: Path, manifest: dict[str, Any], streets: Sequence[np.ndarray], along: dict[str, bytes]) -> None:
    """Writes the parts of each street with a manifest that says of what, and what is brought ``along`` by name, as one
    file, whole or not at all.
    """
    content = io.BytesIO()
    manifest = {"format": FORMAT, **manifest, "checksums": [digest(parts) for parts in streets]}
    manifest["along"] = {name: digest(data) for name, data in along.items()}
    members = [(f"{street}.bin", parts.tobytes()) for street, parts in zip(STREETS, streets, strict=True)]
    with zipfile.ZipFile(content, "w") as file:
        for name, data in ((MANIFEST, json.dumps(manifest, indent=1).encode()), *members):
            file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_LZMA)  # no time in it: same bits every time
        for name, data in along.items():
            file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_STORED)  # packed already
    write_whole(path, content.getvalue())
