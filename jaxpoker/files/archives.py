"""Files that anybody may have written: sizes are checked before anything is read, and all that is wrong is ``Damaged``.

A file may claim anything: an array of 400 GB, a member that grows a thousandfold, a thousand brackets in each other.
So nothing is believed that the file itself does not bear out, and every limit is the reader's.

    whole(path, most)                 # the bytes of a file of at most so many
    parsed(content)                   # JSON: no NaN, no numbers of 300 digits, no endless nesting
    with Archive(path, most) as it:   # a zip file: .npz, or one of ours
        it.shapes()                   # of the arrays in it, by name; nothing is unpacked for that
        it.arrays()                   # the arrays
    array(path, most)                 # one .npy
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import math
import os
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import numpy as np

MOST_MEMBERS = 4_096
MOST_HEADER = 10_000  # bytes before the numbers of an array
MOST_DIGITS = 300  # of a number in JSON: 1e308 is the largest float
MOST_DICTIONARY = 1 << 26  # bytes that unpacking a member may need: LZMA's best preset takes as many
KINDS = "biufUS"  # of NumPy's types that hold no objects
MB = 1 << 20

_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)  # those that anything here writes
_BY_OUTPUT = (
    zipfile.ZIP_STORED,
    zipfile.ZIP_DEFLATED,
)  # these unpack no more than is asked for; others, input by input
_ENCRYPTED = 1  # a flag of a member


class Damaged(ValueError):
    """A file that is not what it should be; the text goes on after "FILE is damaged: "."""


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Turns whatever zip, JSON or NumPy say of bytes that they cannot read into ``Damaged``; system errors stay."""
    try:
        yield
    except (Damaged, OSError):
        raise
    except Exception as error:  # parsers meet hostile bytes with errors of any kind
        raise Damaged(" ".join(str(error).split())[:200] or type(error).__name__) from error


# --- plain files ------------------------------------------------------------------------------


def whole(path: Path, most: int) -> bytes:
    """The bytes of a regular file that has at most ``most``; a pipe or a device is an ``OSError`` and never waits."""
    with opened(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise Damaged(f"it has more than {most:,} bytes")
    return content


def opened(path: Path, follow: bool = True) -> io.BufferedReader:
    """A regular file, open for reading; ``follow`` symbolic links."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags if follow else flags | getattr(os, "O_NOFOLLOW", 0))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


# --- JSON -------------------------------------------------------------------------------------


def parsed(content: bytes | str) -> Any:
    """The value of JSON; its integers have 64 bits, its other numbers are finite."""
    with reading():
        found = json.loads(content, parse_constant=_no_number, parse_int=_integer, parse_float=_finite)
    return found


def _no_number(name: str) -> NoReturn:
    raise Damaged(f"{name} is no number in JSON")


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -(1 << 63) <= int(digits) < 1 << 63:
        raise Damaged(f"the number {digits[:20]}... has more than 64 bits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits) if len(digits) <= MOST_DIGITS else math.inf
    if not math.isfinite(number):
        raise Damaged(f"the number {digits[:20]} is too large or has too many digits")
    return number


# --- arrays -----------------------------------------------------------------------------------


def array(path: Path, most: int) -> np.ndarray:
    """The array in a .npy file of at most ``most`` bytes."""
    return _array(whole(path, most))


def _array(content: bytes) -> np.ndarray:
    """The array of the bytes of a .npy file, which has exactly the numbers that its header claims."""
    with reading():
        shape, dtype, begins = _header(content)
        if math.prod(shape) * dtype.itemsize != len(content) - begins:
            raise Damaged(f"it claims {dtype}{list(shape)} in {len(content) - begins:,} bytes")
        found: np.ndarray = np.load(io.BytesIO(content), allow_pickle=False)
    return found


def _header(content: bytes) -> tuple[tuple[int, ...], np.dtype, int]:
    """Shape, type and place of the numbers, of the beginning of a .npy file."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if read is None:
        raise Damaged(f"its arrays have format {version}")
    shape, _, dtype = read(file, max_header_size=MOST_HEADER)
    if dtype.kind not in KINDS or dtype.names is not None:
        raise Damaged(f"it has an array of {dtype}")
    if any(not 0 <= size < 1 << 40 for size in shape) or len(shape) > 32:
        raise Damaged(f"it has an array of shape {list(shape)}")
    return shape, dtype, file.tell()


class Archive:
    """A zip file whose members are together no larger than its reader allows."""

    def __init__(self, file: Path | bytes, most: int) -> None:
        """``most``: bytes of all members, unpacked. A file that cannot be opened is an ``OSError``."""
        self._file = io.BytesIO(file) if isinstance(file, bytes) else opened(file)
        try:
            with reading():
                self._zip = zipfile.ZipFile(self._file)
                self._members = self._checked(most)
        except BaseException:
            self._file.close()
            raise

    def _checked(self, most: int) -> dict[str, zipfile.ZipInfo]:
        members = self._zip.infolist()
        found = {member.filename: member for member in members}
        if len(members) > MOST_MEMBERS or len(found) != len(members):
            raise Damaged(f"it has {len(members):,} members, some {len(members) - len(found)} with the same name")
        for member in members:
            if member.flag_bits & _ENCRYPTED:
                raise Damaged(f"its {member.filename[:40]!r} is encrypted")
            if member.compress_type not in _COMPRESSIONS:
                raise Damaged(f"its {member.filename[:40]!r} has the unknown compression {member.compress_type}")
        size = sum(member.file_size for member in members)
        if size > most:
            raise Damaged(f"unpacked it would have {size:,} bytes, more than {most:,}")
        return found

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._zip.close()
        self._file.close()

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def size(self, name: str) -> int:
        """Bytes that a member has unpacked."""
        return self._member(name).file_size

    def read(self, name: str, most: int | None = None) -> bytes:
        """The bytes of a member, at most ``most``."""
        member = self._member(name)
        if most is not None and member.file_size > most:
            raise Damaged(f"its {name} has {member.file_size:,} bytes, more than {most:,}")
        with reading(), self._begun(member) as file:
            # In parts, for zipfile unpacks as much as it is asked for before it looks at the size.
            part = 1 << (16 if member.compress_type in _BY_OUTPUT else 12)
            content = b"".join(iter(lambda: file.read(part), b""))
            if len(content) != member.file_size:
                raise Damaged(f"its {name} ends after {len(content):,} of {member.file_size:,} bytes")
        return content

    def shapes(self) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
        """Shape and type of each array, read from its first bytes; an array is as large as its member."""
        found = {}
        for name, member in self._members.items():
            with reading(), self._begun(member) as file:
                shape, dtype, begins = _header(file.read(MOST_HEADER + 128))
                if begins + math.prod(shape) * dtype.itemsize != member.file_size:
                    raise Damaged(f"its {name} claims {dtype}{list(shape)} in {member.file_size:,} bytes")
            found[name.removesuffix(".npy")] = (shape, dtype)
        return found

    def array(self, name: str) -> np.ndarray:
        """The array called ``name``."""
        return _array(self.read(f"{name}.npy"))

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name."""
        return {name: self.array(name) for name in self.shapes()}

    def _member(self, name: str) -> zipfile.ZipInfo:
        if name not in self._members:
            raise Damaged(f"there is no {name} in it")
        return self._members[name]

    @contextlib.contextmanager
    def _begun(self, member: zipfile.ZipInfo) -> Iterator[Any]:
        """A member open for reading; LZMA takes the memory that a member asks for, so that is looked at first."""
        if member.compress_type == zipfile.ZIP_LZMA:
            self._file.seek(member.header_offset + 26)  # of the local header: the lengths of name and extra field
            lengths = self._file.read(4)
            name, extra = int.from_bytes(lengths[:2], "little"), int.from_bytes(lengths[2:], "little")
            self._file.seek(member.header_offset + 30 + name + extra + 5)  # version, length, lc/lp/pb; the dictionary
            if int.from_bytes(self._file.read(4), "little") > MOST_DICTIONARY:
                raise Damaged(f"unpacking its {member.filename[:40]!r} would take too much memory")
        with self._zip.open(member) as file:
            yield file
