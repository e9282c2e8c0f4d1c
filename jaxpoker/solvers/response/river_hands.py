"""The hands on all rivers after a flop: in the order of their strength, and in types that a fixed player plays alike.

Hands stand in blocks in the order of their strength (``showdowns/strength_blocks.py``), on each board another. A *type*
here is hands that have the same bucket on every street of the board: a fixed player comes to every leaf with the same
reach with all hands of a type. With coarse buckets a river has some 30 types for its 1,081 hands; sums over hands are
then sums over types. With fine buckets nearly every hand is a type of its own, and types are not used.

Everything is sorted and placed for all rivers of a flop at once, on the host.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.games.holdem.table import FLOP, PREFLOP, RIVER, TURN
from jaxpoker.ranges import COMBOS, NUM_COMBOS
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.response.public_cards import MOST_RIVERS, MOST_TURNS, Runouts
from jaxpoker.solvers.showdowns import showdown_sums
from jaxpoker.solvers.showdowns.type_counts import LIVE_HANDS

Array = jax.Array
Rows = Any  # NumPy on the host, jax arrays in a program

LENGTH = 48  # hands of a block
WIDTHS = (28, 34, 48)  # numbers of blocks; a flop takes the first that all its rivers have room in
TYPES = (32, 48, 64, 96)  # numbers of types; likewise, and none where there are more
MOST_BOARDS = MOST_TURNS * MOST_RIVERS
_NO_HAND = NUM_COMBOS
_BITS = 11  # of a combo's number


class RiverHands(NamedTuple):
    """The hands on R rivers; N blocks of L places, P = N * L. R is ``MOST_BOARDS``; what is beyond the real ones is 0.

    Without types (T = 0) ``member`` is of no use.
    """

    boards: Rows  # [R, 5] int32
    combo: Rows  # [R, N, L] int16: the hand at each place, 1326 for none
    strength: Rows  # [R, N, L] int32
    place: Rows  # [R, 1326] int16: the place of each hand, P for none
    bucket: Rows  # [R, 1326] int16: of the river
    live: Rows  # [R, 1081] int16: the hands that the board leaves, ascending
    row: Rows  # [R, 1326] int16: the place of each hand among these, 1081 for none
    member: Rows  # [R, N, L] int16: the type at each place, -1 for none
    example: Rows  # [R, T] int16: a hand of each type, 1326 where there is no such type
    types: Rows  # [R] int32: which of TYPES is enough for the board


class FlopHands(NamedTuple):
    """What a sweep knows of the cards after a flop."""

    runouts: Runouts
    first: Rows  # [49] int32: the number of each turn's first river
    flop_bucket: Rows  # [1326] int32
    turn_bucket: Rows  # [49, 1326] int32
    rivers: RiverHands


def prepared(abstraction: CardAbstraction, runouts: Runouts) -> FlopHands:
    """The hands on all rivers of a flop."""
    boards = runouts.boards()
    n = len(boards)
    buckets, strengths = _looked_up(abstraction, boards)
    first = np.cumsum(runouts.num_rivers) - runouts.num_rivers
    first = np.where(np.arange(MOST_TURNS) < runouts.num_turns, first, 0).astype(np.int32)
    live = ~(COMBOS[None, :, :, None] == boards[:, None, None, :]).any(axis=(2, 3))  # [n, 1326]
    combo = held = np.nonzero(live)[1].reshape(n, LIVE_HANDS)

    ranked, up = _sorted(np.take_along_axis(strengths, combo, axis=1))
    combo = np.take_along_axis(combo, up, axis=1)  # weakest first
    at = np.asarray(_placed(_filled(ranked)))[:n]
    blocks = next((width for width in WIDTHS if width * LENGTH > at.max()), -(-int(at.max() + 1) // LENGTH))
    width = blocks * LENGTH
    rows = np.arange(n)[:, None]
    combo_at, strength_at = np.full((n, width), _NO_HAND, np.int16), np.zeros((n, width), np.int32)
    place = np.full((n, NUM_COMBOS), width, np.int16)
    combo_at[rows, at], strength_at[rows, at], place[rows, combo] = combo, ranked, at

    members, examples, number = _types(runouts, first, buckets, live)
    member_at = np.full((n, width), -1, np.int16)
    member_at[rows, at] = np.take_along_axis(members, combo, axis=1)
    shape = (MOST_BOARDS, blocks, LENGTH)
    hands = RiverHands(
        _filled(boards),
        _filled(combo_at).reshape(shape),
        _filled(strength_at).reshape(shape),
        _filled(place),
        _filled(buckets[:, RIVER].astype(np.int16)),
        _filled(held.astype(np.int16)),
        _filled(np.where(live, np.cumsum(live, axis=1, dtype=np.int16) - 1, LIVE_HANDS).astype(np.int16)),
        _filled(member_at).reshape(shape),
        _filled(examples),
        _filled(np.searchsorted(TYPES, number).astype(np.int32)),
    )
    return FlopHands(runouts, first, buckets[0, FLOP], buckets[first, TURN], hands)


def _looked_up(abstraction: CardAbstraction, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Buckets ``[n, 4, 1326]`` and strengths ``[n, 1326]`` of all hands on boards ``[n, 5]``."""
    parts = []
    size = 4 * MOST_RIVERS
    padded = np.concatenate([boards, np.repeat(boards[:1], -len(boards) % size, axis=0)])
    for at in range(0, len(padded), size):
        parts.append(_look_up(abstraction, abstraction.tables, padded[at : at + size]))
    buckets, strengths = (
        np.concatenate([np.asarray(x) for x in each])[: len(boards)] for each in zip(*parts, strict=True)
    )
    return buckets, strengths


@functools.partial(jax.jit, static_argnums=0)
def _look_up(abstraction: CardAbstraction, tables: Any, boards: Array) -> tuple[Array, Array]:
    return jax.vmap(abstraction.of_board, (None, 0))(tables, boards), jax.vmap(showdown_sums.strengths)(boards)


def _sorted(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of ``[n, m]`` in ascending order, and where each number stood; by one sort of packed numbers."""
    packed = np.sort(values.astype(np.int64) << _BITS | np.arange(values.shape[1]), axis=1)
    return (packed >> _BITS).astype(np.int32), packed & ((1 << _BITS) - 1)


@jax.jit
def _placed(ranked: Array) -> Array:
    """``[R, hands]``: places of ascending strengths, as ``strength_blocks.places`` has them, board by board."""
    new = jnp.pad(ranked[:, 1:] != ranked[:, :-1], ((0, 0), (1, 0)), constant_values=True)
    last = jnp.roll(new, -1, axis=1)
    number = jnp.arange(ranked.shape[1])
    begins = jax.lax.cummax(jnp.where(new, number, 0), axis=1)
    ends = jax.lax.cummin(jnp.where(last, number, ranked.shape[1]), axis=1, reverse=True)
    sizes = ends - begins + 1

    def put(at: Array, hand: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        is_new, is_last, size = hand
        room = -at % LENGTH
        here = jnp.where(is_new & (size > room), at + room, at)
        after = here + 1
        return jnp.where(is_last & (size > LENGTH), after + -after % LENGTH, after), here

    _, places = jax.lax.scan(put, jnp.zeros(len(ranked), jnp.int32), (new.T, last.T, sizes.T))
    return places.T


def _types(
    runouts: Runouts, first: np.ndarray, buckets: np.ndarray, live: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The type of each hand ``[n, 1326]`` int16, an example of each ``[n, T]`` and how many there are ``[n]``; T is 0
    where there are too many.
    """
    n = len(buckets)
    of_turn = np.empty((n, NUM_COMBOS), np.int64)
    for t in range(int(runouts.num_turns)):
        rows = slice(int(first[t]), int(first[t] + runouts.num_rivers[t]))
        before = buckets[first[t], [PREFLOP, FLOP, TURN]].astype(np.int64)
        key = (before[0] * (before[1].max() + 1) + before[1]) * (before[2].max() + 1) + before[2]
        of_turn[rows] = np.unique(key, return_inverse=True)[1]
    key = of_turn * (int(buckets[:, RIVER].max()) + 1) + buckets[:, RIVER]
    ranked, up = _sorted(np.where(live, key, key.max() + 1))
    new = np.diff(ranked, axis=1, prepend=-1) != 0
    number = np.cumsum(new, axis=1) - 1
    of_board = number[:, LIVE_HANDS - 1] + 1
    types = next((size for size in TYPES if size >= of_board.max()), 0)
    members = np.empty((n, NUM_COMBOS), np.int16)
    np.put_along_axis(members, up, number.astype(np.int16), axis=1)
    examples = np.full((n, types), _NO_HAND, np.int16)
    if types:
        row, column = np.nonzero(new[:, :LIVE_HANDS])
        examples[row, number[row, column]] = up[row, column]
    return members, examples, of_board


def _filled(rows: np.ndarray) -> np.ndarray:
    """``[MOST_BOARDS, ...]``: the rows, then zeros."""
    filled = np.zeros((MOST_BOARDS, *rows.shape[1:]), rows.dtype)
    filled[: len(rows)] = rows
    return filled
