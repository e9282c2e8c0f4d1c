"""A pool of past selves: parameters that a learner had, to play against, so that it does not forget how to beat them.

At the last tables of a batch one seat is the learner's, another one from table to table, and all others are a past
self's: for each update one of the pool is drawn. What the past self decides is not learned from.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.learners.experience.trajectories import Decide, Decision

Array = jax.Array


class Pool(NamedTuple):
    """The latest snapshots in a ring."""

    params: Any  # leaves [snapshots, ...]
    taken: Array  # [] int32, how many were ever taken


def first_pool(params: Any, snapshots: int) -> Pool:
    """A pool whose one snapshot is ``params``; it has room for so many ``snapshots``."""
    return Pool(jax.tree.map(lambda x: jnp.stack([x] * snapshots), params), jnp.ones((), jnp.int32))


def size(pool: Pool) -> int:
    return len(jax.tree.leaves(pool.params)[0])


def with_snapshot(pool: Pool, params: Any, now: Array) -> Pool:
    """The pool with ``params`` in the place of its oldest snapshot, if ``now`` ``[]`` is true."""
    at = pool.taken % size(pool)

    def put(ring: Array, new: Array) -> Array:
        return ring.at[at].set(jnp.where(now, new, ring[at]))

    return Pool(jax.tree.map(put, pool.params, params), pool.taken + now)


def draw(pool: Pool, key: Array) -> Any:
    """The parameters of one snapshot, any of them."""
    at = jax.random.randint(key, (), 0, jnp.minimum(pool.taken, size(pool)))
    return jax.tree.map(lambda ring: ring[at], pool.params)


def oldest(pool: Pool) -> Any:
    """The parameters of the oldest snapshot that is kept."""
    at = jnp.where(pool.taken > size(pool), pool.taken % size(pool), 0)
    return jax.tree.map(lambda ring: ring[at], pool.params)


def last_against_past_self(own: Decide, past: Decide, seats: Array, others: int) -> Decide:
    """Decides for all tables: at the last ``others`` of them the ``past`` self has all seats but the learner's, which
    is ``seats`` ``[tables]``."""

    def decide(tables: Any, key: Array) -> Decision:
        alone_key, own_key, past_key = jax.random.split(key, 3)
        alone = len(seats) - others
        first, last = (jax.tree.map(lambda x, part=part: x[part], tables) for part in (np.s_[:alone], np.s_[alone:]))
        is_own = last.current_player == seats[alone:]
        shared: Decision = jax.tree.map(lambda a, b: jnp.where(is_own, a, b), own(last, own_key), past(last, past_key))
        shared = shared._replace(learns=is_own)
        return jax.tree.map(lambda a, b: jnp.concatenate([a, b]), own(first, alone_key), shared)

    return decide
