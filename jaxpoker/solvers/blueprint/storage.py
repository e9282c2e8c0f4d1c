"""How a blueprint is kept in a file: probabilities in 255ths, one byte each, a street at a time."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from jaxpoker import arguments
from jaxpoker.errors import RunError
from jaxpoker.files import archives, write_whole
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.solvers.abstraction.contract import digest

FORMAT = 2
MANIFEST = "manifest.json"
CARDS, TREE = "cards.npz", "tree.npz"  # card abstraction and betting tree, in files that bring them along
MOST_BUCKETS = 1 << 20  # of a street
PARTS = 255  # of a probability in a file
MOST_BYTES = 8 << 30  # of a file's members together; each has a size that it must have, or a limit of its own
MOST_MANIFEST, MOST_ALONG = archives.MB, 128 * archives.MB
CHUNK = 64  # decisions whose probabilities are rounded at once


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


class Manifest(NamedTuple):
    """What a file says of itself."""

    menu: str
    rules: dict[str, Any]  # of the game, by name
    tree: str  # a digest
    abstraction: str  # its name
    num_buckets: list[int]  # by street
    fingerprint: str  # of the abstraction
    checksums: list[str]  # by street
    along: dict[str, str]  # digests of what is brought along, by name


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
        decisions, buckets, actions = self.shapes[street]
        size = decisions * buckets * actions
        data = member(self.path, f"{STREETS[street]}.bin", size)
        if len(data) != size:
            raise damaged(self.path, f"its {STREETS[street]} has {len(data):,} bytes, not {size:,}")
        parts = np.frombuffer(data, np.uint8).reshape(decisions, buckets, actions)
        if digest(parts) != self.checksums[street]:
            raise damaged(self.path, f"its {STREETS[street]} is not what was saved")
        return parts


def damaged(path: Path, why: str) -> RunError:
    return RunError(f"{path} is damaged: {why}; make it anew, or take another copy")


@contextlib.contextmanager
def opened(path: Path) -> Iterator[archives.Archive]:
    """The file; ``RunError`` for what goes wrong with it."""
    try:
        with archives.Archive(path, MOST_BYTES) as file:
            yield file
    except OSError as error:
        raise RunError(f"cannot read blueprint {path}: {error.strerror or error}") from error
    except archives.Damaged as error:
        raise damaged(path, f"no blueprint in it ({error})") from error


def member(path: Path, name: str, most: int) -> bytes:
    with opened(path) as file:
        return file.read(name, most)


def sizes(path: Path) -> dict[str, int]:
    """Bytes of each member, unpacked."""
    with opened(path) as file:
        return {name: file.size(name) for name in file.names}


def manifest(path: Path) -> Manifest:
    """What the file says of itself, each thing of its type."""
    with opened(path) as file:
        said = archives.parsed(file.read(MANIFEST, MOST_MANIFEST))
    if isinstance(said, dict) and "format" in said and said["format"] != FORMAT:
        raise RunError(f"{path} has format {said['format']}: this version of jaxpoker reads format {FORMAT}")
    try:
        cards = said["abstraction"]
        found = Manifest(
            _text(said["menu"]),
            {_text(name): chips for name, chips in said["rules"].items()},
            _text(said["tree"]),
            _text(cards["name"]),
            [arguments.whole("num_buckets", n, 1, MOST_BUCKETS, "buckets of a street") for n in cards["num_buckets"]],
            _text(cards["fingerprint"]),
            [_text(checksum) for checksum in said["checksums"]],
            {_text(name): _text(checksum) for name, checksum in said.get("along", {}).items()},
        )
        if not len(found.checksums) == len(found.num_buckets) == len(STREETS):
            raise ValueError("checksums and buckets are of four streets")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(path, f"its {MANIFEST} cannot be understood ({error})") from error
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


def brought_along(path: Path) -> dict[str, bytes]:
    """The ``CARDS`` and the ``TREE`` of a file that has them."""
    with opened(path) as file:
        return {name: file.read(name, MOST_ALONG) for name in (CARDS, TREE) if name in file.names}


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
