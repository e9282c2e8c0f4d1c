"""Many devices: which of them a learner or a solver works on, what is spread over them, and how processes join.

    learner = Reinforce(game, network, tables=4_096, mesh=devices.mesh())      # on all devices that there are

Every learner and solver has a field ``mesh``; None is one device. What there are many of (tables, sessions, walks,
boards: the batch axis) is *spread*, an equal part to each device of the mesh; parameters, regrets and all else that
everybody needs is *everywhere*, the same on each. The compiler adds what devices have to tell each other. Random
numbers do not depend on who draws them, so the same games are played however many devices there are; sums over devices
round differently.

Several processes, one per host as a rule, are one run: each calls ``join`` first, makes the same learner on a mesh of
all devices of all processes, and makes the same calls in the same order.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

Array = jax.Array
T = TypeVar("T")

AXIS = "tables"  # of the meshes that are made here; any mesh will do, of one axis or several

# What processes that no cluster manager has started are told by: jax reads the first one only.
COORDINATOR, PROCESSES, PROCESS = "JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"


# --- meshes -----------------------------------------------------------------------------------


def mesh(devices: int | None = None, rows: int | None = None, what: str = "tables") -> Mesh | None:
    """A mesh of so many ``devices`` that share ``rows`` of ``what``; None for one device.

    When ``devices`` is None or 0 it is all that there are, or, in one process, as many of them as divide ``rows``.
    """
    there, together = jax.device_count(), jax.process_count() > 1
    if devices is not None and not 0 <= devices <= there:
        raise ValueError(f"{devices} devices: there are {there} ({jax.devices()[0].device_kind})")
    used = devices or there
    if together and used != there:
        raise ValueError(f"{devices} devices: {jax.process_count()} processes use all of theirs, which are {there}")
    if not devices and not together and rows is not None:
        used = max(n for n in range(1, there + 1) if rows % n == 0)
    if used == 1:
        return None
    made = jax.make_mesh((used,), (AXIS,), axis_types=(AxisType.Auto,), devices=jax.devices()[:used])
    if rows is not None:
        require_even(made, rows, what)
    return made


def require_even(mesh: Mesh | None, rows: int, what: str = "tables") -> None:
    """Every device of the mesh gets as many of ``rows`` of ``what`` as any other."""
    if mesh is not None and rows % mesh.size:
        raise ValueError(f"{rows} {what} over {mesh.size} devices: their number must divide the {what}")


# --- what is where ----------------------------------------------------------------------------


def spread(mesh: Mesh | None, tree: T, axis: int = 0) -> T:
    """Arrays, inside a jitted function, whose ``axis`` is cut into one part for each device."""
    if mesh is None:
        return tree
    return _constrained(tree, NamedSharding(mesh, PartitionSpec(*[None] * axis, mesh.axis_names)))


def spread_if_even(mesh: Mesh | None, tree: T) -> T:
    """Likewise, by the first axis, those arrays whose rows the devices can share equally; the others as they are."""

    def shared(x: Array) -> Array:
        return x if mesh is None or len(x) % mesh.size else spread(mesh, x)

    even: T = jax.tree.map(shared, tree)
    return even


def everywhere(mesh: Mesh | None, tree: T) -> T:
    """Arrays, inside a jitted function, that are whole on each device."""
    return tree if mesh is None else _constrained(tree, NamedSharding(mesh, PartitionSpec()))


def placed(mesh: Mesh | None, state: T, by_row: Collection[str] = ()) -> T:
    """A learner's state, inside a jitted function: parts ``by_row``, such as "tables" or "replay.rows", are spread, all
    others are everywhere.

    A state that is placed alike at the start and after every update is never moved or compiled for anew.
    """
    if mesh is None:
        return state
    return jax.lax.with_sharding_constraint(state, _places(mesh, state, by_row))


def begun(mesh: Mesh | None, init: Callable[[Any], T], key: Any, by_row: Collection[str] = ()) -> T:
    """The state that ``init`` makes of ``key``, placed likewise: by one program of all devices, and of all processes.

    ``jax.eval_shape`` of it tells where everything is, so that checkpoints come back there.
    """
    if mesh is None:
        return init(key)
    return jax.jit(init, out_shardings=_places(mesh, jax.eval_shape(init, key), by_row))(key)


def mean_over(mesh: Mesh | None, f: Callable[..., T], rows: Any, *others: Any) -> T:
    """``f(rows, *others)``, a mean over ``rows``: each device takes that of its part, then the mean of all is taken."""
    if mesh is None:
        return f(rows, *others)
    axes = mesh.axis_names

    def part(rows: Any, *others: Any) -> T:
        mean: T = jax.tree.map(lambda x: jax.lax.pmean(x, axes), f(rows, *others))
        return mean

    specs = (PartitionSpec(axes), *(PartitionSpec() for _ in others))
    shared = jax.shard_map(part, mesh=mesh, in_specs=specs, out_specs=PartitionSpec(), check_vma=False)
    mean: T = shared(rows, *others)
    return mean


def _constrained(tree: T, sharding: NamedSharding) -> T:
    placed: T = jax.tree.map(lambda x: jax.lax.with_sharding_constraint(x, sharding), tree)
    return placed


def _places(mesh: Mesh, state: Any, by_row: Collection[str]) -> Any:
    """The sharding of each leaf of a state, arrays or their shapes."""
    rows, whole = NamedSharding(mesh, PartitionSpec(mesh.axis_names)), NamedSharding(mesh, PartitionSpec())

    def place(path: Any, _: Any) -> NamedSharding:
        name = jax.tree_util.keystr(path, simple=True, separator=".") + "."
        return rows if any(name.startswith(f"{part}.") for part in by_row) else whole

    return jax.tree_util.tree_map_with_path(place, state)


# --- processes --------------------------------------------------------------------------------


def join() -> None:
    """Makes this process one of several that work together; before anything is computed.

    Where a cluster manager started them (Slurm, Open MPI, Kubernetes, a TPU pod) jax finds out by itself who they are;
    elsewhere ``JAX_COORDINATOR_ADDRESS`` (host:port of the first), ``JAX_NUM_PROCESSES`` and ``JAX_PROCESS_ID`` say so.
    """
    processes, process = _number(PROCESSES), _number(PROCESS)
    try:
        jax.distributed.initialize(num_processes=processes, process_id=process)
    except (ValueError, RuntimeError) as error:
        reason = str(error).rstrip(".")
        raise ValueError(
            f"cannot join other processes: {reason}; without a cluster manager set {COORDINATOR}=HOST:PORT, "
            f"{PROCESSES} and {PROCESS}"
        ) from error


def _number(variable: str) -> int | None:
    """What a variable of the environment says; None if it is not there."""
    text = os.environ.get(variable)
    if text is not None and not text.isdecimal():
        raise ValueError(f"{variable}={text!r}: a whole number")
    return None if text is None else int(text)


def together() -> bool:
    """Whether this process is one of several."""
    return jax.process_count() > 1


def is_first() -> bool:
    """Whether this process is the one that writes and speaks for all."""
    return jax.process_index() == 0


def wait(name: str) -> None:
    """Until all processes have come here."""
    if together():
        multihost_utils.sync_global_devices(name)


def told(numbers: list[int]) -> np.ndarray:
    """``[processes, n]``: the numbers of every process, in every process."""
    own = np.asarray(numbers, np.int32)
    return np.asarray(multihost_utils.process_allgather(own)) if together() else own[None]


def whole(array: Array) -> np.ndarray:
    """The array in this process's memory, whoever has its parts; all processes ask for it together."""
    if array.is_fully_addressable or array.is_fully_replicated:
        return np.asarray(array)
    return np.asarray(multihost_utils.process_allgather(array, tiled=True))


def fetched(tree: T) -> T:
    """The arrays on this process's own first device, if it is one of several; all of them ask together."""
    if not together():
        return tree

    def fetch(x: Any) -> Any:
        if not isinstance(x, jax.Array):
            return x
        if jnp.issubdtype(x.dtype, jax.dtypes.prng_key):
            return jax.random.wrap_key_data(jnp.asarray(whole(jax.random.key_data(x))), impl=jax.random.key_impl(x))
        return jnp.asarray(whole(x))

    here: T = jax.tree.map(fetch, tree)
    return here


def give_back_memory(forget_compiled: bool = False) -> None:
    """Gives memory back to the system that is free already, above all what compiling has used: half a gigabyte for the
    sweep of a large tree, which C's own allocator would keep. ``forget_compiled`` frees all compiled functions first.
    """
    if forget_compiled:
        jax.clear_caches()
        gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # other systems' allocators have no such function
        ctypes.CDLL(None).malloc_trim(0)
