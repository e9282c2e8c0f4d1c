"""The ends of a street as columns, and how likely a fixed player's actions lead there from each bucket.

A response to a fixed player needs, at every end, how likely the fixed player comes there with each of its hands. On one
street that depends on the hand by its bucket alone. So all that the fixed player does on a street is one small table

    [buckets, columns]   probability of its own actions from the start of the street to the column's leaf

and a hand's reach at a leaf is its reach at the start of the street times the entry of its bucket. The payoff to the
responder is in the table too. Columns are leaves times starts, shape after shape (``tree/street_shapes.py``):

    folds       the responder gets the payoff from every hand that it can meet
    showdowns   ... from weaker hands, and loses it to stronger ones
    chances     the starts of the next street, in their order

``start_values`` goes back up: from values of all columns to those of the starts, with the responder's best action for
each hand.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.tree.street_shapes import Shape, ShapedTree

Array = jax.Array
Rows = Any  # NumPy on the host, jax arrays in a program

WASTE = 1.1  # how much larger shapes may become by joining: here every column costs time


class Reach(NamedTuple):
    """What the fixed player does on a street, by bucket."""

    folds: Rows  # [buckets, folds] float32: reach times payoff
    showdowns: Rows  # [buckets, showdowns] float32: reach times payoff
    chances: Rows  # [buckets, starts of the next street] float32


@dataclasses.dataclass(frozen=True, eq=False)
class StreetColumns:
    """The columns of one street; static."""

    shapes: tuple[Shape, ...]
    fold_starts: np.ndarray  # [folds] int32: the start that each column comes from
    showdown_starts: np.ndarray  # [showdowns]
    chance_starts: np.ndarray  # [starts of the next street]
    arrivals: np.ndarray  # [starts of the next street]: their place among the columns of chances, shape after shape
    order: np.ndarray  # [starts]: their place among the shapes' starts, shape after shape

    @property
    def num_starts(self) -> int:
        return len(self.order)

    def start_values(self, player: int, folds: Array, showdowns: Array, later: Array) -> Array:
        """``[hands, starts]``: what each start is worth to each hand of the responder ``player``, who takes the best
        action; from the values of all columns ``[hands, columns]`` and of the next street's starts.
        """
        values = []
        fold, showdown = 0, 0
        for shape in self.shapes:
            m = shape.num_starts
            chances = [_picked(later, row) for row in shape.next_starts]
            leaves = (
                [folds[:, fold + i * m : fold + (i + 1) * m] for i in range(len(shape.fold_pays))],
                [showdowns[:, showdown + i * m : showdown + (i + 1) * m] for i in range(len(shape.showdown_pays))],
                chances,
            )
            fold, showdown = fold + m * len(shape.fold_pays), showdown + m * len(shape.showdown_pays)
            values.append(_ascended(shape, player, leaves))
        return _picked(jnp.concatenate(values, axis=1), self.order)


def of_street(betting: ShapedTree, street: int) -> StreetColumns:
    """The columns of a street of ``betting``."""
    shapes = betting.streets[street]

    def starts(leaves: Sequence[int]) -> np.ndarray:
        return np.concatenate([np.tile(s.starts, n) for s, n in zip(shapes, leaves, strict=True)]).astype(np.int32)

    chances = np.concatenate([s.next_starts.reshape(-1) for s in shapes])
    after = betting.streets[street + 1] if street + 1 < len(betting.streets) else ()
    arrivals = np.argsort(chances, kind="stable")[: sum(s.num_starts for s in after)]
    return StreetColumns(
        shapes,
        starts([len(s.fold_pays) for s in shapes]),
        starts([len(s.showdown_pays) for s in shapes]),
        starts([len(s.next_starts) for s in shapes])[arrivals],
        arrivals,
        betting.order(street),
    )


def reach_of(columns: StreetColumns, fixed: int, strategy: Sequence[Any]) -> Reach:
    """The tables of player ``fixed`` with its ``strategy`` by shape ``[A, K, buckets, M]``."""
    sign = 1 if fixed == 1 else -1  # payoffs of folds are seat 0's
    folds, showdowns, chances = [], [], []
    for shape, table in zip(columns.shapes, strategy, strict=True):
        leaves, _ = shape.descend(fixed, jnp.asarray(table, jnp.float32))
        folds.append(_flat(np.asarray(leaves.folds) * sign * shape.fold_pays[:, None]))
        showdowns.append(_flat(np.asarray(leaves.showdowns) * shape.showdown_pays[:, None]))
        chances.append(_flat(np.asarray(leaves.chances)))
    return Reach(
        np.concatenate(folds, axis=1),
        np.concatenate(showdowns, axis=1),
        np.concatenate(chances, axis=1)[:, columns.arrivals],
    )


def _flat(leaves: np.ndarray) -> np.ndarray:
    """``[leaves, buckets, M]`` as ``[buckets, leaves * M]``."""
    return leaves.transpose(1, 0, 2).reshape(leaves.shape[1], -1).astype(np.float32)


def _picked(values: Array, columns: np.ndarray) -> Array:
    """Some columns of ``[hands, n]``, by slices where they are next to each other; 0 for a column n."""
    if np.array_equal(columns, np.arange(values.shape[1])):
        return values
    if len(columns) and (np.diff(columns) == 1).all() and columns[-1] < values.shape[1]:
        return values[:, int(columns[0]) : int(columns[-1]) + 1]
    return jnp.pad(values, ((0, 0), (0, 1)))[:, columns]


def _ascended(shape: Shape, player: int, leaves: tuple[list[Array], list[Array], list[Array]]) -> Array:
    """``[hands, M]``: values of the starts of a shape, from those of its leaves, ``[hands, M]`` each.

    It is all written out, so that it compiles to one loop.
    """
    ends = [len(kind) for kind in leaves]
    worth: list[Array] = []
    for turn in reversed(shape.turns):
        after: list[Array | None] = list(worth)
        for kind, places in enumerate((turn.folds, turn.showdowns, turn.chances)):
            after += leaves[kind][ends[kind] - len(places) : ends[kind]]
            ends[kind] -= len(places)
        after.append(None)
        worth = []
        for k in range(turn.children.shape[1]):
            actions = [(a, after[c]) for a, c in enumerate(turn.children[:, k]) if after[c] is not None]
            if turn.player != player:
                worth.append(functools.reduce(jnp.add, [value for _, value in actions]))
                continue
            legal = shape.legal[player][:, turn.rows.start + k]  # [A, M]
            allowed = [value if legal[a].all() else jnp.where(legal[a], value, -jnp.inf) for a, value in actions]
            best = functools.reduce(jnp.maximum, allowed)
            there = legal.any(axis=0)
            worth.append(best if there.all() else jnp.where(there, best, 0))
    return worth[0]
