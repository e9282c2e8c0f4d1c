"""Checkpoints: the whole train state, saved by orbax and declared whole by a manifest written after it.

    checkpoints/1200/       orbax's files, one array per leaf of the state
    checkpoints/1200.json   the manifest: step, seconds, updates, fingerprint of the config, the leaves (name, kind,
                            shape, dtype), size and crc32 of every file, and whether it stays

The newest few are kept, and all that were saved to stay.

A folder without its manifest was cut off while it was saved. What does not match its manifest is damaged and is moved
aside, never deleted. Every leaf comes back bit for bit and as what it was: a jax array (weakly typed ones too), a typed
PRNG key, a NumPy array or scalar, a Python number.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import logging
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import devices, files
from jaxpoker.errors import RunError
from jaxpoker.files import archives
from jaxpoker.runs import folder as run_files

MOST_MANIFEST = 64 * archives.MB  # bytes
_KEY = "key "  # begins the kind of a PRNG key; its implementation follows
_PYTHON_NUMBERS = {"bool": bool, "int": int, "float": float, "complex": complex}


# --- leaves -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """One leaf of a state, as it is stored."""

    name: str  # its path in the state
    kind: (
        str  # "jax", "numpy", "numpy scalar", a key's implementation such as "key threefry2x32", or "int", "float", ...
    )
    shape: tuple[int, ...]  # of what is stored: a key's data
    dtype: str  # likewise
    weak: bool = False  # jax's weak type: it yields to other types in arithmetic

    def fits(self, template: Leaf) -> bool:
        """Whether this may stand where ``template`` was: NumPy and Python numbers become jax arrays in updates."""
        return (
            self.shape == template.shape
            and self._canonical_dtype() == template._canonical_dtype()
            and (self.kind == template.kind or not (self.is_key or template.is_key))
        )

    @property
    def is_key(self) -> bool:
        return self.kind.startswith(_KEY)

    def _canonical_dtype(self) -> np.dtype:
        """That of a jax array with this leaf's numbers."""
        return jnp.dtype(self.dtype) if self.kind == "jax" else jax.dtypes.canonicalize_dtype(self.dtype)

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}" + (f" ({self.kind})" if self.is_key else "")


def leaves_of(state: Any) -> list[tuple[Leaf, Any]]:
    """The leaves of a state (or of its shapes, as ``jax.eval_shape`` gives them), each with its value."""
    return [
        (_describe(jax.tree_util.keystr(path), leaf), leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(state)
    ]


def misfit(leaves: list[Leaf], templates: list[Leaf]) -> str | None:
    """The first difference between two states' leaves in words; None when one can take the other's place."""
    ours, theirs = {leaf.name: leaf for leaf in leaves}, {leaf.name: leaf for leaf in templates}
    for name in ours.keys() - theirs.keys():
        return f"leaf {name}, {ours[name]}, should not be there"
    for name in theirs.keys() - ours.keys():
        return f"leaf {name}, {theirs[name]}, is missing"
    for name, leaf in ours.items():
        if not leaf.fits(theirs[name]):
            return f"leaf {name} is {leaf}, should be {theirs[name]}"
    return None


def _describe(name: str, leaf: Any) -> Leaf:
    if isinstance(leaf, jax.Array | jax.ShapeDtypeStruct):
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return _describe_key(name, leaf)
        return Leaf(name, "jax", tuple(leaf.shape), str(leaf.dtype), bool(leaf.weak_type))
    if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind not in "OSUMm":
        kind = "numpy" if isinstance(leaf, np.ndarray) else "numpy scalar"
        return Leaf(name, kind, leaf.shape, str(leaf.dtype))
    if type(leaf).__name__ in _PYTHON_NUMBERS:
        return Leaf(name, type(leaf).__name__, (), str(np.asarray(leaf).dtype))
    raise TypeError(f"leaf {name} of the train state is a {type(leaf).__name__}: only arrays and numbers can be saved")


def _describe_key(name: str, key: Any) -> Leaf:
    implementations = []

    def data_of(key: jax.Array) -> jax.Array:
        implementations.append(jax.random.key_impl(key))  # asked while tracing: a mere shape does not tell
        return jax.random.key_data(key)

    data = jax.eval_shape(data_of, key)
    return Leaf(name, f"{_KEY}{implementations[0]}", data.shape, str(data.dtype))


def _stored(leaf: Leaf, value: Any) -> np.ndarray:
    data = jax.random.key_data(value) if leaf.is_key else value
    return devices.whole(data) if isinstance(data, jax.Array) else np.asarray(data)


def _restored(leaf: Leaf, stored: np.ndarray, sharding: Any) -> Any:
    if leaf.kind == "numpy":
        return stored
    if leaf.kind == "numpy scalar":
        return stored[()]
    if leaf.kind in _PYTHON_NUMBERS:
        return _PYTHON_NUMBERS[leaf.kind](stored.item())
    value = jnp.array(stored)  # a copy: updates may be given its memory
    if leaf.is_key:
        value = jax.random.wrap_key_data(value, impl=leaf.kind.removeprefix(_KEY))
    elif leaf.weak:
        # Values set into a weakly typed array take its type.
        value = jnp.broadcast_to(jnp.asarray(stored.dtype.type(0).item()), leaf.shape).at[...].set(value)
    return value if sharding is None else jax.device_put(value, sharding)


# --- manifests --------------------------------------------------------------------------------


class Saved(NamedTuple):
    """A checkpoint's state and how far the run was."""

    state: Any
    step: int
    seconds: float  # of training, all sessions together
    updates: int


@dataclass(frozen=True)
class _Manifest:
    step: int
    seconds: float
    updates: int
    fingerprint: str
    leaves: list[Leaf]
    files: dict[str, dict[str, int]]  # size and crc32 by path in the checkpoint's folder
    stays: bool = False  # also when it is no longer one of the newest

    def text(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=1) + "\n"

    @staticmethod
    def read(path: Path) -> _Manifest:
        """``archives.Damaged`` when that is no manifest, each thing in it of its type."""
        values = archives.parsed(archives.whole(path, MOST_MANIFEST))
        with archives.reading():
            leaves = [Leaf(**{**leaf, "shape": tuple(leaf["shape"])}) for leaf in values.pop("leaves")]
            manifest = _Manifest(leaves=leaves, **values)
            counts = [manifest.step, manifest.updates]
            counts += [size for leaf in leaves for size in leaf.shape]
            counts += [file[name] for file in manifest.files.values() for name in ("size", "crc32")]
            seconds = type(manifest.seconds) in (int, float) and manifest.seconds >= 0
            if not seconds or any(type(count) is not int or count < 0 for count in counts):
                raise archives.Damaged("its numbers are none")
            texts = [
                manifest.fingerprint,
                *manifest.files,
                *(text for leaf in leaves for text in (leaf.name, leaf.kind)),
            ]
            if not all(type(text) is str for text in texts) or any(_leads_out(name) for name in manifest.files):
                raise archives.Damaged("its names are none")
            if any(type(is_) is not bool for is_ in (manifest.stays, *(leaf.weak for leaf in leaves))):
                raise archives.Damaged("its flags are none")
            for leaf in leaves:
                jnp.dtype(leaf.dtype)
            if manifest.step != int(path.stem):
                raise archives.Damaged(f"it is of step {manifest.step}")
        return manifest


def _leads_out(name: str) -> bool:
    """Whether the path of a file leads out of its checkpoint's folder."""
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts


def _size_and_crc(path: Path, sync: bool = False) -> dict[str, int]:
    size, crc = 0, 0
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            size, crc = size + len(block), zlib.crc32(block, crc)
        if sync:
            os.fsync(file.fileno())
    return {"size": size, "crc32": crc}


@contextlib.contextmanager
def _orbax() -> Iterator[tuple[Any, Any]]:
    """orbax, imported only when a checkpoint is saved or restored, and its checkpointer for NumPy arrays.

    It logs the traceback of every error that it raises; here the error is enough. It waits for no other process: one
    writes, and each reads by itself.
    """
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        ocp: Any = importlib.import_module("orbax.checkpoint")
        alone = ocp.options.MultiprocessingOptions(jax.process_index(), {jax.process_index()})
        handler = ocp.StandardCheckpointHandler(multiprocessing_options=alone)
        with ocp.Checkpointer(handler, multiprocessing_options=alone) as checkpointer:
            yield ocp.args, checkpointer
    finally:
        logger.setLevel(level)


def _reason(error: Exception) -> str:
    """Why orbax failed. tensorstore, which writes the arrays, puts the system's error number into its text."""
    number = re.search(r"os_error_code='(\d+)'", str(error))
    return os.strerror(int(number[1])) if number else " ".join(str(error).split())


# --- the folder -------------------------------------------------------------------------------


class Checkpoints:
    """The checkpoints of one run."""

    def __init__(self, folder: Path, fingerprint: str, keep: int) -> None:
        if keep < 1:
            raise ValueError(f"cannot keep {keep} checkpoints: a run needs at least 1 to be resumed")
        self.folder = folder.absolute()  # orbax asks for that
        self.fingerprint = fingerprint
        self.keep = keep

    def save(self, state: Any, step: int, seconds: float, updates: int, stays: bool = False) -> None:
        """Saves the state and returns when it is on disk; then deletes all but the last ``keep`` and those that stay.

        Of several processes all bring their parts of the state together, and the first saves it.
        """
        pairs = leaves_of(state)
        arrays = {str(i): _stored(leaf, value) for i, (leaf, value) in enumerate(pairs)}
        if not devices.is_first():
            return
        target = self.folder / str(step)
        try:
            with _orbax() as (args, checkpointer):
                # orbax takes no empty arrays: the manifest says enough of them
                filled = {name: array for name, array in arrays.items() if array.size}
                checkpointer.save(target, args=args.StandardSave(filled))
            written = sorted(path for path in target.rglob("*") if path.is_file())
            sums = {path.relative_to(target).as_posix(): _size_and_crc(path, sync=True) for path in written}
        except Exception as error:  # tensorstore reports a full disk as an error of its own
            self._delete_unfinished()
            shutil.rmtree(target, ignore_errors=True)
            raise RunError(
                f"cannot save checkpoint {target}: {_reason(error)}; everything saved before is still there"
            ) from error
        manifest = _Manifest(step, seconds, updates, self.fingerprint, [leaf for leaf, _ in pairs], sums, stays)
        files.write_whole(self._manifest(step), manifest.text())
        for old in self.steps()[self.keep :]:
            if self._stays(old):
                continue
            # The manifest first: a folder that is deleted in part has none.
            self._manifest(old).unlink(missing_ok=True)
            shutil.rmtree(self.folder / str(old), ignore_errors=True)

    def steps(self) -> list[int]:
        """The steps of all checkpoints, whole or not, the newest first."""
        if not self.folder.is_dir():
            return []
        names = {path.stem if path.suffix == ".json" else path.name for path in self.folder.iterdir()}
        return sorted((int(name) for name in names if name.isdecimal()), reverse=True)

    def whole_steps(self) -> list[int]:
        """The steps of all checkpoints that were saved whole, the oldest first."""
        return sorted(step for step in self.steps() if self._manifest(step).is_file())

    def at(self, step: int, template: Any) -> Saved:
        """The checkpoint of that ``step``, in the shape of ``template``; the folder is only read."""
        if step not in self.whole_steps():
            there = ", ".join(map(str, self.whole_steps())) or "none"
            raise RunError(f"no checkpoint {step} in {self.folder}: the steps there are {there}")
        damage = self._damage(step)
        if damage is not None:
            raise RunError(f"checkpoint {step} is damaged: {damage}")
        return self._load(step, template)

    def restore(self, template: Any, say: Callable[[str], None]) -> Saved | None:
        """The newest whole checkpoint, in the shape of ``template`` (see ``jax.eval_shape``); None when there is none.

        Damaged ones that are newer are moved aside and ``say`` is told. If all are damaged it is an error, for the run
        must not start from the beginning unasked.
        """
        damaged: list[tuple[int, str]] = []
        for step in self.steps():
            damage = self._damage(step)
            if damage is None:
                saved = self._load(step, template)
                for at, what in damaged:
                    aside = self._move_aside(at)
                    say(f"damaged checkpoint: {what}; moved to {aside}, using checkpoint {step} instead")
                self._delete_unfinished()
                return saved
            damaged.append((step, damage))
        if damaged:
            raise RunError(f"no whole checkpoint in {self.folder}: {'; '.join(what for _, what in damaged)}")
        moved = sorted(self.folder.glob("damaged-*"))
        if moved:
            raise RunError(f"no whole checkpoint in {self.folder}: there are only damaged ones such as {moved[0].name}")
        return None

    def forget_first(self) -> None:
        """Deletes what is left of the very first checkpoint when the run was killed while it was saved."""
        self._delete_unfinished()
        steps = self.steps()
        if len(steps) == 1 and not self._manifest(steps[0]).exists():
            shutil.rmtree(self.folder / str(steps[0]))

    def _manifest(self, step: int) -> Path:
        return self.folder / f"{step}.json"

    def _stays(self, step: int) -> bool:
        try:
            return _Manifest.read(self._manifest(step)).stays
        except (OSError, archives.Damaged):
            return False

    def _damage(self, step: int) -> str | None:
        """What is wrong with a checkpoint, in words."""
        path = self._manifest(step)
        if not path.is_file():
            return f"{path} is missing (the run was killed while it saved this one)"
        try:
            manifest = _Manifest.read(path)
        except (OSError, archives.Damaged) as error:
            return f"{path} is not a manifest ({error})"
        for name, expected in manifest.files.items():
            file = self.folder / str(step) / name
            if not file.is_file():
                return f"{file} is missing"
            found = _size_and_crc(file)
            if found["size"] != expected["size"]:
                return f"{file} has {found['size']} bytes, not {expected['size']}"
            if found != expected:
                return f"{file} has crc32 {found['crc32']:08x}, not {expected['crc32']:08x}"
        return None

    def _load(self, step: int, template: Any) -> Saved:
        source = self.folder / str(step)
        manifest = _Manifest.read(self._manifest(step))
        if manifest.fingerprint != self.fingerprint:
            raise RunError(
                f"checkpoint {source} was saved with other settings than those in {run_files.CONFIG_FILE}: "
                "put back the settings it was saved with, or start a new run"
            )
        pairs = leaves_of(template)
        difference = misfit(manifest.leaves, [leaf for leaf, _ in pairs])
        if difference:
            raise RunError(
                f"checkpoint {source} does not fit this experiment: {difference}; it was saved by another version"
            )
        empty = {
            str(i): np.empty(leaf.shape, jnp.dtype(leaf.dtype)) for i, leaf in enumerate(manifest.leaves)
        }  # what orbax fills; nothing to fill where there are no elements
        filled = {name: array for name, array in empty.items() if array.size}
        try:
            with _orbax() as (args, checkpointer):
                arrays = {**empty, **checkpointer.restore(source, args=args.StandardRestore(filled))}
        except Exception as error:  # its files are as they were saved: another version of orbax, say
            raise RunError(f"cannot read checkpoint {source}: {_reason(error)}") from error
        shardings = {leaf.name: getattr(value, "sharding", None) for leaf, value in pairs}
        by_name = {
            leaf.name: _restored(leaf, arrays[str(i)], shardings[leaf.name]) for i, leaf in enumerate(manifest.leaves)
        }
        state = jax.tree.unflatten(jax.tree.structure(template), [by_name[leaf.name] for leaf, _ in pairs])
        return Saved(state, manifest.step, manifest.seconds, manifest.updates)

    def _move_aside(self, step: int) -> Path:
        """Renames a damaged checkpoint, and its manifest with it, to a name that nothing has."""
        number, aside = 2, self.folder / f"damaged-{step}"
        while aside.exists() or aside.with_name(aside.name + ".json").exists():
            number, aside = number + 1, self.folder / f"damaged-{step}-{number}"
        with files.writing(aside):
            if (self.folder / str(step)).exists():
                os.rename(self.folder / str(step), aside)
            if self._manifest(step).exists():
                os.rename(self._manifest(step), aside.with_name(aside.name + ".json"))
        return aside

    def _delete_unfinished(self) -> None:
        """Deletes folders that orbax had begun and not yet renamed when the process ended."""
        for path in self.folder.glob("*.orbax-checkpoint-tmp*"):
            shutil.rmtree(path, ignore_errors=True)
