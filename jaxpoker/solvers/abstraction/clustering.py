"""k-medians of distributions on a line, in whole numbers: the same bits on every machine.

A distribution is its cumulative counts at a few thresholds, all of one total. The earth mover's distance between two
of them is the area between the curves, so it is the sum of absolute differences of the counts (L1), in units of a
count times the width of a bin. The centre of a cluster, which minimises the sum of distances to its members, is the
median of their counts at each threshold, and is a cumulative curve again.

Centres start at points drawn one after another, each with a probability in proportion to its distance from those
before (k-means++ with the distance instead of its square; Arthur & Vassilvitskii, 2007). Then points go to the nearest
centre and centres to the medians, until that gains nothing. Points come as columns, ``[thresholds, n]``.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards

Array = jax.Array

COLUMNS = 2048  # points whose distances to all centres are computed at once: they stay in the cache
_CENTRES_AT_ONCE = 8  # in registers: a point's counts are read once for all of them


class Clusters(NamedTuple):
    """Centres of k clusters, and what came out."""

    centres: np.ndarray  # [k, thresholds] int32
    distances: tuple[int, ...]  # sum over all points of the distance to the nearest centre, before each move


def k_medians(points: np.ndarray, k: int, key: Array, max_moves: int = 50) -> Clusters:
    """Centres of whole-number ``points`` ``[thresholds, n]``, in no particular order; n is at least k.

    Each move makes the sum of distances smaller, or it is the last. A cluster that loses all its points takes the point
    that is farthest from its centre.
    """
    if not 1 <= k <= points.shape[1]:
        raise ValueError(f"cannot make {k} clusters of {points.shape[1]} points: from 1 to as many as there are")
    centres = _spread_out(points, k, key)
    distances: list[int] = []
    while True:
        label, distance = nearest(points, centres)
        distances.append(int(distance.sum(dtype=np.int64)))
        if len(distances) > max_moves or (len(distances) > 1 and distances[-1] >= distances[-2]):
            return Clusters(centres, tuple(distances))
        centres = _medians(points, label, distance, k)


def nearest(points: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int32 [n]: the nearest centre of each of ``points`` ``[thresholds, n]`` (the first of equals), its distance."""
    thresholds, n = points.shape
    width = min(COLUMNS, n)
    padded = np.pad(points, ((0, 0), (0, -n % width)), mode="edge")
    blocks = np.moveaxis(padded.reshape(thresholds, -1, width), 1, 0)
    label, distance = nearest_of_blocks(blocks, centres)
    return np.asarray(label).reshape(-1)[:n], np.asarray(distance).reshape(-1)[:n]


def nearest_of_blocks(blocks: np.ndarray, centres: np.ndarray) -> tuple[Array, Array]:
    """As ``nearest`` for ``blocks`` ``[b, thresholds, n]``: int32 ``[b, n]``."""
    largest = max(int(blocks.max(initial=0)), int(centres.max(initial=0))) * blocks.shape[1]
    small = np.int16 if largest <= np.iinfo(np.int16).max else np.int32  # twice as many numbers at a time
    return _nearest(jnp.asarray(blocks), jnp.asarray(centres.astype(small)))


@jax.jit
def _nearest(blocks: Array, centres: Array) -> tuple[Array, Array]:
    return jax.lax.map(lambda block: closest(block.astype(centres.dtype), centres), blocks)


def closest(points: Array, centres: Array) -> tuple[Array, Array]:
    """int32 ``[n]``: the nearest of ``centres`` ``[k, thresholds]`` to each of ``points`` ``[thresholds, n]`` (the
    first of equals), and its distance. Jittable; both of one type, in which no distance overflows.
    """
    at_once = min(_CENTRES_AT_ONCE, len(centres))
    centres = jnp.pad(centres, ((0, -len(centres) % at_once), (0, 0)), mode="edge")  # the last one again: never first

    def compare(block: Array, nearest_yet: tuple[Array, Array]) -> tuple[Array, Array]:
        label, distance = nearest_yet
        some = jax.lax.dynamic_slice_in_dim(centres, block * at_once, at_once)
        for i in range(at_once):
            to_centre = sum(jnp.abs(points[j] - some[i, j]) for j in range(len(points)))
            closer = to_centre < distance
            label = jnp.where(closer, (block * at_once + i).astype(label.dtype), label)
            distance = jnp.where(closer, to_centre, distance)
        return label, distance

    far = jnp.full(points.shape[1:], jnp.iinfo(points.dtype).max, points.dtype)
    label, distance = jax.lax.fori_loop(0, len(centres) // at_once, compare, (jnp.zeros_like(far), far))
    return label.astype(jnp.int32), distance.astype(jnp.int32)


def _medians(points: np.ndarray, label: np.ndarray, distance: np.ndarray, k: int) -> np.ndarray:
    """[k, thresholds] int32: the lower median of each cluster's points at each threshold."""
    order = np.argsort(label, kind="stable")
    by_cluster, sizes = points[:, order], np.bincount(label, minlength=k)
    ends = np.cumsum(sizes)
    centres = np.empty((k, len(points)), np.int32)
    for cluster, (end, size) in enumerate(zip(ends.tolist(), sizes.tolist(), strict=True)):
        if size:
            middle = (size - 1) // 2
            centres[cluster] = np.partition(by_cluster[:, end - size : end], middle, axis=1)[:, middle]
    farthest = np.argsort(-distance, kind="stable")
    empty = np.flatnonzero(sizes == 0)
    centres[empty] = points[:, farthest[: len(empty)]].T
    return centres


def _spread_out(points: np.ndarray, k: int, key: Array) -> np.ndarray:
    """[k, thresholds] int32: points drawn in proportion to their distance from those drawn before, the first evenly."""
    high, low = (np.asarray(word).tolist() for word in cards.random_words(key, 2, (k,)))
    weight = np.ones(points.shape[1], np.int64)
    centres = np.empty((k, len(points)), np.int32)
    for i in range(k):
        total = np.cumsum(weight)
        drawn = ((high[i] << 32 | low[i]) * int(total[-1])) >> 64  # evenly below the total
        centres[i] = points[:, np.searchsorted(total, drawn, side="right")]
        distance = nearest(points, centres[i : i + 1])[1].astype(np.int64)
        weight = distance if i == 0 else np.minimum(weight, distance)
        if not weight.any():  # fewer different points than centres
            weight[:] = 1
    return centres
