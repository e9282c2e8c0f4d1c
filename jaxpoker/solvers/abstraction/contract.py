"""Card abstractions: hands that a solver treats alike share a bucket, street by street.

    cards = abstraction.make("rank_based")                    # 6 / 9 / 9 / 9 buckets
    boards = cards.sample_boards(cards.tables, key, 64)       # [64, 5]
    buckets = jax.vmap(cards.of_board, (None, 0))(cards.tables, boards)   # [64, 4, 1326]
    cards.text(0, 5)                                          # "premium (AA-TT, AK)"

``rank_based`` is the coarse one: a list of hands before the flop, and after it the category of the best five cards so
far. ``rank_history`` (``solvers/abstraction/rank_history.py``) remembers these buckets of all streets so far.
``equity`` (``solvers/abstraction/equity_buckets.py``) groups hands by how much of the pot they win on the boards to
come.

The buckets of the other two forget: two hands that share one on the river may have had different ones before. What an
abstraction needs to know is in its ``tables``, which go into jitted functions as an argument, so that they are never
constants of the compiled code; the abstraction itself is static, and equal to another one when both say the same of
every hand.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands, ranges
from jaxpoker.equity.by_hand import hole_masks
from jaxpoker.equity.showdowns import Masks, columns, join
from jaxpoker.games.holdem import table as holdem_table

Array = jax.Array


class Street(enum.IntEnum):
    """Streets by number."""

    PREFLOP = 0
    FLOP = 1
    TURN = 2
    RIVER = 3


PREFLOP, FLOP, TURN, RIVER = Street
STREETS = holdem_table.STREETS
OPEN_CARDS = (0, 3, 4, 5)  # of the board, by street

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


def make(name: str, num_buckets: Iterable[int] | None = None, **options: Any) -> CardAbstraction:
    """The abstraction of that name: "rank_based", "rank_history", or "equity" with its options (``equity_buckets``)."""
    sizes = None if num_buckets is None else _four_sizes(num_buckets)
    if name == "rank_based":
        if options:
            raise ValueError(f"rank_based buckets have no option {next(iter(options))!r}: their lists are fixed")
        if sizes is not None and sizes != RankBased.num_buckets:
            shown, fixed = ("/".join(map(str, each)) for each in (sizes, RankBased.num_buckets))
            raise ValueError(f"num_buckets {shown}: rank_based has {fixed}; for other numbers take 'equity'")
        return RankBased()
    if name == "rank_history":
        from jaxpoker.solvers.abstraction.rank_history import RankHistory  # stands on this module

        known = RankHistory()
        if options or sizes not in (None, known.num_buckets):
            numbers = "/".join(map(str, known.num_buckets))
            raise ValueError(f"rank_history has no options, and as many buckets as there are histories: {numbers}")
        return known
    if name == "equity":
        from jaxpoker.solvers.abstraction import equity_buckets  # stands on this module

        return equity_buckets.make(**options) if sizes is None else equity_buckets.make(sizes, **options)
    raise ValueError(f"unknown card abstraction {name!r}: choose 'rank_based', 'rank_history' or 'equity'")


def _four_sizes(num_buckets: Iterable[int]) -> NumBuckets:
    sizes = tuple(num_buckets)
    if len(sizes) != len(STREETS) or any(not isinstance(n, int | np.integer) or n < 1 for n in sizes):
        raise ValueError(f"num_buckets {sizes}: give four numbers, preflop, flop, turn and river, each 1 or more")
    return int(sizes[0]), int(sizes[1]), int(sizes[2]), int(sizes[3])


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


# --- the rank-based buckets -------------------------------------------------------------------

# Bucket, name, what people call its hands, and the range; a hand is in the first that has it, from the top. A list
# without "suited" means both: "Ax" is every ace, "Kx suited" every suited king. Connectors are two ranks next to each
# other, from KQ down to 32.
PREFLOP_LISTS = (
    (5, "premium", "AA-TT, AK", "TT+, AK"),
    (4, "strong", "99-66, AQ, AJ", "99-66, AQ, AJ"),
    (3, "medium", "55-22, KQ, KJ, suited connectors", "55-22, KQ, KJ, KQs-32s"),
    (2, "weak", "Ax, Kx suited", "A2+, K2s+"),
    (1, "trash", "all others", "random"),
    (0, "unused", "no hand", ""),
)


@functools.cache
def preflop_buckets() -> np.ndarray:
    """[1326] int32: the bucket of each combo by ``PREFLOP_LISTS``."""
    lists = [(bucket, ranges.parse(text) > 0) for bucket, _, _, text in PREFLOP_LISTS if text]
    return np.select([held for _, held in lists], [bucket for bucket, _ in lists]).astype(np.int32)


@dataclasses.dataclass(frozen=True)
class RankBased:
    """6 / 9 / 9 / 9: lists of hands before the flop, then the category of the best hand so far (``hands.CATEGORIES``).

    On the flop the best hand is all five cards; a pair or better on the board counts for everybody.
    """

    name = "rank_based"
    num_buckets: NumBuckets = dataclasses.field(default=(6, 9, 9, 9), init=False)
    tables: tuple[()] = dataclasses.field(default=(), init=False)

    @property
    def fingerprint(self) -> str:
        return _rank_based_fingerprint()

    def of_board(self, tables: tuple[()], board: Array) -> Array:
        return _with_categories(jnp.asarray(preflop_buckets()), hole_masks(), board)

    def of_hand(self, tables: tuple[()], hole: Array, board: Array, street: Array | int) -> Array:
        return self.of_streets(hole, board)[street]

    def of_streets(self, hole: Array, board: Array) -> Array:
        """``[4]`` int32: the buckets of ``hole`` ``[2]``; of streets whose cards are not open they mean nothing."""
        preflop = jnp.asarray(preflop_buckets())[ranges.combo_index(hole[0], hole[1])]
        return _with_categories(preflop, hands.suit_masks(columns(hole)), board)

    def sample_boards(self, tables: tuple[()], key: Array, n: int) -> Array:
        return cards.deal(key, 5, (n,))

    def text(self, street: int, bucket: int) -> str:
        require_bucket(self, street, bucket)
        if street != PREFLOP:
            return hands.CATEGORIES[bucket]
        name, held = next((name, held) for number, name, held, _ in PREFLOP_LISTS if number == bucket)
        return f"{name} ({held})"


def _with_categories(preflop: Array, hole: Masks, board: Array) -> Array:
    """``[4, ...]``: ``preflop`` buckets ``[...]``, then categories with the open cards of ``board`` ``[5]``."""

    def category(opened: int) -> Array:
        with_board = join(hole, hands.suit_masks(columns(board[:opened])))
        return hands.category(hands.strength_of_masks(*with_board, num_cards=2 + opened))

    return jnp.stack([preflop, *map(category, OPEN_CARDS[FLOP:])])


@functools.cache
def _rank_based_fingerprint() -> str:
    return digest("rank_based", preflop_buckets(), *hands.CATEGORIES)


def require_bucket(abstraction: CardAbstraction, street: int, bucket: int) -> None:
    """Raises ``ValueError`` when there is no such street or bucket."""
    if not 0 <= street < len(STREETS):
        raise ValueError(f"street {street}: streets are 0 preflop, 1 flop, 2 turn and 3 river")
    if not 0 <= bucket < abstraction.num_buckets[street]:
        last = abstraction.num_buckets[street] - 1
        raise ValueError(f"bucket {bucket}: {abstraction.name} has buckets 0 to {last} on the {STREETS[street]}")
