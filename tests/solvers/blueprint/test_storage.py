"""Blueprints in files: what is kept, and damage that is named."""

import dataclasses
import json
import tracemalloc
import zipfile

import jax
import numpy as np
import pytest

from jaxpoker.games.holdem.table import Street
from jaxpoker.runs import RunError
from jaxpoker.solvers import blueprint, tree
from jaxpoker.solvers.abstraction import equity_buckets
from jaxpoker.solvers.blueprint import storage
from jaxpoker.solvers.tree import building


@pytest.fixture
def saved(any_blueprint, tmp_path):
    path = tmp_path / "b.zip"
    any_blueprint.save(path)
    return path


def test_a_file_keeps_probabilities_to_a_255th(any_blueprint, saved, tmp_path):
    again = blueprint.load(saved)
    for before, after in zip(any_blueprint.strategy, again.strategy, strict=True):
        np.testing.assert_allclose(after, before, atol=1.5 / 255)
        np.testing.assert_allclose(after.sum(axis=-1), 1, atol=1e-6)
    again.save(tmp_path / "twice.zip")
    assert (tmp_path / "twice.zip").read_bytes() == saved.read_bytes()
    assert again.game == any_blueprint.game


def test_parts_go_to_the_largest_remainders():
    parts = storage.in_parts(np.asarray([[1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0], [1, 0, 0], [0, 0, 0]]))
    np.testing.assert_array_equal(parts, [[85, 85, 85], [128, 127, 0], [255, 0, 0], [0, 0, 0]])


def rewritten(path, **members):
    """The file with other contents of some members."""
    with zipfile.ZipFile(path) as file:
        kept = {name: file.read(name) for name in file.namelist()} | members
    with zipfile.ZipFile(path, "w") as file:
        for name, data in kept.items():
            if data is not None:
                file.writestr(name, data)


def test_a_query_before_the_flop_reads_nothing_else(any_blueprint, saved):
    rewritten(saved, **{"river.bin": None})
    again = blueprint.load(saved)
    assert again.mix(0, "AhKd")["fold"] == pytest.approx(any_blueprint.mix(0, "AhKd")["fold"], abs=0.01)
    with pytest.raises(RunError, match=r"b\.zip is damaged"):
        again.strategy[Street.RIVER]


def test_damage_is_named(saved):
    with zipfile.ZipFile(saved) as file:
        flop = bytearray(file.read("flop.bin"))
    flop[0] ^= 1
    rewritten(saved, **{"flop.bin": bytes(flop)})
    with pytest.raises(RunError, match=r"b\.zip is damaged: its flop is not what was saved"):
        blueprint.load(saved).strategy[Street.FLOP]
    saved.write_bytes(saved.read_bytes()[:200])
    with pytest.raises(RunError, match=r"b\.zip is damaged"):
        blueprint.load(saved)
    with pytest.raises(RunError, match=r"cannot read blueprint .*nowhere\.zip"):
        blueprint.load(saved.with_name("nowhere.zip"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 3}, "format 3"),
        ({"tree": "0" * 16}, "another betting tree"),
        (
            {"abstraction": {"name": "rank_based", "num_buckets": [6, 9, 9, 9], "fingerprint": "0"}},
            "rank_based buckets 0",
        ),
        ({"menu": "33 pieces"}, "cannot be understood"),
    ],
)
def test_a_file_of_something_else_is_refused(saved, change, message):
    with zipfile.ZipFile(saved) as file:
        manifest = json.loads(file.read("manifest.json"))
    rewritten(saved, **{"manifest.json": json.dumps(manifest | change).encode()})
    with pytest.raises(RunError, match=message):
        blueprint.load(saved)


def test_the_shipped_file_brings_its_cards_and_its_tree(monkeypatch, tmp_path):
    monkeypatch.setattr(equity_buckets, "compute", lambda *options: pytest.fail("these buckets were there"))
    shipped = blueprint.load(blueprint.SHIPPED)
    assert shipped.abstraction.name == "equity" and shipped.abstraction.num_buckets[0] == 169
    built = tree.build(shipped.game)
    for field in dataclasses.fields(tree.Tree):
        if field.name not in ("game", "stakes"):
            np.testing.assert_array_equal(getattr(shipped.tree, field.name), getattr(built, field.name))
    assert shipped.tree.stakes is not None
    jax.tree.map(np.testing.assert_array_equal, shipped.tree.stakes, built.stakes)
    shipped.save(tmp_path / "again.zip", complete=True)
    assert (tmp_path / "again.zip").read_bytes() == blueprint.SHIPPED.read_bytes()
    shipped.save(tmp_path / "without.zip")
    with pytest.raises(BaseException, match="these buckets were there"):
        monkeypatch.setattr(equity_buckets, "_load", lambda path: None)
        blueprint.load(tmp_path / "without.zip")


@pytest.mark.parametrize("name", [storage.CARDS, storage.TREE])
def test_damage_of_what_is_brought_along_is_named(name, tmp_path):
    path = tmp_path / "b.zip"
    path.write_bytes(blueprint.SHIPPED.read_bytes())
    with zipfile.ZipFile(path) as file:
        content = bytearray(file.read(name))
    content[len(content) // 2] ^= 255
    rewritten(path, **{name: bytes(content)})
    with pytest.raises(RunError, match=r"b\.zip is damaged: its tree or its buckets are not what was saved"):
        blueprint.load(path)


# --- hostile files ------------------------------------------------------------------------------


def manifest_with(path, **changes):
    with zipfile.ZipFile(path) as file:
        return json.dumps({**json.loads(file.read("manifest.json")), **changes}).encode()


@pytest.mark.parametrize(
    "change",
    [
        {"menu": None},
        {"menu": 3},
        {"menu": ", ".join(f"{i}%" for i in range(1, 90))},
        {"checksums": []},
        {"checksums": None},
        {"checksums": [1, 2, 3, 4]},
        {"rules": {"stack": 2.5}},
        {"rules": []},
        {"abstraction": {"name": ["rank_based"], "num_buckets": [1, 1, 1, 1], "fingerprint": "0"}},
        {"abstraction": {"name": "rank_based", "num_buckets": [1, 1, 1], "fingerprint": "0"}},
        {"abstraction": {"name": "rank_based", "num_buckets": [1, 1, 1, 1e9], "fingerprint": "0"}},
        {"abstraction": []},
        {"along": [1]},
        {"tree": {}},
    ],
)
def test_a_manifest_that_is_none_is_named(saved, change):
    rewritten(saved, **{"manifest.json": manifest_with(saved, **change)})
    with pytest.raises(RunError, match=r"b\.zip (is damaged|was solved)"):
        blueprint.load(saved)


@pytest.mark.parametrize("content", [b"[" * 100_000, b"null", b"[]", b'{"format": 2}', b"\xff", b'{"format": NaN}'])
def test_a_manifest_of_other_bytes_is_named(saved, content):
    rewritten(saved, **{"manifest.json": content})
    with pytest.raises(RunError, match=r"b\.zip"):
        blueprint.load(saved)


def test_a_menu_that_does_not_fit_the_streets_is_refused_before_its_tree_is_built(saved, monkeypatch):
    nodes = []
    whole = building.build
    monkeypatch.setattr(
        blueprint.blueprint,
        "build",
        lambda game, max_nodes: nodes.append(max_nodes) or whole(game, max_nodes=max_nodes),
    )
    sizes = ", ".join(f"{10 * i}%" for i in range(1, 28)) + ", a"  # 28: streets of 30 actions
    rewritten(saved, **{"manifest.json": manifest_with(saved, menu=sizes)})
    with pytest.raises(RunError, match=r"b\.zip is damaged: its (preflop|flop|turn|river|streets)"):
        blueprint.load(saved)
    assert not nodes or nodes[0] < 100_000


def test_a_gigabyte_inside_is_refused_before_it_is_unpacked(saved):
    with (
        zipfile.ZipFile(saved, "a", zipfile.ZIP_DEFLATED) as file,
        file.open("cards.npz", "w", force_zip64=True) as member,
    ):
        for _ in range(512):
            member.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(RunError, match=r"b\.zip is damaged: .*cards\.npz has 536,870,912 bytes"):
            blueprint.load(saved)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50_000_000


def test_a_street_of_another_size_is_refused_unread(saved):
    with zipfile.ZipFile(saved) as file:
        river = file.read("river.bin")
    rewritten(saved, **{"river.bin": river + b"\0"})
    with pytest.raises(RunError, match="its river has"):
        blueprint.load(saved)
