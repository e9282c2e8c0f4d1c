"""Replay: the latest rows of experience in a ring, in device memory, and batches drawn from it.

A row is any pytree; rows that are added take the places of the oldest ones. Batches are drawn with replacement, all
rows alike, or with priorities (Schaul et al., 2016): row i, whose last error was δ, with probability

    P(i) = p(i) / sum of p,    p(i) = (abs(δ) + LEAST_ERROR) ** α

and its loss counts (size * P(i)) ** -β, over the largest of the batch. A row that was never drawn has the largest
priority that there has been. Priorities lie in blocks, so that a draw sums over them and looks into one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

Array = jax.Array

LEAST_ERROR = 1e-3
BLOCK = 256
NEARLY_ALL = 1 - 1e-6  # of a sum of priorities: rounding must not lead past the last row


class Priorities(NamedTuple):
    """Of the rows in their places."""

    p: Array  # [blocks, BLOCK] float32, 0 where there is no row
    largest: Array  # [] there has been


class Replay(NamedTuple):
    """The ring."""

    rows: Any  # leaves [capacity, ...]
    at: Array  # [] int32, where the next row goes
    size: Array  # [] int32, rows that are there
    priorities: Priorities | None = None  # None: all rows alike


class Batch(NamedTuple):
    """Rows that were drawn: ``[n]`` each."""

    rows: Any
    place: Array  # int32, in the ring
    weight: Array  # of its loss; 0 of a ring without rows
    age: Array  # int32, rows that were added after it


def empty(row: Any, capacity: int, prioritised: bool = False) -> Replay:
    """A ring for ``capacity`` rows like ``row``, arrays or their shapes and dtypes."""
    if capacity < 1:
        raise ValueError(f"capacity = {capacity}: a replay holds 1 row or more")
    rows = jax.tree.map(lambda x: jnp.zeros((capacity, *x.shape), x.dtype), row)
    at, size = jnp.zeros((), jnp.int32), jnp.zeros((), jnp.int32)  # two buffers: both are donated
    blocks = -(-capacity // BLOCK)
    priorities = Priorities(jnp.zeros((blocks, BLOCK)), jnp.ones(())) if prioritised else None
    return Replay(rows, at, size, priorities)


def emptied(replay: Replay) -> Replay:
    """The ring without its rows."""
    none = jnp.zeros((), jnp.int32)
    priorities = replay.priorities
    if priorities is not None:
        priorities = Priorities(jnp.zeros_like(priorities.p), jnp.ones(()))
    return Replay(replay.rows, none, none + 0, priorities)


def capacity(replay: Replay) -> int:
    return len(jax.tree.leaves(replay.rows)[0])


def add(replay: Replay, rows: Any, keep: Array) -> Replay:
    """The ring with those of ``rows`` ``[n, ...]`` that ``keep`` ``[n]`` bool says, in their order."""
    room = capacity(replay)
    if len(keep) > room:
        raise ValueError(f"{len(keep)} rows at once into a replay of {room}: they must fit")
    place = (replay.at + jnp.cumsum(keep, dtype=jnp.int32) - 1) % room
    place = jnp.where(keep, place, BLOCK * room)  # past every end
    count = keep.sum(dtype=jnp.int32)
    priorities = replay.priorities
    if priorities is not None:
        p = priorities.p.at[place // BLOCK, place % BLOCK].set(priorities.largest, mode="drop")
        priorities = priorities._replace(p=p)
    return Replay(
        jax.tree.map(lambda ring, new: ring.at[place].set(new, mode="drop"), replay.rows, rows),
        (replay.at + count) % room,
        jnp.minimum(replay.size + count, room),
        priorities,
    )


def sample(replay: Replay, key: Array, count: int, beta: Array | float = 1.0) -> Batch:
    """``count`` rows, drawn alike or by priority, with what they count for ``beta``, which is β."""
    room = capacity(replay)
    luck = jax.random.uniform(key, (count,))
    weight = jnp.ones(count)
    if replay.priorities is None:
        place = jnp.minimum((luck * replay.size).astype(jnp.int32), replay.size - 1)
    else:
        place, probability = _by_priority(replay.priorities.p, (jnp.arange(count) + luck) / count)
        weight = (jnp.maximum(replay.size * probability, jnp.finfo(jnp.float32).tiny)) ** -beta
        weight = weight / weight.max()
    place = jnp.maximum(place, 0)
    rows = jax.tree.map(lambda ring: ring[place], replay.rows)
    return Batch(rows, place, jnp.where(replay.size > 0, weight, 0.0), (replay.at - 1 - place) % room)


def _by_priority(p: Array, part: Array) -> tuple[Array, Array]:
    """Places at which the sum of priorities passes ``part`` ``[n]``, 0 to 1, of all; and their probabilities."""
    blocks = jnp.cumsum(p.sum(axis=1))  # [blocks]
    wanted = jnp.minimum(part, NEARLY_ALL) * blocks[-1]
    block = jnp.searchsorted(blocks, wanted, side="right").astype(jnp.int32)
    rest = wanted - jnp.where(block > 0, blocks[block - 1], 0.0)
    inside = jnp.cumsum(p[block], axis=1)  # [n, BLOCK]
    rest = jnp.minimum(rest, NEARLY_ALL * inside[:, -1])
    within = (inside <= rest[:, None]).sum(axis=1, dtype=jnp.int32)
    return BLOCK * block + within, p[block, within] / blocks[-1]


def with_errors(replay: Replay, place: Array, error: Array, alpha: float = 0.6) -> Replay:
    """The ring after the rows at ``place`` ``[n]`` had those errors ``[n]``; ``alpha`` is α."""
    if replay.priorities is None:
        return replay
    found = (jnp.abs(error) + LEAST_ERROR) ** alpha
    p = replay.priorities.p.at[place // BLOCK, place % BLOCK].set(found)
    return replay._replace(priorities=Priorities(p, jnp.maximum(replay.priorities.largest, found.max())))
