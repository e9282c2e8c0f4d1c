"""Which decisions share a row of a solver's tables: each has its own, or decisions that look alike share one.

Sweeps go by shapes of betting (``solvers/tree/street_shapes.py``), ``[A, K, buckets, M]``. ``spread`` brings a player's
tables into that form, and ``collect`` adds up what the decisions of a row have found. Shared rows make smaller tables.
The price is imperfect recall: rows of ``infosets.merged_rows`` tell the betting of the street and how deep the stacks
are, not the betting of earlier streets.
"""

from __future__ import annotations

import dataclasses
from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.tree import NONE
from jaxpoker.solvers.tree.street_shapes import OfShapes, ShapedTree

Array = jax.Array


class Rows(Protocol):
    """How a player's tables lie, by street: one array ``[A, K, buckets, M]`` for each shape, or one for all."""

    @property
    def betting(self) -> ShapedTree: ...

    def legal(self, player: int) -> tuple[tuple[np.ndarray, ...], ...]:
        """``[A, K, 1, M]`` bool of each array."""
        ...

    def spread(self, player: int, tables: OfShapes) -> OfShapes:
        """Tables as arrays by shape; what is there for an action that is not legal means nothing."""
        ...

    def collect(self, player: int, values: OfShapes) -> OfShapes:
        """Arrays by shape ``[..., K, buckets, M]``, added up over the decisions of each row."""
        ...

    def taken(self, player: int, by_street: tuple[Array, ...]) -> OfShapes:
        """Tables of what all decisions have, by street ``[decisions, buckets, actions of the tree]``: the inverse of
        ``spread``.
        """
        ...


@dataclasses.dataclass(frozen=True, eq=False)
class OwnRows:
    """Every decision has a row of its own: tables lie as the sweeps need them."""

    betting: ShapedTree

    def legal(self, player: int) -> tuple[tuple[np.ndarray, ...], ...]:
        return self.betting.legal(player)

    def spread(self, player: int, tables: OfShapes) -> OfShapes:
        return tables

    def collect(self, player: int, values: OfShapes) -> OfShapes:
        return values

    def taken(self, player: int, by_street: tuple[Array, ...]) -> OfShapes:
        return self.betting.by_shapes(player, by_street)


@dataclasses.dataclass(frozen=True, eq=False)
class SharedRows:
    """Decisions with the same row share it. A table is ``[A, 1, buckets, rows of the street]``."""

    betting: ShapedTree
    rows: tuple[np.ndarray, ...]  # by street [decisions, in the order of the tree] int

    def __post_init__(self) -> None:
        if len(self.rows) != len(self.betting.streets):
            raise ValueError(f"rows of {len(self.rows)} streets: betting goes over {len(self.betting.streets)}")
        for street, rows in enumerate(self.rows):
            decisions = self.betting.tree.decisions(street=street)
            if len(rows) != len(decisions):
                raise ValueError(f"{len(rows)} rows for the {len(decisions)} decisions of street {street}")
            _, first, of_row = np.unique(rows, return_index=True, return_inverse=True)
            facts = np.column_stack([self.betting.tree.player[decisions], self.betting.tree.legal(decisions)])
            differs = (facts != facts[first][of_row]).any(axis=1)
            if differs.any():
                node = int(decisions[np.argmax(differs)])
                raise ValueError(
                    f"the decision after {self.betting.tree.line_text(node)!r} shares a row of street {street} "
                    "with one of another player or with other legal actions"
                )

    def legal(self, player: int) -> tuple[tuple[np.ndarray, ...], ...]:
        tables = []
        for street, rows in enumerate(self.rows):
            decisions = self.betting.tree.decisions(street=street)
            mine = self.betting.tree.player[decisions] == player
            actions = self.betting.actions(street)
            table = np.zeros((len(actions), rows.max() + 1), bool)
            table[:, rows[mine]] = self.betting.tree.legal(decisions[mine])[:, actions].T
            tables.append((table[:, None, None],))
        return tuple(tables)

    def spread(self, player: int, tables: OfShapes) -> OfShapes:
        return tuple(
            tuple(
                table[:, 0][:, :, self.rows[street][np.maximum(place, 0)]].transpose(0, 2, 1, 3)
                for place in self.betting.places(player, street)
            )
            for street, (table,) in enumerate(tables)
        )

    def collect(self, player: int, values: OfShapes) -> OfShapes:
        tables = []
        for street, arrays in enumerate(values):
            size = int(self.rows[street].max()) + 1
            found, rows = [], []
            for place, array in zip(self.betting.places(player, street), arrays, strict=True):
                by_decision = jnp.moveaxis(array, (-3, -1), (0, 1))  # [K, M, ..., buckets]
                found.append(by_decision.reshape(-1, *by_decision.shape[2:]))
                rows.append(np.where(place == NONE, size, self.rows[street][np.maximum(place, 0)]).reshape(-1))
            total = jax.ops.segment_sum(jnp.concatenate(found), np.concatenate(rows), size + 1)[:-1]
            tables.append((jnp.expand_dims(jnp.moveaxis(total, 0, -1), -3),))
        return tuple(tables)

    def taken(self, player: int, by_street: tuple[Array, ...]) -> OfShapes:
        tables = []
        for street, (of_street, (legal,)) in enumerate(zip(by_street, self.legal(player), strict=True)):
            first = np.zeros(legal.shape[3], np.int64)  # a decision of each row
            rows, places = np.unique(self.rows[street], return_index=True)
            first[rows] = places
            of_rows = of_street[first][:, :, self.betting.actions(street)]
            table = jnp.moveaxis(of_rows, (2, 1, 0), (0, 1, 2))[:, None]  # [A, 1, buckets, rows]
            tables.append((jnp.where(legal, table, 0),))
        return tuple(tables)
