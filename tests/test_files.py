"""Files that are written whole or not at all, and the folder for what can be made again."""

import errno
import os
from pathlib import Path

import pytest

from jaxpoker import files
from jaxpoker.errors import RunError


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "a.txt"
    files.write_whole(path, "one")
    files.write_whole(path, b"two")
    assert path.read_bytes() == b"two" and [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_full_disk_leaves_the_old_file_and_says_which(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    files.write_whole(path, "old")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"cannot write .*a\.txt: No space left on device; everything saved before"):
        files.write_whole(path, "new")
    assert path.read_text() == "old" and [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_free_name_is_numbered_before_its_suffix(tmp_path):
    for name in ("run", "run-2", "m.jsonl"):
        (tmp_path / name).touch()
    assert files.free_path(tmp_path / "run").name == "run-3"
    assert files.free_path(tmp_path / "m.jsonl").name == "m-2.jsonl"
    assert files.free_path(tmp_path / "new").name == "new"


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"JAXPOKER_CACHE": "/c"}, "/c"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/jaxpoker"),
        ("linux", {}, "/home/ann/.cache/jaxpoker"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, "/home/ann/Library/Caches/jaxpoker"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/jaxpoker"),
    ],
)
def test_the_users_cache_is_where_the_system_has_it(monkeypatch, platform, environment, expected):
    for name in ("JAXPOKER_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ann"))
    assert files.user_cache() == Path(expected)


@pytest.mark.parametrize("damage", [None, b"", b"PK\x03\x04 and no more"])
def test_a_table_that_comes_with_the_package_and_is_damaged_or_gone_is_named(tmp_path, damage):
    path = tmp_path / "table.npz"
    if damage is not None:
        path.write_bytes(damage)
    with pytest.raises(RunError, match=r"cannot read .*table\.npz, which comes with jaxpoker .*install jaxpoker anew"):
        files.shipped_arrays(path, "win")
