"""A game of bets between hands, one board after the other: for card abstractions with too many types to count.

With 169 hands before the flop nearly every hand of a board is a type of its own, and a table of pairs of types is
larger than the deck. Here the columns of a sweep (``sampling/column_sweep.py``) are the 1,081 live hands themselves,
and an end is worth to a hand what ``showdowns/strength_chains.py`` says, by sums in the order of strength. That is the
same sum as ``sampling/bucket_game.py`` makes, in the same form for the solver, with the boards one after another.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker import devices
from jaxpoker.solvers.regret import Table
from jaxpoker.solvers.sampling.boards import BoardHands
from jaxpoker.solvers.sampling.column_sweep import ColumnSweep
from jaxpoker.solvers.showdowns.strength_chains import LIVE_HANDS
from jaxpoker.solvers.sweep import Response, Swept
from jaxpoker.solvers.tree import Tree
from jaxpoker.solvers.tree.street_shapes import OfShapes, ShapedTree

Array = jax.Array


@dataclasses.dataclass(frozen=True, eq=False)
class HandGame:
    """A game between the hands of boards. ``dealt`` are the hands of n boards; the mean over them is what counts."""

    betting: ShapedTree
    num_buckets: tuple[int, ...]
    mesh: jax.sharding.Mesh | None = None  # its devices share the boards

    @property
    def tree(self) -> Tree:
        return self.betting.tree

    def legal(self, player: int) -> Table:
        return self.betting.legal(player)

    def values(self, player: int, dealt: BoardHands, own: OfShapes, other: OfShapes) -> Swept:
        """Values of all actions of ``player``, in the mean over the boards."""
        return devices.mean_over(self.mesh, functools.partial(self._values, player), dealt, own, other)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _values(self, player: int, dealt: BoardHands, own: OfShapes, other: OfShapes) -> Swept:
        def of_board(board: BoardHands) -> Swept:
            found = self._one_board.sweep(player, board, own, other, respond=False)
            return Swept(found.value, found.action_values)

        return _mean(of_board, dealt)

    def own_reach(self, player: int, dealt: BoardHands, own: OfShapes) -> OfShapes:
        """By street and shape ``[K, buckets, M]``: how likely buckets are held and own play leads to each decision."""
        return devices.mean_over(self.mesh, functools.partial(self._own_reach, player), dealt, own)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _own_reach(self, player: int, dealt: BoardHands, own: OfShapes) -> OfShapes:
        return _mean(lambda board: self._one_board.reach_decisions(player, board, own), dealt)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def respond(self, player: int, dealt: BoardHands, other: OfShapes) -> Response:
        """The best response that sees no more than the buckets: an action is the best one over all the boards.

        All boards are swept at once, which takes as many times the memory.
        """
        boards = len(dealt.buckets)
        sweep = ColumnSweep(self.betting, self.num_buckets, boards * LIVE_HANDS)
        nothing = self.betting.nothing(player, self.num_buckets)
        found = sweep.sweep(player, _AllBoards(dealt), nothing, other, respond=True)
        return Response(found.value, found.strategy)

    @functools.cached_property
    def _one_board(self) -> ColumnSweep:
        return ColumnSweep(self.betting, self.num_buckets, LIVE_HANDS)


class _AllBoards(NamedTuple):
    """The hands of all boards as the columns of one sweep, board after board."""

    boards: BoardHands  # [n, ...]

    @property
    def held(self) -> Array:
        return self._joined(lambda board: board.held)

    @property
    def dealt(self) -> Array:
        return self._joined(lambda board: board.dealt)

    def bucket(self, street: int) -> Array:
        return self.boards.buckets[:, street].reshape(-1)

    def folded(self, reach: Array) -> Array:
        return self._by_board(BoardHands.folded, reach)

    def shown_down(self, reach: Array) -> Array:
        return self._by_board(BoardHands.shown_down, reach)

    def _joined(self, f: Callable[[BoardHands], Array]) -> Array:
        weights = jax.vmap(f)(self.boards)  # [n, 1081]
        return (weights / len(weights)).reshape(-1)

    def _by_board(self, f: Callable[[BoardHands, Array], Array], reach: Array) -> Array:
        found = jax.vmap(f)(self.boards, reach.reshape(-1, LIVE_HANDS, reach.shape[1]))
        return found.reshape(reach.shape)


def _mean(f: Callable[[BoardHands], Any], dealt: BoardHands) -> Any:
    """The mean of ``f`` over boards."""
    first = jax.tree.map(lambda x: x[0], dealt)
    total = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(f, first))
    total, _ = jax.lax.scan(lambda sums, board: (jax.tree.map(jnp.add, sums, f(board)), None), total, dealt)
    return jax.tree.map(lambda x: x / len(dealt.buckets), total)
