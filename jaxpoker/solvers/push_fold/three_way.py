"""How three hands that are all-in finish before the flop, sampled with what is known exactly of two.

F(i; j, k) is the chance that class of hands i is the best of three when its opponents hold j and k. On each of many
random boards every class has a random combo, i against j is 1, 1/2 or 0, and

    F(i; j, k) = mean over boards of (i against j) (i against k),

for all i, j and k a product of matrices. Boards on which the three cannot be held
together do not count. What i against j comes to in the mean is known exactly from the table of all
match-ups; where the sample is off there, F is moved by as much as the sample's own regression of it says (control
variates). A tie is half of either order. From F and the
exact match-ups follow all six orders:

    first i, second j, third k:   (j against k) - F(j; i, k)
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, equity, hands, ranges

Array = jax.Array

BOARDS = 4_096
_AT_ONCE = 2_048  # boards


class ThreeWay(NamedTuple):
    """What two and three hands win from each other; H = 169 classes."""

    beats: np.ndarray  # [H, H] float32, exact: i wins from j, half of a tie counts
    first: np.ndarray  # [H, H, H] float32: i is the best of i, j and k


@functools.lru_cache(maxsize=2)
def sampled(seed: int = 0, boards: int = BOARDS) -> ThreeWay:
    """From so many random boards."""
    beats = equity.matchups().equity
    size = min(boards, _AT_ONCE)
    keys = jax.random.split(jax.random.key(seed), -(-boards // size))
    sums = [np.asarray(_of_boards(key, size), np.float64) for key in keys]
    total = functools.reduce(np.add, sums)  # [4, H, H, H]
    together, one, two = (total[at] / np.maximum(total[3], 1) for at in range(3))
    first = _controlled(together, one, two, beats)
    everybody = first + np.transpose(first, (1, 0, 2)) + np.transpose(first, (1, 2, 0))
    return ThreeWay(beats.astype(np.float32), (first / np.maximum(everybody, 1e-6)).astype(np.float32))


@functools.partial(jax.jit, static_argnums=1)
def _of_boards(key: Array, size: int) -> Array:
    """``[4, H, H, H]``: sums over boards of (i against j) (i against k), and of either factor, and the number of boards
    on which the hands can be held.
    """
    deal_key, *hand_keys = jax.random.split(key, 4)
    board = jnp.stack(cards.deal_columns(deal_key, 5, (size,)))  # [5, n]
    masks = hands.suit_masks(list(board))
    held = []
    for hand_key in hand_keys:
        two, free = _one_of_each(hand_key, board)
        own = hands.suit_masks(list(two))
        strength = hands.strength_of_masks(*(b[None] | m for b, m in zip(masks, own, strict=True)))
        held.append((two, free, strength))  # [2, H, n], [H, n], [H, n]

    def of_class(number: Array) -> Array:
        own, own_free, strength = held[0][0][:, number], held[0][1][number], held[0][2][number]

        def against(other: int) -> tuple[Array, Array]:
            theirs, their_free, their_strength = held[other]
            clash = functools.reduce(jnp.logical_or, [own[a] == theirs[b] for a in range(2) for b in range(2)])
            known = (own_free & their_free & ~clash).astype(jnp.float32)
            won = jnp.sign(strength - their_strength).astype(jnp.float32) / 2 + 0.5
            return known * won, known  # [H, n]

        (won_one, known_one), (won_two, known_two) = against(1), against(2)
        pairs = ((won_one, won_two), (won_one, known_two), (known_one, won_two), (known_one, known_two))
        return jnp.stack([_apart(a, b, held[1][0], held[2][0]) for a, b in pairs])

    return jnp.moveaxis(jax.lax.map(of_class, jnp.arange(ranges.NUM_CLASSES)), 0, 1)


def _apart(one: Array, two: Array, hands_one: Array, hands_two: Array) -> Array:
    """``[H, H]``: sums over boards of ``one`` times ``two`` ``[H, n]`` where the hands ``[2, H, n]`` share no card.

    That is the sum over all boards, less those where they share a card, card by card. The hands that share both are
    then taken off twice, and come back once.
    """
    product = functools.partial(jnp.matmul, precision=jax.lax.Precision.HIGHEST)
    total = product(one, two.T)
    for rank in range(cards.NUM_RANKS):
        rows = _CLASSES_WITH[rank]
        of_rank = rank + cards.NUM_RANKS * np.arange(4)

        def with_card(values: Array, two_cards: Array, rows: np.ndarray = rows, of: np.ndarray = of_rank) -> Array:
            has = (two_cards[:, rows, None] == of[:, None]).any(axis=0)  # [25, 4, n]
            return (values[rows, None] * has).reshape(len(rows), -1)

        shared = product(with_card(one, hands_one), with_card(two, hands_two).T)
        total = total.at[np.ix_(rows, rows)].add(-shared)
    same = (hands_one == hands_two).all(axis=0)
    return total + jnp.diag((one * two * same).sum(axis=1))


def _classes_with() -> list[np.ndarray]:
    """By rank, the classes of hands with a card of it."""
    return [
        np.unique(ranges.CLASS_OF_COMBO[np.equal(ranges.COMBOS % cards.NUM_RANKS, rank).any(axis=1)])
        for rank in range(cards.NUM_RANKS)
    ]


_CLASSES_WITH = _classes_with()


def _one_of_each(key: Array, board: Array) -> tuple[Array, Array]:
    """A random combo of each class on each board: its cards ``[2, H, n]``, and whether the board has none of them."""
    counts = np.asarray(ranges.COMBOS_PER_CLASS)
    places = np.zeros((ranges.NUM_CLASSES, 12), np.int32)
    for number in range(ranges.NUM_CLASSES):
        combos = np.flatnonzero(np.equal(ranges.CLASS_OF_COMBO, number))
        places[number] = np.resize(combos, 12)
    drawn = jax.random.uniform(key, (ranges.NUM_CLASSES, board.shape[1]))
    which = (drawn * counts[:, None]).astype(jnp.int32)
    combo = jnp.take_along_axis(jnp.asarray(places), which, axis=1)
    two = jnp.moveaxis(jnp.asarray(ranges.COMBOS)[combo], -1, 0)
    free = ~functools.reduce(jnp.logical_or, [two[a] == board[b] for a in range(2) for b in range(5)])
    return two, free


def _controlled(together: np.ndarray, one: np.ndarray, two: np.ndarray, beats: np.ndarray) -> np.ndarray:
    """F with both factors where their means are known to be; all ``[H, H, H]``."""
    a, b = np.clip(one, 1e-3, 1 - 1e-3), np.clip(two, 1e-3, 1 - 1e-3)
    shared = together - a * b
    with_a, with_b = together * (1 - a), together * (1 - b)
    var_a, var_b = a * (1 - a), b * (1 - b)
    det = np.maximum(var_a * var_b - shared**2, 1e-4 * var_a * var_b)
    slope_a = np.clip((with_a * var_b - with_b * shared) / det, 0, 1)
    slope_b = np.clip((with_b * var_a - with_a * shared) / det, 0, 1)
    found = together - slope_a * (one - beats[:, :, None]) - slope_b * (two - beats[:, None, :])
    found = (found + np.transpose(found, (0, 2, 1))) / 2  # the opponents may be named in any order
    return np.clip(found, 0, np.minimum(beats[:, :, None], beats[:, None, :]))


def expected(known: ThreeWay, one: Array, two: Array, worth: np.ndarray) -> Array:
    """``[e, H]``: what a seat with each hand wins in e all-ins of three, in the mean over the other two hands.

    ``one`` and ``two`` ``[e, H, H]`` are how likely the others hold and play each hand (last axis) when the seat holds
    each (first), ``worth`` ``[e, 6]`` what it wins by ``ORDERS``. All is linear in F, so that six orders take no more
    than three sums over F.
    """
    first, beats = jnp.asarray(known.first, one.dtype), jnp.asarray(known.beats, one.dtype)
    theirs = jnp.asarray(np.ascontiguousarray(np.swapaxes(known.first, 0, 1)), one.dtype)  # [i, j, k]: j is the best
    product = functools.partial(jnp.einsum, precision=jax.lax.Precision.HIGHEST)
    own_best = (product("ijk,eik->eij", first, two) * one).sum(axis=-1)
    one_best = (product("ijk,eik->eij", theirs, two) * one).sum(axis=-1)
    two_best = (product("ijk,eik->eij", theirs, one) * two).sum(axis=-1)
    ones, twos = one.sum(axis=-1), two.sum(axis=-1)
    beats_one, beats_two = ((beats * each).sum(axis=-1) for each in (one, two))
    one_beats_two = (product("eij,jk->eik", one, beats) * two).sum(axis=-1)
    chances = [
        one_beats_two - one_best,  # (2, 1, 0)
        ones * twos - one_beats_two - two_best,  # (2, 0, 1)
        ones * beats_two - own_best,  # (1, 2, 0)
        beats_one * twos - own_best,  # (1, 0, 2)
        (ones - beats_one) * twos - one_best,  # (0, 1, 2)
        ones * (twos - beats_two) - two_best,  # (0, 2, 1)
    ]
    return functools.reduce(
        jnp.add, [chance * jnp.asarray(worth[:, at, None], one.dtype) for at, chance in enumerate(chances)]
    )


ORDERS = ((2, 1, 0), (2, 0, 1), (1, 2, 0), (1, 0, 2), (0, 1, 2), (0, 2, 1))  # of the seat and the others; 2 is the best
