"""The files that come with the package, and files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from jaxpoker.errors import RunError
from jaxpoker.files import archives

DATA = Path(__file__).resolve().parent.parent / "data"  # that comes with the package


MOST_BYTES = 64 * archives.MB  # of a table that comes with the package


def shipped_arrays(file: Path, *names: str) -> list[np.ndarray]:
    """The arrays called ``names`` in a file that comes with the package."""
    try:
        with archives.Archive(file, MOST_BYTES) as table:
            return [table.array(name) for name in names]
    except (OSError, archives.Damaged) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RunError(
            f"cannot read {file}, which comes with jaxpoker ({reason}): install jaxpoker anew, or check out the file"
        ) from error


def user_cache() -> Path:
    """The folder for files that can be made again: ``JAXPOKER_CACHE``, or jaxpoker's own in the user's cache folder."""
    named = os.environ.get("JAXPOKER_CACHE")
    if named:
        return Path(named)
    homes = {"win32": ("LOCALAPPDATA", "AppData/Local"), "darwin": ("", "Library/Caches")}
    variable, usual = homes.get(sys.platform, ("XDG_CACHE_HOME", ".cache"))
    return Path(os.environ.get(variable) or Path.home() / usual) / "jaxpoker"


def free_path(path: Path) -> Path:
    """``path``, or the first of ``path-2``, ``path-3``, ... that does not exist; its suffix stays the last."""
    candidate, number = path, 2
    while os.path.lexists(candidate):
        candidate, number = path.with_name(f"{path.stem}-{number}{path.suffix}"), number + 1
    return candidate


@contextlib.contextmanager
def writing(what: Path) -> Iterator[None]:
    """Turns a system error on the way (disk full, no permission) into one that names what was being written."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise RunError(f"cannot write {what}: {reason}; everything saved before is still there") from error


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to in place of ``path``: a reader, or a crash, finds the old file or the new and no mixture."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    with writing(path):
        try:
            yield unfinished
            with open(unfinished, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)  # there is none when all went well
        sync_folder(path.parent)


def write_whole(path: Path, content: str | bytes) -> None:
    """Replaces the file by ``content``, whole or not at all."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def sync_folder(folder: Path) -> None:
    """Makes names created in ``folder`` survive a crash of the system."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
