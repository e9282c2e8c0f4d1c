"""How a hand's equity will look on the river: its distribution over the cards to come, for every hand on every board.

The equity of a hand on a river board against a random hand is a whole number of half wins against the 990 hands that
share no card with it or the board:

    score = 2 wins + ties,  0 ... 1980,  equity = score / 1980

A hand on the turn has 46 rivers, one on the flop 47 * 46 (turn, river), one before the flop 19,600 * 47 * 46. Its
distribution is kept as cumulative counts at 32 thresholds, which divide the scores into 33 bins of 60: the number of
rivers with a score below 60, below 120, ..., below 1920. All of it is exact, in whole numbers.

Boards go by classes up to suits (``solvers/abstraction/isomorphism.py``): scores are computed once for each of the
134,459 river boards, the turns' counts are sums over their rivers, the flops' over their turns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands, ranges
from jaxpoker.blocks import kept
from jaxpoker.equity.by_hand import hole_masks
from jaxpoker.equity.showdowns import columns, outcome, overlap, strength
from jaxpoker.ranges import COMBOS, NUM_COMBOS, combo_index
from jaxpoker.solvers.abstraction import isomorphism

Array = jax.Array

OPPONENTS = 990  # hands that share no card with a hand and a river board
MAX_SCORE = 2 * OPPONENTS
BIN = 60  # scores of a bin
THRESHOLDS = MAX_SCORE // BIN - 1  # 32
NUM_BINS = THRESHOLDS + 1
RIVERS = {3: 47 * 46, 4: 46}  # of a hand on a board of so many cards: the total of its counts

_NO_BIN = 255  # of a combo that the board blocks: above all thresholds
_ABOVE_ALL = np.iinfo(np.int32).max
_RIVER_BOARDS_AT_ONCE = 512
_TURN_BOARDS_AT_ONCE = 16

Progress = Callable[[str, float], None]  # what is being computed, and which share of it is done


def no_progress(what: str, share: float) -> None:
    """Says nothing."""


# --- the river --------------------------------------------------------------------------------


@functools.cache
def _combo_of_cards() -> np.ndarray:
    """[52, 52] int32: the combo of two cards; any where they are the same."""
    card = np.arange(cards.NUM_CARDS)
    return np.where(card[:, None] == card, 0, combo_index(card[:, None], card)).astype(np.int32)


class ComparedHands(NamedTuple):
    """All combos on a river board, and how their strengths compare; blocked ones are weaker than none."""

    blocked: Array  # [1326] bool
    order: Array  # [1326] int32: combos from the weakest up, then the blocked ones
    weaker: Array  # [1326] int32: how many live hands are weaker
    not_stronger: Array  # [1326] int32
    of_rows: Array  # [52, 52] int32: strength of a hand in the row of each of its cards
    in_rows: Array  # [52, 52] int32: the same as a rival; above all others for what is no live hand


def compared(board: Array) -> ComparedHands:
    """All hands on ``board`` ``[5]``."""
    masks = hands.suit_masks(columns(board))
    blocked = overlap(masks, hole_masks())
    mine = strength(masks, hole_masks())
    mine, theirs = kept((mine, jnp.where(blocked, _ABOVE_ALL, mine)))
    ordered, order = jax.lax.sort((theirs, jnp.arange(NUM_COMBOS, dtype=jnp.int32)), num_keys=1)
    weaker, not_stronger = (
        jnp.searchsorted(ordered, mine, side=side, method="scan_unrolled") for side in ("left", "right")
    )
    in_rows = jnp.where(np.eye(cards.NUM_CARDS), _ABOVE_ALL, by_card(theirs))
    return ComparedHands(blocked, order, weaker, not_stronger, *kept((by_card(mine), in_rows)))


def by_card(of_combo: Array) -> Array:
    """``[..., 52, 52]``: what ``of_combo`` ``[..., 1326]`` has of two cards; anything where they are the same."""
    return of_combo[..., _combo_of_cards()]


def from_sharing(found: ComparedHands, weights: Array) -> Array:
    """``[n, 1326]`` int32: half wins of each hand from the live hands with its lower card, and with its higher one.

    A rival counts as often as ``weights`` ``[n, 52, 52]``, by its two cards, say; the hand itself is in both.
    """

    def add_column(column: Array, total: Array) -> Array:
        rival = jax.lax.dynamic_index_in_dim(found.in_rows, column, axis=1)
        weight = jax.lax.dynamic_index_in_dim(weights, column, axis=2)
        return total + weight * ((rival < found.of_rows).astype(jnp.int32) + (rival <= found.of_rows))

    total = jax.lax.fori_loop(0, cards.NUM_CARDS, add_column, jnp.zeros(weights.shape, jnp.int32))
    one, other = COMBOS.T
    return total[:, one, other] + total[:, other, one]


def river_scores(board: Array) -> Array:
    """``[1326]`` int32: the score of every combo on ``board`` ``[5]``; 0 for a combo that the board blocks. Jittable.

    Against all hands the score is read off the order of strengths; what the 45 hands with one of its cards and the 45
    with the other would give is taken off, each compared within the hands of that card.
    """
    found = compared(board)
    everyone = jnp.ones((1, cards.NUM_CARDS, cards.NUM_CARDS), jnp.int32)
    itself = 1  # ties with itself, once among all and once in each row
    scores = found.weaker + found.not_stronger - from_sharing(found, everyone)[0] + itself
    return jnp.where(found.blocked, 0, scores)


def half_wins(hole: Array, board: Array) -> tuple[Array, Array]:
    """Of ``hole`` ``[2]`` on ``board`` ``[5]`` against each combo: ``[1326]`` int32, 2 a win, 1 a tie, 0 a loss; and
    ``[1326]`` bool, the 990 that share no card with them. Those that do have 0.
    """
    masks, own = hands.suit_masks(columns(board)), hands.suit_masks(columns(hole))
    theirs = strength(masks, hole_masks())
    rivals = ~overlap(masks, hole_masks()) & ~overlap(own, hole_masks())
    return jnp.where(rivals, outcome(strength(masks, own), theirs, win=2, tie=1), 0), rivals


def river_bins(classes: np.ndarray, progress: Progress = no_progress) -> np.ndarray:
    """[n, 1326] uint8: score // 60, at most 32, on the river boards of these classes ``[n]``; 255 where blocked."""
    every = isomorphism.classes(5)
    bins = np.empty((len(classes), NUM_COMBOS), np.uint8)
    size = min(_RIVER_BOARDS_AT_ONCE, len(classes))
    for start, block in blocks(len(classes), size):
        progress("equities on the river", start / len(classes))
        boards = every.cards[classes[block]]
        scores = np.asarray(_scores_of_boards(boards))
        found = np.where(blocked(boards), _NO_BIN, np.minimum(scores // BIN, THRESHOLDS))
        bins[start : start + size] = found[: len(classes) - start]
    return bins


_scores_of_boards = jax.jit(jax.vmap(river_scores))


def blocked(boards: np.ndarray) -> np.ndarray:
    """[n, 1326] bool: combos that hold a card of boards [n, size]."""
    on_board = np.zeros((len(boards), cards.NUM_CARDS), bool)
    np.put_along_axis(on_board, boards, True, axis=1)
    return on_board[:, COMBOS[:, 0]] | on_board[:, COMBOS[:, 1]]


# --- the turn, the flop and before ------------------------------------------------------------


class NextBoards(NamedTuple):
    """Boards of one size, and those that one more card makes of them."""

    classes: np.ndarray  # [n] of the boards
    next_class: np.ndarray  # [n, 52 - size]
    next_order: np.ndarray  # [n, 52 - size]: of suits, that turns each next board into its representative


def next_boards(size: int, classes: np.ndarray) -> NextBoards:
    """What may come on the representatives of these classes ``[n]`` of boards with ``size`` cards."""
    boards, after = isomorphism.classes(size).cards[classes], isomorphism.classes(size + 1)
    held = np.zeros((len(boards), cards.NUM_CARDS), bool)
    np.put_along_axis(held, boards, True, axis=1)
    left = np.nonzero(~held)[1].reshape(len(boards), -1)
    longer = np.concatenate([np.broadcast_to(boards[:, None], (*left.shape, size)), left[..., None]], axis=2)
    number = np.asarray(isomorphism.number(longer))
    return NextBoards(classes, after.class_of[number].astype(np.int32), after.order_of[number])


def turn_counts(turns: NextBoards, river_classes: np.ndarray, bins: np.ndarray, progress: Progress) -> np.ndarray:
    """[n, 32, 1326] uint8: cumulative counts of every combo on the turn boards; 0 where the board blocks it.

    ``bins`` ``[m, 1326]`` are those of the ``river_classes`` ``[m]``, ascending.
    """
    rows = np.searchsorted(river_classes, turns.next_class).astype(np.int32)
    counts = np.empty((len(rows), THRESHOLDS, NUM_COMBOS), np.uint8)
    on_device, renamed = jnp.asarray(bins), jnp.asarray(isomorphism.renamed_combos())
    for start, block in blocks(len(rows), _TURN_BOARDS_AT_ONCE):
        progress("distributions on the turn", start / len(rows))
        found = np.asarray(_cumulative(on_device, renamed, rows[block], turns.next_order[block]))
        counts[start : start + _TURN_BOARDS_AT_ONCE] = found[: len(rows) - start]
    return counts


def blocks(n: int, size: int) -> Iterator[tuple[int, np.ndarray]]:
    """Starts of blocks of one size, and their numbers; the last one is filled up with the last number."""
    for start in range(0, n, size):
        yield start, np.minimum(np.arange(start, start + size), n - 1)


@jax.jit
def _cumulative(bins: Array, renamed: Array, rows: Array, orders: Array) -> Array:
    """[b, 32, 1326] uint8: counts over rivers that are ``rows`` of ``bins`` with suits in ``orders``, both [b, 48]."""
    threshold = jnp.arange(THRESHOLDS, dtype=jnp.uint8)[:, None]

    def add_river(river: Array, total: Array) -> Array:
        row, order = (jax.lax.dynamic_index_in_dim(of, river, axis=1, keepdims=False) for of in (rows, orders))
        of_combo = bins[row[:, None], renamed[order].astype(jnp.int32)]  # [b, 1326]
        return total + (kept(of_combo)[:, None] <= threshold).astype(jnp.uint8)

    start = jnp.zeros((rows.shape[0], THRESHOLDS, NUM_COMBOS), jnp.uint8)
    return jax.lax.fori_loop(0, rows.shape[1], add_river, start)


def flop_counts(flops: NextBoards, turn_classes: np.ndarray, counts: np.ndarray, progress: Progress) -> np.ndarray:
    """[n, 32, 1326] uint16: cumulative counts on the flops, from ``counts`` of ``turn_classes`` ``[m]``, ascending."""
    rows = np.searchsorted(turn_classes, flops.next_class)
    renamed = isomorphism.renamed_combos().astype(np.int64)
    totals = np.zeros((len(rows), THRESHOLDS, NUM_COMBOS), np.uint16)
    for flop, total in enumerate(totals):
        progress("distributions on the flop", flop / len(rows))
        for row, order in zip(rows[flop].tolist(), flops.next_order[flop].tolist(), strict=True):
            total += counts[row].take(renamed[order], axis=1)
    return totals


def preflop_counts(flop_classes: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[169] int64: rivers of all combos of each class of hands before the flop, and [32, 169] their cumulative counts.

    ``counts`` ``[n, 32, 1326]`` are those of ``flop_classes`` ``[n]``, each of which stands for its flops in all suits.
    """
    flops = isomorphism.classes(3)
    times = flops.times[flop_classes].astype(np.int64)
    total = RIVERS[3] * (times @ ~blocked(flops.cards[flop_classes]))
    below = np.zeros((THRESHOLDS, NUM_COMBOS), np.int64)
    for of_flop, number in zip(counts, times.tolist(), strict=True):
        below += number * of_flop.astype(np.int64)
    of_class = [np.bincount(ranges.CLASS_OF_COMBO, row, ranges.NUM_CLASSES) for row in (total, *below)]
    return of_class[0].astype(np.int64), np.stack(of_class[1:]).astype(np.int64)
