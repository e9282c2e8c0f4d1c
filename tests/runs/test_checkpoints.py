"""What is saved comes back bit for bit; what is damaged is noticed, named, and never deleted."""

import json
import os
import resource
import shutil
import signal
from collections import namedtuple
from pathlib import Path

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from jaxpoker import runs
from jaxpoker.runs.checkpoints import Checkpoints, leaves_of

# --- leaves -----------------------------------------------------------------------------------

Pair = namedtuple("Pair", "left right")

# Bit patterns that arithmetic or text would not keep: signalling NaN, minus zero, the smallest number.
AWKWARD = np.array([0x7F800001, 0x80000000, 0x00000001, 0x7FC12345], np.uint32).view(np.float32)


def state_of_every_kind() -> dict:
    return {
        "step": jnp.int32(7),
        "keys": jax.random.split(jax.random.key(3), 4),
        "rbg": jax.random.key(1, impl="rbg"),
        "old key": jax.random.PRNGKey(2),
        "bfloat16": jnp.array([1.5, -2.25, np.nan], jnp.bfloat16),
        "float16": jnp.array([6e-8], jnp.float16),
        "awkward": jnp.array(AWKWARD),
        "bools": jnp.array([True, False]),
        "bytes": jnp.arange(256, dtype=jnp.uint8).reshape(16, 16),
        "weak": jnp.asarray(0.1),
        "weak ints": jnp.full(3, 4),
        "empty": jnp.zeros((0, 5), jnp.int8),
        "numpy": np.linspace(0, 1, 5),
        "numpy bfloat16": np.ones(2, ml_dtypes.bfloat16),
        "numpy scalar": np.int64(2**40),
        "python": [True, 3, 0.1],
        "containers": (Pair(jnp.ones(2), None), [], {}, ()),
        "a.b/c ['d']": jnp.ones(1),
    }


def bits(leaf) -> tuple:
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return str(jax.random.key_impl(leaf)), np.asarray(jax.random.key_data(leaf)).tobytes()
    weak = leaf.weak_type if isinstance(leaf, jax.Array) else None
    array = np.asarray(leaf)
    kind = jax.Array if isinstance(leaf, jax.Array) else type(leaf)
    return kind, weak, array.dtype, array.shape, array.tobytes()


def round_trip(folder: Path, make) -> tuple:
    folder.mkdir()
    state = make()
    Checkpoints(folder, "f", keep=3).save(state, step=7, seconds=1.5, updates=4)
    saved = Checkpoints(folder, "f", keep=3).restore(jax.eval_shape(make), say=pytest.fail)
    assert saved[1:] == (7, 1.5, 4)
    return state, saved.state


def test_every_kind_of_leaf_comes_back_bit_for_bit(tmp_path: Path) -> None:
    state, back = round_trip(tmp_path / "c", state_of_every_kind)
    assert jax.tree.structure(back) == jax.tree.structure(state)
    for (name, ours), theirs in zip(jax.tree_util.tree_leaves_with_path(state), jax.tree.leaves(back), strict=True):
        assert bits(theirs) == bits(ours), jax.tree_util.keystr(name)


def test_float64_comes_back_bit_for_bit(tmp_path: Path) -> None:
    with jax.enable_x64(True):
        state, back = round_trip(
            tmp_path / "c", lambda: {"x": jnp.array([1 / 3, 1e300]), "n": jnp.arange(2), "weak": jnp.asarray(0.1)}
        )
        assert back["x"].dtype == jnp.float64
        assert jax.tree.map(bits, back) == jax.tree.map(bits, state)


def test_a_leaf_goes_back_to_the_devices_that_init_puts_it_on(tmp_path: Path) -> None:
    mesh = jax.make_mesh((1,), ("tables",), axis_types=(jax.sharding.AxisType.Auto,))
    by_table = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("tables"))

    def init() -> dict:
        return {"step": jnp.int32(7), "x": jax.jit(lambda: jnp.ones(4), out_shardings=by_table)()}

    _, back = round_trip(tmp_path / "c", jax.jit(init, out_shardings={"step": None, "x": by_table}))
    assert back["x"].sharding == by_table
    assert not back["step"].committed


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (lambda: {"step": jnp.int32(0), "x": jnp.zeros(3)}, r"\['x'\] is float32\[2\], should be float32\[3\]"),
        (
            lambda: {"step": jnp.int32(0), "x": jnp.zeros(2, jnp.int32)},
            r"\['x'\] is float32\[2\], should be int32\[2\]",
        ),
        (lambda: {"step": jnp.int32(0), "y": jnp.zeros(2)}, r"\['x'\], float32\[2\], should not be there"),
        (lambda: {"step": jnp.int32(0), "x": jnp.zeros(2), "y": jnp.zeros(2)}, r"\['y'\], float32\[2\], is missing"),
        (
            lambda: {"step": jax.random.key(0), "x": jnp.zeros(2)},
            r"\['step'\] is int32\[\], should be uint32\[2\] \(key",
        ),
    ],
)
def test_a_checkpoint_of_another_shape_names_the_leaf(tmp_path: Path, now, says: str) -> None:
    Checkpoints(tmp_path, "f", keep=3).save({"step": jnp.int32(0), "x": jnp.zeros(2)}, 0, 0.0, 0)
    with pytest.raises(runs.RunError, match=says):
        Checkpoints(tmp_path, "f", keep=3).restore(jax.eval_shape(now), say=pytest.fail)


def test_a_leaf_that_is_no_number_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"\['opponent'\] of the train state is a str"):
        leaves_of({"opponent": "caller"})


# --- damage -----------------------------------------------------------------------------------


@pytest.fixture
def stopped(run_descent, watcher, runs_folder):
    """A run stopped at step 7 with checkpoints 5, 6 and 7; its folder, and how it would end."""
    whole = run_descent("--name", "whole")
    with pytest.raises(runs.Stopped):
        run_descent("--name", "a", display=watcher(7, signal.SIGTERM), checkpoint_seconds=0)
    checkpoints = runs_folder / "a" / "checkpoints"
    kept = sorted(path.name for path in checkpoints.iterdir())
    assert kept == ["5", "5.json", "6", "6.json", "7", "7.json"], "the last three are kept, whole, and nothing else"
    return checkpoints, whole


def biggest_file(folder: Path) -> Path:
    return max((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)


def truncate(checkpoint: Path) -> str:
    file = biggest_file(checkpoint)
    os.truncate(file, file.stat().st_size // 2)
    return f"{file} has {file.stat().st_size} bytes, not"


def flip_a_bit(checkpoint: Path) -> str:
    file = biggest_file(checkpoint)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    return f"{file} has crc32"


def delete_a_file(checkpoint: Path) -> str:
    file = biggest_file(checkpoint)
    file.unlink()
    return f"{file} is missing"


def delete_the_manifest(checkpoint: Path) -> str:
    manifest = checkpoint.with_name(f"{checkpoint.name}.json")
    manifest.unlink()
    return f"{manifest} is missing"


def cut_the_manifest(checkpoint: Path) -> str:
    manifest = checkpoint.with_name(f"{checkpoint.name}.json")
    os.truncate(manifest, 100)
    return f"{manifest} is not a manifest"


def delete_the_folder(checkpoint: Path) -> str:
    shutil.rmtree(checkpoint)
    return "is missing"


DAMAGES = [truncate, flip_a_bit, delete_a_file, delete_the_manifest, cut_the_manifest, delete_the_folder]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_named_moved_aside_and_passed_over(stopped, run_descent, watcher, damage) -> None:
    checkpoints, whole = stopped
    says = damage(checkpoints / "7")
    left = {
        str(p.relative_to(checkpoints / "7")): p.read_bytes() for p in (checkpoints / "7").rglob("*") if p.is_file()
    }
    display = watcher()
    assert run_descent("--name", "a", "--resume", display=display) == whole
    assert display.shown[0] == 7, "step 7 is made again, from checkpoint 6"
    assert says in display.messages[0]
    assert "using checkpoint 6 instead" in display.messages[0]
    aside = checkpoints / "damaged-7"
    assert str(aside) in display.messages[0]
    assert {str(p.relative_to(aside)): p.read_bytes() for p in aside.rglob("*") if p.is_file()} == left


def test_two_damaged_checkpoints_and_one_of_that_name_already(stopped, run_descent, watcher) -> None:
    checkpoints, whole = stopped
    (checkpoints / "damaged-7").mkdir()
    (checkpoints / "damaged-7" / "mine").write_text("kept")
    truncate(checkpoints / "7")
    delete_a_file(checkpoints / "6")
    assert run_descent("--name", "a", "--resume") == whole
    assert {"damaged-6", "damaged-7", "damaged-7-2"} <= {path.name for path in checkpoints.iterdir()}
    assert (checkpoints / "damaged-7" / "mine").read_text() == "kept"


def test_no_whole_checkpoint_is_an_error_and_nothing_is_touched(stopped, run_descent) -> None:
    checkpoints, _ = stopped
    says = [flip_a_bit(checkpoints / step) for step in ("5", "6", "7")]
    before = {path: path.stat().st_mtime_ns for path in checkpoints.parent.rglob("*") if path.name != ".lock"}
    with pytest.raises(runs.RunError, match="no whole checkpoint") as error:
        run_descent("--name", "a", "--resume")
    assert all(text in str(error.value) for text in says)
    assert {path: path.stat().st_mtime_ns for path in checkpoints.parent.rglob("*") if path.name != ".lock"} == before


def test_a_config_changed_by_hand_does_not_fit_the_checkpoint(stopped, run_descent) -> None:
    config = stopped[0].parent / "config.yaml"
    config.write_text(config.read_text().replace("rate: 0.0003", "rate: 0.0004"))
    with pytest.raises(runs.RunError, match=r"checkpoint .*/7 was saved with other settings"):
        run_descent("--name", "a", "--resume")


def test_a_save_that_was_cut_off_leaves_no_litter(stopped, run_descent) -> None:
    checkpoints, whole = stopped
    (checkpoints / "8.orbax-checkpoint-tmp").mkdir()
    assert run_descent("--name", "a", "--resume") == whole
    assert not (checkpoints / "8.orbax-checkpoint-tmp").exists()


def test_fewer_checkpoints_may_be_kept(run_descent, runs_folder) -> None:
    run_descent("--name", "a", checkpoint_seconds=0, keep=1)
    assert sorted(path.name for path in (runs_folder / "a" / "checkpoints").iterdir()) == ["12", "12.json"]
    with pytest.raises(ValueError, match="cannot keep 0 checkpoints"):
        run_descent("--name", "b", keep=0)


def test_checkpoints_of_round_steps_stay_beside_the_newest(run_descent, runs_folder, descent) -> None:
    run_descent("--name", "a", checkpoint_seconds=0, keep=2, keep_every=4)
    assert Checkpoints(runs_folder / "a" / "checkpoints", "f", keep=2).whole_steps() == [4, 8, 11, 12]
    run_descent("--name", "b", checkpoint_seconds=100, keep=1, keep_every=5)
    assert Checkpoints(runs_folder / "b" / "checkpoints", "f", keep=1).whole_steps() == [5, 10, 12]
    run_descent("--name", "c", stride=3, keep=1, keep_every=5)  # steps 3, 6, 9, 12: the first after a multiple
    assert Checkpoints(runs_folder / "c" / "checkpoints", "f", keep=1).whole_steps() == [6, 12]
    with pytest.raises(ValueError, match="every 0 steps"):
        run_descent("--name", "d", keep_every=0)


def test_a_checkpoint_is_read_by_its_step(tmp_path: Path) -> None:
    store = Checkpoints(tmp_path, "f", keep=3)
    for step in (1, 2):
        store.save({"step": jnp.int32(step), "x": jnp.full(3, step)}, step, 0.0, step)
    template = jax.eval_shape(lambda: {"step": jnp.int32(1), "x": jnp.full(3, 1)})
    assert np.array_equal(store.at(1, template).state["x"], [1, 1, 1])
    with pytest.raises(runs.RunError, match=r"no checkpoint 3 in .*: the steps there are 1, 2"):
        store.at(3, template)
    (tmp_path / "3").mkdir()  # cut off while it was saved
    assert store.whole_steps() == [1, 2]
    written = next(path for path in (tmp_path / "1").rglob("*") if path.is_file())
    written.write_bytes(b"x" + written.read_bytes())
    with pytest.raises(runs.RunError, match="checkpoint 1 is damaged"):
        store.at(1, template)


def test_a_full_disk_is_an_error_and_the_last_checkpoint_stays(tmp_path: Path) -> None:
    """A limit on the size of files makes real writes fail, as a full disk does."""
    store = Checkpoints(tmp_path, "f", keep=3)
    noise = np.random.default_rng(0).integers(0, 255, 2_000_000, np.uint8)
    store.save({"step": jnp.int32(1), "x": jnp.zeros(2_000_000, jnp.uint8)}, 1, 0.0, 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, hard))
    try:
        with pytest.raises(runs.RunError, match=rf"cannot save checkpoint {tmp_path}/2: .*(?i:too large)"):
            store.save({"step": jnp.int32(2), "x": jnp.asarray(noise)}, 2, 0.0, 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "1.json"]
    assert json.loads((tmp_path / "1.json").read_text())["step"] == 1
    template = jax.eval_shape(lambda: {"step": jnp.int32(1), "x": jnp.zeros(2_000_000, jnp.uint8)})
    saved = store.restore(template, say=pytest.fail)
    assert saved is not None and int(saved.state["step"]) == 1
