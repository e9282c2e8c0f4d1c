"""Files that anybody may have written: limits hold before anything is read, and everything wrong is one error."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
import zipfile

import numpy as np
import pytest

from jaxpoker.files import archives
from jaxpoker.files.archives import MB, Archive, Damaged


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def zipped(name: str, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def npy_header(shape: tuple[int, ...], dtype: str = "<f4") -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
    return file.getvalue()


# --- arrays -----------------------------------------------------------------------------------


def test_arrays_come_back_as_they_were():
    arrays = {"a": np.arange(6.0).reshape(2, 3), "name": np.array("text"), "empty": np.zeros((0, 4), np.int8)}
    with Archive(npz(**arrays), MB) as file:
        assert file.shapes()["a"] == ((2, 3), np.dtype(float))
        for name, found in file.arrays().items():
            np.testing.assert_array_equal(found, arrays[name])


@pytest.mark.parametrize("shape", [(100_000_000_000,), (1 << 62, 1 << 62), (-1,), (2**40, 0)])
def test_an_array_that_claims_what_is_not_there_is_refused_unread(tmp_path, shape):
    path = tmp_path / "a.npy"
    path.write_bytes(npy_header(shape) + b"1234")
    with pytest.raises(Damaged):
        archives.array(path, MB)
    with Archive(zipped("a.npy", path.read_bytes()), MB) as file, pytest.raises(Damaged):
        file.arrays()


def test_objects_are_not_unpickled(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(Damaged, match="object"):
        archives.array(path, MB)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("lies", [False, True])
def test_a_bomb_is_not_unpacked(method, lies):
    """A member that unpacks to 160 MB, and says so or does not."""
    bomb = bytearray(zipped("a.npy", bytes(160 * MB), method))
    if lies:
        for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            at = bomb.index(signature) + place
            bomb[at : at + 4] = (1_000).to_bytes(4, "little")
    tracemalloc.start()
    try:
        with pytest.raises(Damaged), Archive(bytes(bomb), MB) as file:
            file.read("a.npy")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 80 * MB


def test_a_dictionary_of_gigabytes_is_refused():
    packed = bytearray(zipped("a", b"x" * 1_000, zipfile.ZIP_LZMA))
    at = 30 + len("a") + 5
    packed[at : at + 4] = (0xFFFFFFF0).to_bytes(4, "little")
    with pytest.raises(Damaged, match="too much memory"), Archive(bytes(packed), MB) as file:
        file.read("a")


def test_what_is_encrypted_or_packed_in_an_unknown_way_is_named():
    packed = bytearray(zipped("a", b"x"))
    central = packed.index(b"PK\x01\x02")
    locked, strange = bytearray(packed), bytearray(packed)
    locked[central + 8] |= 1
    strange[central + 10] = zipfile.ZIP_BZIP2  # 45 bytes of it may be a megabyte
    with pytest.raises(Damaged, match="encrypted"):
        Archive(bytes(locked), MB)
    with pytest.raises(Damaged, match="unknown compression 12"):
        Archive(bytes(strange), MB)


def test_damage_anywhere_is_damage():
    whole = npz(a=np.arange(2_000), b=np.ones((3, 5), np.float16))
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        content = bytearray(whole)
        for place in rng.integers(len(content), size=rng.integers(1, 4)):
            content[place] = rng.integers(256)
        try:
            with Archive(
                bytes(content[: rng.integers(len(content) + 1)] if rng.random() < 0.2 else content), MB
            ) as file:
                file.arrays()
        except Damaged:
            wrong += 1
    assert wrong > 300


# --- JSON -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["NaN", "[Infinity]", "1e999", "9" * 5_000, "-" + "9" * 19, "1." + "3" * 400, "[" * 100_000, "{", "", "\xff", "01"],
)
def test_what_is_no_json_of_ours_is_refused(text):
    with pytest.raises(Damaged):
        archives.parsed(text)
    with pytest.raises(Damaged):
        archives.parsed(text.encode("latin-1"))


def test_numbers_and_texts_are_read_as_usual():
    values = {"a": [1, -2.5, 1e300, None, True, "é"], "b": {"c": 2**63 - 1}}
    assert archives.parsed(json.dumps(values)) == values


# --- plain files ------------------------------------------------------------------------------


def test_a_file_has_at_most_so_many_bytes(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert archives.whole(path, 5) == b"12345"
    with pytest.raises(Damaged, match="more than 4 bytes"):
        archives.whole(path, 4)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_is_no_file_and_nobody_waits_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "nothing"):
        with pytest.raises(OSError):
            archives.whole(path, 10)


def test_a_link_is_followed_only_where_that_is_meant(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert archives.opened(tmp_path / "link").read() == b"1"
    with pytest.raises(OSError):
        archives.opened(tmp_path / "link", follow=False)
