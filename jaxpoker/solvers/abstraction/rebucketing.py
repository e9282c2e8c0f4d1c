"""A strategy over some buckets, carried over to others: finer ones, or of another kind.

    shares = rebucketing.shares(old, new, jax.random.key(0))   # by street [new buckets, old buckets]
    strategy = rebucketing.carried_over(strategy, shares)      # by street [decisions, new buckets, actions]

A new bucket plays what its hands played before, on average:

    strategy(new bucket) = sum over old buckets: share(new, old) strategy(old),
    share(new, old) = the part of the new bucket's hands that are in the old one

The parts are counted on boards drawn at random. So a solver learns coarse buckets first, in which few boards tell much,
and goes on with fine ones from what it knows (``sampling/warm_start.py``).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.solvers.abstraction.contract import CardAbstraction

Array = jax.Array

BOARDS = 3_072  # drawn, some 3,000 hands for each of 1,000 buckets
AT_ONCE = 64


def shares(old: CardAbstraction, new: CardAbstraction, key: Array, boards: int = BOARDS) -> tuple[np.ndarray, ...]:
    """By street ``[new buckets, old buckets]`` float32, rows of 1 in all: where hands of new buckets were before.

    A new bucket that no hand on the ``boards`` has is like the old one at the same place between first and last: both
    kinds of buckets begin with weak hands, or so most do.
    """
    counts = [
        np.zeros((after, before), np.int64) for after, before in zip(new.num_buckets, old.num_buckets, strict=True)
    ]
    drawn = np.asarray(new.sample_boards(new.tables, key, boards))
    for first in range(0, boards, AT_ONCE):
        before, after, live = _buckets((old, new), (old.tables, new.tables), drawn[first : first + AT_ONCE])
        held = np.asarray(live)
        for street, count in enumerate(counts):
            place = np.ravel_multi_index((np.asarray(after)[:, street], np.asarray(before)[:, street]), count.shape)
            count += np.bincount(place[held], minlength=count.size).reshape(count.shape)
    for count in counts:
        nobody = np.flatnonzero(count.sum(axis=1) == 0)
        count[nobody, nobody * count.shape[1] // count.shape[0]] = 1
    return tuple((count / count.sum(axis=1, keepdims=True)).astype(np.float32) for count in counts)


def carried_over(strategy: Sequence[np.ndarray], shares: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """By street ``[decisions, new buckets, actions]``, of a ``strategy`` by street ``[decisions, old buckets,
    actions]``.
    """
    found = []
    for street, (of_street, share) in enumerate(zip(strategy, shares, strict=False)):
        table = np.asarray(of_street)
        if table.shape[1] != share.shape[1]:
            raise ValueError(
                f"{table.shape[1]} buckets on the street {STREETS[street]!r}: the shares are of {share.shape[1]}"
            )
        found.append(np.matmul(share, table))
    return tuple(found)


@functools.partial(jax.jit, static_argnums=0)
def _buckets(
    abstractions: tuple[CardAbstraction, CardAbstraction], tables: tuple[Any, Any], boards: Array
) -> tuple[Array, Array, Array]:
    """Old and new buckets ``[boards, streets, 1326]`` of all hands, and which hands are possible ``[boards, 1326]``."""

    def of_board(board: Array) -> tuple[Array, Array, Array]:
        old, new = (each.of_board(table, board) for each, table in zip(abstractions, tables, strict=True))
        return old, new, possible_hands(board)

    return jax.vmap(of_board)(boards)
