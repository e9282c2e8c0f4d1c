"""Files with random damage, or made to do harm: refused in a sentence, in no time and in little memory."""

from __future__ import annotations

import json
import random
import resource
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players, runs
from jaxpoker.files import archives
from jaxpoker.models import pokernet
from jaxpoker.players import saved_networks
from jaxpoker.runs import config as configs
from jaxpoker.runs.checkpoints import Checkpoints
from jaxpoker.runs.metrics import read_metrics
from jaxpoker.solvers import abstraction, blueprint, subgame, tree
from jaxpoker.solvers.blueprint import Blueprint, tables_file
from jaxpoker.solvers.flops import files as flop_files
from jaxpoker.solvers.flops import solving
from jaxpoker.solvers.flops.solved import in_memory
from jaxpoker.studies.solve.config import Config
from tests.hardening.conftest import LONG, spoiled

FILES = 260 if LONG else 25  # damaged ones of each kind
MOST_GROWTH = 1_000_000  # kilobytes of memory


def small_blueprint() -> Blueprint:
    betting = tree.build(jaxpoker.make("holdem", menu="preflop: 3x, a; postflop: a; raises: 2", stack=20))
    known = abstraction.make("rank_based")
    strategy = []
    for street, buckets in enumerate(known.num_buckets):
        legal = betting.legal(betting.decisions(street=street)).astype(np.float32)
        even = legal / np.maximum(legal.sum(axis=-1, keepdims=True), 1)
        strategy.append(np.repeat(even[:, None], buckets, axis=1))
    return Blueprint(betting, known, tuple(strategy))


def all_streets(path: Path) -> object:
    solved = blueprint.load(path)
    return [solved.parts(street).sum() for street in range(4)]


def network(folder: Path) -> Path:
    made = saved_networks.policy_network("kuhn")
    saved_networks.save(folder / "network.npz", saved_networks.SavedNetwork("kuhn", made.init(jax.random.key(0))))
    return folder / "network.npz"


def champion(folder: Path) -> Path:
    np.save(folder / "champion.npy", np.asarray(pokernet.random_genomes(jax.random.key(0), 1)[0]))
    return folder / "champion.npy"


def strategy(folder: Path) -> Path:
    small_blueprint().save(folder / "blueprint.zip", complete=True)
    return folder / "blueprint.zip"


def without_a_tree(folder: Path) -> Path:
    small_blueprint().save(folder / "bare.zip")
    return folder / "bare.zip"


def spot(folder: Path) -> Path:
    there = {"board": "Ks7h3d9h2c", "pot": 100, "stack": 100, "oop": "KK, 54s", "ip": "AKo, QQ", "menu": "100%"}
    subgame.solve(subgame.Spot.from_json(there), iterations=4).save(folder / "a.spot")
    return folder / "a.spot"


def flop(folder: Path) -> Path:
    """A flop before its first iteration: nothing is solved."""
    sizes = {seat: {"bet": "100%", "raise": ""} for seat in ("oop", "ip")}
    menu = {"flop": sizes, "turn": {}, "river": {}}
    there = {"board": "Ks7h3d", "pot": 100, "stack": 100, "oop": "KK, 54s", "ip": "AKo, QQ", "menu": menu}
    made = solving.described(subgame.Spot.from_json(there))
    flop_files.save(in_memory(made, made.game.start()), folder / "a.flop", depth=1)
    return folder / "a.flop"


def metrics(folder: Path) -> Path:
    lines = [json.dumps({"step": i, "seconds": i / 3, "loss": 1 / (i + 1), "none": None}) for i in range(40)]
    (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    return folder / "metrics.jsonl"


def settings(folder: Path) -> Path:
    configs.write_config(folder, "solve", "quick", Config(), "scripts/run solve")
    return folder / "config.yaml"


STATE = {"point": np.arange(5.0), "step": np.int32(3)}


def manifest(folder: Path) -> Path:
    Checkpoints(folder / "checkpoints", "f" * 16, keep=1).save(STATE, 3, 1.5, 3)
    return folder / "checkpoints" / "3.json"


def restored(path: Path) -> object:
    """Checkpoints are only looked at: what is damaged is named, and would be moved aside."""
    found = Checkpoints(path.parent, "f" * 16, keep=1)
    return found.at(3, jax.eval_shape(lambda: jax.tree.map(jax.numpy.asarray, STATE)))


KINDS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], object]]] = {
    "network": (network, saved_networks.load),
    "champion": (champion, lambda path: players.entrant(str(path))),
    "blueprint": (strategy, all_streets),
    "blueprint without a tree": (without_a_tree, all_streets),
    "solved spot": (spot, subgame.load),
    "solved flop": (flop, flop_files.load),
    "metrics": (metrics, lambda path: read_metrics(path.parent, say=lambda text: None)),
    "settings": (settings, lambda path: configs.read_config(path.parent, "solve", Config)),
    "manifest": (manifest, restored),
}


def damaged(whole: bytes, chance: random.Random, path: Path) -> None:
    """Writes the file with damage: some bytes, a cut, a doubled part; or inside, with checksums that fit."""
    content, kind = bytearray(whole), chance.randrange(6)
    if kind >= 4 and zipfile.is_zipfile(path.with_suffix(".whole")):
        return rezipped(path, chance)
    for _ in range(chance.choice((1, 2, 8, 64))):
        content[chance.randrange(len(content))] = chance.randrange(256)
    if kind == 0:
        content = content[: chance.randrange(len(content))]
    elif kind == 1:
        at = chance.randrange(len(content))
        content[at:at] = content[: chance.randrange(len(content))]
    elif kind == 2:
        content = bytearray(spoiled(whole.decode("latin-1")[:20_000], chance).encode("latin-1", "replace"))
    path.write_bytes(content)


def rezipped(path: Path, chance: random.Random) -> None:
    """The zip file with one member changed, left out, or packed in another way."""
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2)
    with zipfile.ZipFile(path.with_suffix(".whole")) as file:
        members = {name: file.read(name) for name in file.namelist()}
    name = chance.choice(list(members))
    content = members[name]
    if chance.random() < 0.1:
        del members[name]
    elif name.endswith(".json"):
        members[name] = json.dumps(mangled(json.loads(content), chance)).encode()
    else:
        text = spoiled(content[:2_000].decode("latin-1"), chance).encode("latin-1", "replace")
        members[name] = text + content[2_000:]
    with zipfile.ZipFile(path, "w", chance.choice(methods)) as file:
        for each, data in members.items():
            file.writestr(each, data)


def mangled(value: object, chance: random.Random) -> object:
    """JSON with one of its values replaced by something of another kind."""
    others = (None, -1, 0, 10**18, 2.5, True, "", "x" * 50, [], [1, 2], {}, {"a": []}, [[[[]]]], "33%, a", "holdem")
    if isinstance(value, dict) and value and chance.random() < 0.85:
        name = chance.choice(list(value))
        return {**value, name: mangled(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.7:
        at = chance.randrange(len(value))
        return [*value[:at], mangled(value[at], chance), *value[at + 1 :]]
    return chance.choice(others)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused_in_a_sentence(kind, fuzz, tmp_path):
    make, read = KINDS[kind]
    chance, path = random.Random(kind), make(tmp_path)
    with jax.disable_jit(False):
        read(path)  # the whole one is read
    whole = path.read_bytes()
    shutil.copy(path, path.with_suffix(".whole"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def files() -> Iterator[object]:
        for _ in range(FILES):
            damaged(whole, chance, path)
            yield path

    count, refused, _ = fuzz(read, files())
    assert count == FILES and refused > FILES / 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_GROWTH


@pytest.mark.parametrize("extension", ["h5"])
def test_damaged_tables_are_refused_in_a_sentence(extension, fuzz, tmp_path):
    pytest.importorskip("h5py")
    from jaxpoker import solvers

    game = jaxpoker.make("holdem", menu="preflop: 3x, a; postflop: a; raises: 2", stack=20)
    solver = solvers.make("dcfr", game, cards="rank_based")
    path, chance = tmp_path / f"a.{extension}", random.Random(3)
    tables = solver.street_tables(solver.init(jax.random.key(0)))
    betting, known = tree.build(game), abstraction.make("rank_based")
    tables_file.save(path, tables, betting, known, {"algorithm": "dcfr"})
    whole = path.read_bytes()

    def files() -> Iterator[object]:
        for _ in range(25):  # libhdf5 itself may hang on a damaged header: not more, and always the same
            content = bytearray(whole)
            for _ in range(chance.choice((1, 4, 30))):  # headers are at the beginning
                content[chance.randrange(min(len(content), 8_000))] = chance.randrange(256)
            path.write_bytes(content[: chance.randrange(len(content))] if chance.random() < 0.2 else content)
            yield path

    _, refused, _ = fuzz(lambda given: tables_file.load(given, known, betting), files())
    assert refused > 0


# --- made to do harm ----------------------------------------------------------------------------


def test_a_gigabyte_of_nothing_is_not_read(tmp_path):
    """Sparse files: they claim a gigabyte and take no room."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (tmp_path / "run").mkdir()
    for name, read in {
        "network.npz": saved_networks.load,
        "champion.npy": lambda path: players.entrant(str(path)),
        "blueprint.zip": blueprint.load,
        "a.spot": subgame.load,
        "a.flop": flop_files.load,
        "spot.json": subgame.Spot.from_json,
        "run/config.yaml": lambda path: configs.read_config(path.parent, "solve", Config),
        "run/3.json": lambda path: Checkpoints(path.parent, "f" * 16, keep=1).at(3, STATE),
    }.items():
        path = tmp_path / name
        with open(path, "wb") as file:
            file.truncate(1 << 30)
        with pytest.raises((runs.RunError, ValueError)):
            read(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_GROWTH / 5


def test_yaml_that_grows_when_it_is_read_is_refused(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    (tmp_path / "config.yaml").write_text("\n".join(lines))
    with pytest.raises(runs.RunError, match="aliases are not read"):
        configs.read_yaml(tmp_path / "config.yaml")
    (tmp_path / "config.yaml").write_text("a: " + "[" * 50_000)
    with pytest.raises(runs.RunError, match="cannot read"):
        configs.read_yaml(tmp_path / "config.yaml")


def test_manifests_of_checkpoints_are_not_believed(tmp_path):
    path = manifest(tmp_path)
    good = json.loads(path.read_bytes())
    for change in (
        {"files": [1, 2]},
        {"files": {"../../../etc/passwd": {"size": 1, "crc32": 1}}},
        {"files": {"/etc/passwd": {"size": 1, "crc32": 1}}},
        {"seconds": "x"},
        {"seconds": -1},
        {"step": 3.0},
        {"updates": True},
        {"fingerprint": 7},
        {"leaves": [{"name": "a"}]},
        {"leaves": None},
        {"stays": "yes"},
    ):
        path.write_text(json.dumps(good | change))
        with pytest.raises(runs.RunError, match=r"checkpoint 3 is damaged: .*is not a manifest"):
            restored(path)
    path.write_text("[" * 200_000)
    with pytest.raises(runs.RunError, match="is not a manifest"):
        restored(path)
    path.write_text(json.dumps(good))
    assert restored(path)
    assert archives.parsed(path.read_bytes()) == good
