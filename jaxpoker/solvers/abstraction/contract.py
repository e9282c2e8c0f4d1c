"""What a card abstraction is: hands that a solver treats alike share a bucket, street by street.

    known = abstraction.make("rank_based")                    # 6 / 9 / 9 / 9 buckets
    boards = known.sample_boards(known.tables, key, 64)       # [64, 5]
    buckets = jax.vmap(known.of_board, (None, 0))(known.tables, boards)   # [64, 4, 1326]
    known.text(0, 5)                                          # "premium (AA-TT, AK)"

What an abstraction needs to know is in its ``tables``, which go into jitted functions as an argument, so that they are
never constants of the compiled code; the abstraction itself is static, and equal to another one when both say the same
of every hand. ``check`` finds out whether an abstraction keeps the contract.
"""

from __future__ import annotations

import copy
import functools
import hashlib
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.games.holdem.table import BOARD_CARDS, PREFLOP, STREETS

Array = jax.Array


OPEN_CARDS = tuple(BOARD_CARDS.tolist())  # of the board, by street: 0, 3, 4, 5

NumBuckets = tuple[int, int, int, int]  # preflop, flop, turn, river


@runtime_checkable
class CardAbstraction(Protocol):
    """What a solver knows of cards. Hashable, and equal by ``fingerprint``: static under ``jit``."""

    def __hash__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def num_buckets(self) -> NumBuckets: ...
    @property
    def fingerprint(self) -> str:
        """Letters and digits that differ for abstractions that put any hand into different buckets."""
        ...

    @property
    def tables(self) -> Any:
        """Pytree of arrays, the first argument of the functions below."""
        ...

    def of_board(self, tables: Any, board: Array) -> Array:
        """``[4, 1326]`` int32: the bucket of each combo of ``ranges.COMBOS`` on each street of ``board`` ``[5]``.

        The flop is the first three cards, the turn the fourth, the river the fifth; a street's buckets do not depend
        on later cards. A combo that the board blocks has any bucket that there is.
        """
        ...

    def of_hand(self, tables: Any, hole: Array, board: Array, street: Array | int) -> Array:
        """``[]`` int32: the bucket of ``hole`` ``[2]`` on ``street``; later cards of ``board`` ``[5]`` are not read."""
        ...

    def sample_boards(self, tables: Any, key: Array, n: int) -> Array:
        """``[n, 5]`` int32: boards dealt uniformly."""
        ...

    def text(self, street: int, bucket: int) -> str:
        """A name of the bucket for people."""
        ...


def digest(*parts: str | bytes | np.ndarray) -> str:
    """Sixteen hexadecimal digits of texts, bytes and arrays, in order: equal when all of them are."""
    sha = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            sha.update(f"{part.dtype.str}{part.shape}".encode())
            sha.update(np.ascontiguousarray(part).tobytes())
        else:
            sha.update(part.encode() if isinstance(part, str) else part)
        sha.update(b"\0")
    return sha.hexdigest()[:16]


def class_buckets(abstraction: CardAbstraction) -> np.ndarray:
    """[169] int32: the bucket before the flop of each class of hands (``ranges.CLASS_NAMES``)."""
    of_class = np.unique(ranges.CLASS_OF_COMBO, return_index=True)[1]  # a combo of each
    return np.asarray(_preflop_of(abstraction, abstraction.tables, ranges.COMBOS[of_class]))


@functools.partial(jax.jit, static_argnums=0)
def _preflop_of(abstraction: CardAbstraction, tables: Any, hole: Array) -> Array:
    """``[n]``: the buckets of hands ``[n, 2]``."""
    board = jnp.full(5, cards.NO_CARD, jnp.int32)
    return jax.vmap(lambda each: abstraction.of_hand(tables, each, board, PREFLOP))(hole)


def require_bucket(abstraction: CardAbstraction, street: int, bucket: int) -> None:
    """Raises ``ValueError`` when there is no such street or bucket."""
    if not 0 <= street < len(STREETS):
        raise ValueError(f"street {street}: streets are 0 preflop, 1 flop, 2 turn and 3 river")
    if not 0 <= bucket < abstraction.num_buckets[street]:
        last = abstraction.num_buckets[street] - 1
        raise ValueError(f"bucket {bucket}: {abstraction.name} has buckets 0 to {last} on the {STREETS[street]}")


# --- the conformance check --------------------------------------------------------------------


def check(abstraction: CardAbstraction, key: Array, boards: int = 32) -> int:
    """Looks up hands on random boards and raises ``AssertionError`` where ``abstraction`` breaks the contract.

    Buckets must be in range, must not depend on cards to come, and must be the same whether a hand is looked up alone
    or with all hands of its board. Returns how many hands were looked up alone.
    """

    def require(holds: Any, what: str) -> None:
        if not np.all(np.asarray(holds)):
            raise AssertionError(f"{type(abstraction).__name__}: {what}")

    require(isinstance(abstraction, CardAbstraction), "an abstraction has all that CardAbstraction names")
    twin = copy.copy(abstraction)
    require(twin == abstraction and hash(twin) == hash(abstraction), "abstractions with one fingerprint are equal")
    require(isinstance(abstraction.fingerprint, str) and abstraction.fingerprint, "the fingerprint is a text")
    sizes = np.asarray(abstraction.num_buckets)
    require(sizes.shape == (len(STREETS),) and (sizes >= 1).all(), "num_buckets has a number for each of four streets")

    tables = abstraction.tables
    board_key, later_key, hand_key = jax.random.split(key, 3)
    dealt = np.asarray(abstraction.sample_boards(tables, board_key, boards))
    require(dealt.shape == (boards, 5) and dealt.dtype == np.int32, "sample_boards is [n, 5] int32")
    ordered = np.sort(dealt, axis=1)
    require((ordered[:, 0] >= 0) & (ordered[:, -1] < cards.NUM_CARDS), "the cards of a board are 0 to 51")
    require(np.diff(ordered, axis=1) > 0, "the cards of a board differ")
    of_board, live = map(np.asarray, _of_boards(abstraction, tables, dealt))
    require(of_board.shape == (boards, len(STREETS), ranges.NUM_COMBOS), "of_board is [4, 1326]")
    require(of_board.dtype == np.int32, "of_board is int32")
    require((of_board >= 0) & (of_board < sizes[:, None]), "buckets are 0 to num_buckets - 1, of blocked hands too")
    for street, opened in enumerate(OPEN_CARDS[:-1]):
        known = dealt[:, :opened]
        to_come = cards.deal(jax.random.fold_in(later_key, street), 5 - opened, (boards,), dead=known)
        other, live_there = map(np.asarray, _of_boards(abstraction, tables, np.concatenate([known, to_come], axis=1)))
        differs = (of_board != other)[:, street] & live & live_there
        require(~differs, f"buckets of the {STREETS[street]} do not depend on later cards")

    combo = np.asarray(jax.random.categorical(hand_key, jnp.where(live, 0.0, -jnp.inf)))  # [boards]: one on each
    for street, opened in enumerate(OPEN_CARDS):
        hidden = np.where(np.arange(5) < opened, dealt, cards.NO_CARD).astype(np.int32)
        for hole in (ranges.COMBOS[combo], ranges.COMBOS[combo][:, ::-1]):
            alone = np.asarray(_of_hands(abstraction, tables, hole, hidden, np.int32(street)))
            require(alone.shape == (boards,) and alone.dtype == np.int32, "of_hand is [] int32")
            require(
                alone == of_board[np.arange(boards), street, combo], f"of_hand is of_board on the {STREETS[street]}"
            )
        for bucket in np.unique(alone).tolist():
            require(isinstance(abstraction.text(street, bucket), str), "text is a text")
    return boards * len(STREETS) * 2


@functools.partial(jax.jit, static_argnums=0)
def _of_boards(abstraction: CardAbstraction, tables: Any, boards: Array) -> tuple[Array, Array]:
    """Buckets ``[n, 4, 1326]`` of all combos on boards ``[n, 5]``, and which are not blocked ``[n, 1326]``."""
    return jax.vmap(abstraction.of_board, (None, 0))(tables, boards), jax.vmap(possible_hands)(boards)


@functools.partial(jax.jit, static_argnums=0)
def _of_hands(abstraction: CardAbstraction, tables: Any, hole: Array, boards: Array, street: Array) -> Array:
    """``[n]``: buckets of hands ``[n, 2]`` on boards ``[n, 5]``."""
    return jax.vmap(abstraction.of_hand, (None, 0, 0, None))(tables, hole, boards, street)
