"""What a card abstraction is: hands that a solver treats alike share a bucket, street by street.

    known = abstraction.make("rank_based")                    # 6 / 9 / 9 / 9 buckets
    boards = known.sample_boards(known.tables, key, 64)       # [64, 5]
    buckets = jax.vmap(known.of_board, (None, 0))(known.tables, boards)   # [64, 4, 1326]
    known.text(0, 5)                                          # "premium (AA-TT, AK)"

What an abstraction needs to know is in its ``tables``, which go into jitted functions as an argument, so that they are
never constants of the compiled code; the abstraction itself is static, and equal to another one when both say the same
of every hand.
"""

from __future__ import annotations

import functools
import hashlib
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, ranges
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
