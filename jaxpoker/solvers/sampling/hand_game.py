"""A game of bets between hands on one board after the other: for card abstractions too fine to count types.

With 169 hands before the flop nearly every hand of a board is a type of its own, and a table of pairs of types is
larger than the deck. Here the columns of a sweep (``solvers/sampling/column_game.py``) are the 1,326 hands themselves,
and an end is worth to a hand what ``solvers/showdowns/showdown_sums.py`` says, by sums in the order of strength. That
is the same sum as ``solvers/sampling/bucket_game.py`` makes, in the same form for the solver, with the boards one after
another.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.ranges import NUM_COMBOS
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.sampling.column_game import ColumnGame, Swept
from jaxpoker.solvers.showdowns import showdown_sums
from jaxpoker.solvers.showdowns.hand_types import MEETINGS, RIVALS_OF_HAND
from jaxpoker.solvers.showdowns.showdown_sums import Order
from jaxpoker.solvers.tree.street_shapes import Betting, OfShapes

Array = jax.Array


class HandCards(NamedTuple):
    """A board as hands see it, or n boards."""

    buckets: Array  # [streets, 1326] int32
    live: Array  # [1326] float32: 1 for a hand that the board does not block
    order: Order

    @property
    def held(self) -> Array:
        return self.live * (RIVALS_OF_HAND / MEETINGS)

    @property
    def dealt(self) -> Array:
        return self.live / MEETINGS

    def bucket(self, street: int) -> Array:
        return self.buckets[street]

    def folded(self, reach: Array) -> Array:
        return showdown_sums.rivals(reach) * self.live[:, None]

    def shown_down(self, reach: Array) -> Array:
        return showdown_sums.showdowns(self.order, reach) * self.live[:, None]


@dataclasses.dataclass(frozen=True)
class HandBoards:
    """Boards of hold'em, seen through a card abstraction on the first ``streets`` streets."""

    abstraction: CardAbstraction
    streets: int = 4

    @property
    def tables(self) -> Any:
        return self.abstraction.tables

    def draw(self, tables: Any, key: Array, n: int) -> Array:
        return self.abstraction.sample_boards(tables, key, n)

    def cards(self, tables: Any, boards: Array) -> HandCards:
        def of_board(board: Array) -> HandCards:
            return HandCards(
                self.abstraction.of_board(tables, board)[: self.streets],
                possible_hands(board).astype(jnp.float32),
                showdown_sums.order(showdown_sums.strengths(board)),
            )

        return jax.vmap(of_board)(boards)


@dataclasses.dataclass(frozen=True, eq=False)
class HandGame(ColumnGame):
    """A game between the hands of boards; ``of`` makes one."""

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def sweep(self, player: int, cards: HandCards, own: OfShapes, other: OfShapes) -> Swept:
        """Values of all actions of ``player``, in the mean over the boards of ``cards``."""
        return _mean(lambda board: self.swept(player, board, own, other, respond=False)._replace(strategy=()), cards)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def own_reach(self, player: int, cards: HandCards, strategy: OfShapes) -> OfShapes:
        """By street and shape ``[K, buckets, M]``: how likely buckets are held and own play leads to each decision."""
        return _mean(lambda board: self.reach_decisions(player, board, strategy), cards)


def of(betting: Betting, num_buckets: tuple[int, ...]) -> HandGame:
    return HandGame(betting, num_buckets, NUM_COMBOS)


def _mean(f: Callable[[HandCards], Any], cards: HandCards) -> Any:
    """The mean of ``f`` over boards."""
    first = jax.tree.map(lambda x: x[0], cards)
    total = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(f, first))
    total, _ = jax.lax.scan(lambda sums, board: (jax.tree.map(jnp.add, sums, f(board)), None), total, cards)
    return jax.tree.map(lambda x: x / len(cards.live), total)
