"""A game of bets between hands, on a few boards: for card abstractions with too many types to count.

With 169 hands before the flop nearly every hand of a board is a type of its own, and a table of pairs of types is
larger than the deck. Here the columns of a sweep (``sampling/column_sweep.py``) are the 1,081 live hands themselves,
and an end is worth to a hand what ``showdowns/strength_chains.py`` says, by sums in the order of strength. That is the
same sum as ``sampling/bucket_game.py`` makes, in the same form for the solver, in the mean over the boards.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker import devices
from jaxpoker.solvers.regret import Table
from jaxpoker.solvers.sampling.boards import BoardHands
from jaxpoker.solvers.sampling.column_sweep import ColumnSweep
from jaxpoker.solvers.sampling.preflop_luck import AllBoards
from jaxpoker.solvers.showdowns.strength_chains import LIVE_HANDS
from jaxpoker.solvers.sweep import Response, Swept
from jaxpoker.solvers.tree import Tree
from jaxpoker.solvers.tree.drawn_starts import Starts
from jaxpoker.solvers.tree.street_shapes import OfShapes, ShapedTree

Array = jax.Array


@dataclasses.dataclass(frozen=True, eq=False)
class HandGame:
    """A game between the hands of boards. ``dealt`` are the hands of n boards; the mean over them is what counts."""

    betting: ShapedTree
    num_buckets: tuple[int, ...]
    mesh: jax.sharding.Mesh | None = None  # its devices share the boards
    all_boards: AllBoards | None = None  # takes luck off the values before the flop (``sampling/preflop_luck.py``)

    @property
    def tree(self) -> Tree:
        return self.betting.tree

    def legal(self, player: int) -> Table:
        return self.betting.legal(player)

    def values(
        self, player: int, dealt: BoardHands, own: OfShapes, other: OfShapes, starts: Starts | None = None
    ) -> Swept:
        """Values of all actions of ``player``, in the mean over the boards; of some ``starts`` where they are drawn
        (``tree/drawn_starts.py``), which strategies and values are then of.
        """
        return devices.mean_over(self.mesh, functools.partial(self._values, player), dealt, own, other, starts)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _values(self, player: int, dealt: BoardHands, own: OfShapes, other: OfShapes, starts: Starts | None) -> Swept:
        found = self._hands_sweep.sweep(player, dealt, own, other, False, starts)
        return _mean(dealt, Swept(found.value, found.action_values))

    def own_reach(self, player: int, dealt: BoardHands, own: OfShapes, starts: Starts | None = None) -> OfShapes:
        """By street and shape ``[K, buckets, M]``: how likely buckets are held and own play leads to each decision; of
        some ``starts`` where they are drawn.
        """
        return devices.mean_over(self.mesh, functools.partial(self._own_reach, player), dealt, own, starts)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _own_reach(self, player: int, dealt: BoardHands, own: OfShapes, starts: Starts | None) -> OfShapes:
        return _mean(dealt, self._hands_sweep.reach_decisions(player, dealt, own, starts))

    def reach_starts(self, player: int, dealt: BoardHands, own: OfShapes) -> list[Array]:
        """By street ``[starts]``, shape after shape: how likely the player's cards and own play lead there."""
        return devices.mean_over(self.mesh, functools.partial(self._reach_starts, player), dealt, own)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _reach_starts(self, player: int, dealt: BoardHands, own: OfShapes) -> list[Array]:
        held = jnp.stack([dealt.board(k).held for k in range(dealt.number)])
        found = self._hands_sweep.reach_starts(player, dealt, own, held)
        return [of_street.sum(axis=(0, 1)) / dealt.number for of_street in found]

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def respond(self, player: int, dealt: BoardHands, other: OfShapes) -> Response:
        """The best response that sees no more than the buckets: an action is the best one over all the boards."""
        nothing = self.betting.nothing(player, self.num_buckets)
        found = self._hands_sweep.sweep(player, dealt, nothing, other, respond=True)
        return Response(found.value / dealt.number, found.strategy)

    @functools.cached_property
    def _hands_sweep(self) -> ColumnSweep:
        return ColumnSweep(self.betting, self.num_buckets, LIVE_HANDS, self.all_boards)


def _mean(dealt: BoardHands, sums: Any) -> Any:
    """Sums over boards as means."""
    return jax.tree.map(lambda total: total / dealt.number, sums)
