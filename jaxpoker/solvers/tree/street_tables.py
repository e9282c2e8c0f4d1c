"""What a sampling solver has learned, by street, in the tree's order: data that goes into files and comes back.

    tables = solver.street_tables(state)                  # public_cfr.PublicCFR, walk_cfr.WalkCFR
    again = solver.state_of(tables)                       # its next update is that of ``state``, to the bit
    tables.strategy(tree)                                 # by street [decisions, buckets, actions]

``blueprint/tables_file.py`` keeps them in a file.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np

from jaxpoker import devices
from jaxpoker.solvers.tree.public_tree import Tree

Array = jax.Array  # or NumPy's, once they are in this process's memory


class StreetTables(NamedTuple):
    """Regrets and sums by street ``[decisions of the street, buckets, actions]``, and what else an update needs."""

    step: Array  # [] int32, iterations done
    key: Any  # [] the seed's
    regrets: tuple[Array, ...]  # 0 where an action is not legal
    strategy_sums: tuple[Array, ...]  # strategies times own reach, in units of the last iteration's weight
    counts: Array  # [2, types, types]: the mean of all boards so far; [2, 0, 0] where none are remembered
    boards: Array  # [] float32, drawn so far; 0 for a solver that draws walks

    def kept(self) -> StreetTables:
        """The same in this process's memory, whatever becomes of the state; the key stays what it is."""
        in_memory: StreetTables = jax.tree.map(devices.whole, self._replace(key=()))
        return in_memory._replace(key=self.key)

    def weights(self) -> tuple[np.ndarray, ...]:
        """By street ``[decisions, buckets]``: how often own cards and own play came there, all iterations together.

        In iterations, the last of which counts once. At the first decision of a hand all buckets together have the
        weight of all iterations.
        """
        return tuple(np.asarray(sums).sum(axis=2, dtype=np.float64) for sums in self.strategy_sums)

    def strategy(self, tree: Tree) -> tuple[np.ndarray, ...]:
        """The average strategy, all legal actions alike where a player never came."""
        found = []
        for street, sums in enumerate(self.strategy_sums):
            legal = tree.legal(tree.decisions(street=street))[:, None, :]
            positive = np.where(legal, np.asarray(sums), 0)
            total = positive.sum(axis=2, keepdims=True)
            even = legal / np.maximum(legal.sum(axis=2, keepdims=True), 1)
            found.append(np.where(total > 0, positive / np.where(total > 0, total, 1), even).astype(np.float32))
        return tuple(found)


def require_shapes(tables: StreetTables, shapes: list[tuple[int, int, int]]) -> None:
    """Raises ``ValueError`` where tables do not have the ``shapes`` of a solver's streets."""
    for name in ("regrets", "strategy_sums"):
        found = [tuple(of_street.shape) for of_street in getattr(tables, name)]
        if found != shapes:
            raise ValueError(f"{name} by street have shapes {found}: this solver's have {shapes}")
