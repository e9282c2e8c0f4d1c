"""Boards that a solver draws, and what it knows of the hands on them.

    boards = HoldemBoards(abstraction.make("rank_based"))
    drawn = boards.draw(boards.tables, key, 8)
    counts, types = boards.dealt(boards.tables, drawn)      # for bucket_game and type_game

``HoldemBoards`` counts how types of hands meet (``showdowns/type_counts.py``), for abstractions with few types;
``HandBoards`` keeps the hands of each board, for those with many; ``ListedBoards`` knows all boards of a small game.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import devices
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.games.deals import Deals
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.showdowns import showdown_sums, strength_chains
from jaxpoker.solvers.showdowns.strength_chains import LIVE_HANDS, Chains
from jaxpoker.solvers.showdowns.type_counts import (
    MEETINGS,
    RIVALS,
    RIVALS_OF_HAND,
    SHOWDOWNS,
    BucketPaths,
    count,
)

Array = jax.Array
Mesh = jax.sharding.Mesh

CENSUS = 4_096  # boards that show which types there are
FEW_BOARDS = 64  # ... that show when there are far too many


class Chance(Protocol):
    """Public cards that a solver draws, and what it plays on them."""

    @property
    def mesh(self) -> Mesh | None:
        """Its devices share the boards."""
        ...

    @property
    def tables(self) -> Any:
        """Pytree of arrays, the first argument of the functions below."""
        ...

    @property
    def num_types(self) -> int:
        """How many types are counted; 0 where there are too many to count, so that boards cannot be remembered."""
        ...

    def draw(self, tables: Any, key: Array, n: int) -> Array:
        """``[n, ...]`` boards."""
        ...

    def dealt(self, tables: Any, boards: Array) -> tuple[Any, Array]:
        """What is played on, and how many types a board has ``[]``.

        Of types it is the mean over boards of their counts ``[2, types, types]``, as probabilities (``RIVALS`` sum to
        1); else ``BoardHands``.
        """
        ...


@dataclasses.dataclass(frozen=True)
class HoldemBoards:
    """Boards of hold'em, on which a card abstraction makes types of hands on the first ``streets`` streets."""

    abstraction: CardAbstraction
    streets: int = 4
    mesh: Mesh | None = None

    @functools.cached_property
    def paths(self) -> BucketPaths:
        """The types that ``CENSUS`` boards show; rarer ones than that, some one hand in a million, are left out."""
        buckets = self.abstraction.num_buckets[: self.streets]
        types, _ = census(self.abstraction)
        types = np.unique(types[:, : self.streets], axis=0)
        return BucketPaths(buckets, tuple(map(tuple, types.tolist())))

    def has_more_types(self, most: int) -> bool:
        """Whether there are more than so many types: a glance at ``FEW_BOARDS`` tells of most that are too fine."""
        few, _ = census(self.abstraction, FEW_BOARDS)
        return len(np.unique(few[:, : self.streets], axis=0)) > most or self.num_types > most

    @property
    def tables(self) -> Any:
        return self.abstraction.tables

    @property
    def num_types(self) -> int:
        return self.paths.size[0]

    def draw(self, tables: Any, key: Array, n: int) -> Array:
        return self.abstraction.sample_boards(tables, key, n)

    def dealt(self, tables: Any, boards: Array) -> tuple[Array, Array]:
        def counted(boards: Array) -> tuple[Array, Array]:
            types, strengths, live = jax.vmap(functools.partial(self._hands, tables))(boards)
            return count(self.num_types, types, strengths, live)

        return devices.mean_over(self.mesh, counted, boards)

    def _hands(self, tables: Any, board: Array) -> tuple[Array, Array, Array]:
        buckets = self.abstraction.of_board(tables, board)[: self.streets]
        return self.paths.of_buckets(buckets), showdown_sums.strengths(board), possible_hands(board)


class BoardHands(NamedTuple):
    """The live hands of n boards, weakest first, or of one: the columns of a sweep (``column_sweep.py``)."""

    buckets: Array  # [n, streets, 1081] int32; of one board without the first axis, here and in ``chains``
    chains: Chains

    @property
    def number(self) -> int:
        return len(self.buckets)

    def board(self, k: Array | int) -> BoardHands:
        return jax.tree.map(lambda of_boards: of_boards[k], self)

    @property
    def held(self) -> Array:
        return jnp.full(self.buckets.shape[-1], RIVALS_OF_HAND / MEETINGS)

    @property
    def dealt(self) -> Array:
        return jnp.full(self.buckets.shape[-1], 1 / MEETINGS)

    def bucket(self, street: int) -> Array:
        return self.buckets[street]

    def folded(self, reach: Array) -> Array:
        return strength_chains.rivals(self.chains, reach)

    def shown_down(self, reach: Array) -> Array:
        return strength_chains.showdowns(self.chains, reach)


@dataclasses.dataclass(frozen=True)
class HandBoards:
    """Boards of hold'em with all their hands, for card abstractions too fine to count types."""

    abstraction: CardAbstraction
    streets: int = 4
    mesh: Mesh | None = None
    num_types: int = dataclasses.field(default=0, init=False)

    @property
    def tables(self) -> Any:
        return self.abstraction.tables

    def draw(self, tables: Any, key: Array, n: int) -> Array:
        return self.abstraction.sample_boards(tables, key, n)

    def dealt(self, tables: Any, boards: Array) -> tuple[BoardHands, Array]:
        def of_board(board: Array) -> BoardHands:
            chains = strength_chains.of(board)
            return BoardHands(self.abstraction.of_board(tables, board)[: self.streets, chains.hands], chains)

        return jax.vmap(of_board)(boards), jnp.float32(LIVE_HANDS)


@dataclasses.dataclass(frozen=True, eq=False)
class ListedBoards:
    """The boards of a small game whose deals are all known; every hand on every board is a type."""

    deals: Deals
    mesh: Mesh | None = None

    @functools.cached_property
    def paths(self) -> BucketPaths:
        """Types: the columns of each street (boards times hands) that a column of the last one continues."""
        last = len(self.deals.streets) - 1
        columns = [self.deals.columns_before(last, street) for street in range(last + 1)]
        held = self.deals.streets[last].prior.sum(axis=2).reshape(-1) > 0
        types = np.stack(columns, axis=1)[held]
        widths = tuple(street.columns for street in self.deals.streets)
        return BucketPaths(widths, tuple(sorted(map(tuple, types.tolist()))))

    @property
    def num_types(self) -> int:
        return self.paths.size[0]

    @functools.cached_property
    def tables(self) -> tuple[Array, Array]:
        """``[boards]`` how likely each board is, and ``[boards, 2, types, types]`` the counts of each."""
        street = self.deals.streets[-1]
        boards, hands = street.prior.shape[:2]
        board, hand = np.divmod(np.array(self.paths.types)[:, -1], hands)
        share = street.prior.sum(axis=(1, 2))
        counts = np.zeros((boards, 2, len(board), len(board)))
        for b in range(boards):
            here = np.nonzero(board == b)[0]
            pairs = np.ix_(here, here)
            hands_of = np.ix_(hand[here], hand[here])
            counts[b, SHOWDOWNS][pairs] = (street.win[b] - street.lose[b])[hands_of] / share[b]
            counts[b, RIVALS][pairs] = street.prior[b][hands_of] / share[b]
        with jax.ensure_compile_time_eval():
            return jnp.asarray(share, jnp.float32), jnp.asarray(counts, jnp.float32)

    def draw(self, tables: tuple[Array, Array], key: Array, n: int) -> Array:
        return jax.random.choice(key, len(tables[0]), (n,), p=tables[0])

    def dealt(self, tables: tuple[Array, Array], boards: Array) -> tuple[Array, Array]:
        def counted(boards: Array) -> tuple[Array, Array]:
            drawn = (boards[:, None] == jnp.arange(len(tables[0]))).astype(jnp.float32).mean(axis=0)
            mean = jnp.tensordot(drawn, tables[1], axes=1, precision=jax.lax.Precision.HIGHEST)
            return mean, jnp.float32(len(self.deals.hands))

        return devices.mean_over(self.mesh, counted, boards)


@functools.lru_cache(maxsize=8)
def census(abstraction: CardAbstraction, number: int = CENSUS) -> tuple[np.ndarray, np.ndarray]:
    """The types ``[n, 4]`` of all hands of a ``number`` of boards, a multiple of 64, in ascending order, and how many
    hands have each.
    """
    counted: dict[int, int] = {}
    with jax.ensure_compile_time_eval():
        boards = abstraction.sample_boards(abstraction.tables, jax.random.key(0), number)
        for block in np.asarray(boards).reshape(-1, 64, 5):
            found = np.asarray(_live_buckets(abstraction, abstraction.tables, block))  # [64, 4, 1326]
            live = (found >= 0).all(axis=1)
            numbers = np.ravel_multi_index(found.swapaxes(0, 1), abstraction.num_buckets, mode="clip")[live]
            for number, hands in zip(*np.unique(numbers, return_counts=True), strict=True):
                counted[int(number)] = counted.get(int(number), 0) + int(hands)
    types = np.array(sorted(counted), np.int64)
    hands = np.array([counted[number] for number in types.tolist()])
    return np.stack(np.unravel_index(types, abstraction.num_buckets), axis=1), hands


@functools.partial(jax.jit, static_argnums=0)
def _live_buckets(abstraction: CardAbstraction, tables: Any, boards: Array) -> Array:
    """``[boards, 4, 1326]``: buckets of all hands, -1 of those that the board blocks."""

    def of_board(board: Array) -> Array:
        return jnp.where(possible_hands(board), abstraction.of_board(tables, board), -1)

    return jax.vmap(of_board)(boards)
