"""Exact equity: every combination of hands on every runout."""

from __future__ import annotations

import math
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import ranges
from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity import boards
from jaxpoker.equity.results import Equities, Equity, exact_pair
from jaxpoker.equity.showdowns import Masks, best_of, four, join, outcome, overlap, strength, unpack
from jaxpoker.equity.table import Table
from jaxpoker.ranges import COMBOS


def from_preflop_table(table: Table) -> Equities:
    """Any range against one random hand before the flop."""
    hero = 0 if table.is_random[1] else 1
    counts = ranges.preflop_table()
    win, tie = (count[ranges.CLASS_OF_COMBO] for count in (counts.win, counts.tie))
    deals_each = int(counts.win[0] + counts.tie[0] + counts.lose[0])
    return exact_pair(table.weights[hero], win, tie, deals_each, swap=hero == 1)


# --- runouts ----------------------------------------------------------------------------------


def _symmetries(table: Table) -> boards.SuitOrders:
    """With two cards or less to come there are too few boards to look for symmetries."""
    if table.missing < 3:
        return ((0, 1, 2, 3),)
    return boards.symmetries(table.weights, [boards.mask(table.board), boards.mask(table.dead)])


def _runouts(table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``boards.runout_chunks``, and rank masks [4] of the board and of the cards that cannot come.

    Those are the board, the dead cards and the hands of players who have only one. Where there are many runouts
    those are left in, so that the chunks of one set of symmetries serve all hands.
    """
    held = [table.combos(i) for i in range(len(table.weights))]
    only = [card for combos in held if combos.size == 1 for card in COMBOS[combos[0]].tolist()]
    board, gone = boards.mask(table.board), boards.mask({*table.board, *table.dead, *only})
    chunks = boards.runout_chunks(table.missing, _symmetries(table), gone if table.missing < 3 else 0)
    masks = boards.rank_masks(np.asarray([board, gone], np.uint64)).astype(np.int32)
    return chunks, masks[:, 0], masks[:, 1]


def _parts(chunks: np.ndarray, step: int) -> Iterator[np.ndarray]:
    """``step`` chunks after ``step`` chunks; the last of several parts is filled up with boards that count 0 times."""
    for start in range(0, len(chunks), step):
        part = chunks[start : start + step]
        short = step - len(part) if start else 0
        yield np.pad(part, ((0, short), (0, 0), (0, 0)))


def _masks_and_times(chunks: jax.Array) -> tuple[Masks, jax.Array]:
    """Rank masks [chunks, boards] of a part of ``boards.runout_chunks``, and how often each board counts."""
    rows = jnp.moveaxis(chunks, 1, 0).astype(jnp.int32)
    return four(rows), rows[4]


# --- two players ------------------------------------------------------------------------------


def _padded_size(count: int) -> int:
    """Few different sizes, so that ``_compare_pairs`` is compiled for few shapes."""
    for size in (1, 8, 16, 32, 64):
        if count <= size:
            return size
    return -(-count // 128) * 128


def cost_of_two_ranges(table: Table) -> float:
    """Comparisons of two hands that the enumeration takes; an evaluation costs about eight."""
    number = math.comb(NUM_CARDS - len(table.board), table.missing) / len(_symmetries(table))
    sizes = [_padded_size(size) for size in table.sizes]
    return number * (math.prod(sizes) + 8 * sum(sizes))


def two_ranges(table: Table) -> Equities:
    """Two players: every pair of hands on every runout."""
    small, large = sorted((0, 1), key=lambda i: table.sizes[i])
    a, b = table.combos(small), table.combos(large)
    disjoint = ~(COMBOS[a][:, None, :, None] == COMBOS[b][None, :, None, :]).any(axis=(2, 3))
    pair_weights = np.outer(table.weights[small][a].astype(np.float64), table.weights[large][b]) * disjoint
    if not pair_weights.any():
        raise ValueError("these ranges cannot be dealt together: each hand of one clashes with each of the other")
    chunks, board, gone = _runouts(table)
    masks = _hand_masks(a), _hand_masks(b)
    step = max(1, (1 << 20) // ((masks[0].shape[1] + masks[1].shape[1]) * chunks.shape[2]))
    counts = np.zeros((2, a.size, b.size), np.int64)
    for part in _parts(chunks, step):
        counts += np.asarray(_compare_pairs(*masks, board, gone, part))[:, : a.size, : b.size]
    runouts = math.comb(NUM_CARDS - len(table.board) - len(table.dead) - 4, table.missing)
    return exact_pair(pair_weights, counts[0], counts[1], runouts, swap=small == 1)


def _hand_masks(combos: np.ndarray) -> np.ndarray:
    """[4, padded] int32 rank masks of combos (numbers), zero where padded."""
    masks = np.zeros((4, _padded_size(combos.size)), np.int32)
    masks[:, : combos.size] = boards.rank_masks(boards.combo_masks()[combos])
    return masks


@jax.jit
def _compare_pairs(
    hero: jax.Array, villain: jax.Array, board: jax.Array, gone: jax.Array, chunks: jax.Array
) -> jax.Array:
    """[2, H, V] int32: on how many boards each hero hand beats and ties each villain hand.

    hero [4, H], villain [4, V], board [4] (the known part) and gone [4] (cards that cannot come) are rank masks
    and chunks is a part of ``boards.runout_chunks``. A board that blocks either hand counts for neither.
    """
    runout, times = _masks_and_times(chunks)
    full_board = join(runout, four(board))

    def strengths(hand: jax.Array, blockers: jax.Array, blocked: int) -> jax.Array:  # [hands, chunks, boards]
        of_hand = four(hand[:, :, None, None])
        hit = overlap(runout, join(of_hand, four(blockers)))
        return jnp.where(hit, blocked, strength(full_board, of_hand))

    ours = strengths(hero, gone, -1)
    theirs = strengths(villain, jnp.zeros_like(gone), np.iinfo(np.int32).max)

    def against_all(one: jax.Array) -> jax.Array:  # [chunks, boards] -> [2, V]
        packed = outcome(one, theirs, win=times, tie=times << 16)
        return unpack(packed.sum(axis=-1, dtype=jnp.int32), 16)

    if hero.shape[-1] == 1:
        return against_all(ours[0])[:, None]
    return jnp.moveaxis(jax.lax.map(against_all, ours), 0, 1)


# --- any number of players with one hand each -------------------------------------------------


def single_hands(table: Table) -> Equities:
    """Players with one hand each: every runout."""
    combos = np.concatenate([table.combos(i) for i in range(len(table.weights))])
    chunks, board, gone = _runouts(table)
    masks = boards.rank_masks(boards.combo_masks()[combos]).T.astype(np.int32)
    counts = np.zeros((combos.size, combos.size + 1), np.int64)
    for part in _parts(chunks, step=64):
        counts += np.asarray(_compare_all(masks, board, gone, part))
    deals = int(counts[0].sum())
    results = []
    for player in counts:
        shares = sum(int(count) / k for k, count in enumerate(player) if k)
        won, tied, lost = int(player[1]), int(player[2:].sum()), int(player[0])
        results.append(Equity(shares / deals, won / deals, tied / deals, 0.0, deals, True, (won, tied, lost)))
    return Equities(results)


@jax.jit
def _compare_all(hand: jax.Array, board: jax.Array, gone: jax.Array, chunks: jax.Array) -> jax.Array:
    """[P, P + 1] int32: on how many boards each of P hands (rank masks [P, 4]) is among k best hands, k = 0..P."""
    runout, times = _masks_and_times(chunks)
    times = jnp.where(overlap(runout, four(gone)), 0, times)
    full_board = join(runout, four(board))
    # lax.map over players: XLA would fuse, and so repeat, the evaluation of all hands into each sum.
    strengths = jax.lax.map(lambda one: strength(full_board, four(one)), hand)
    best, sharing = best_of(strengths)

    def counts(strength: jax.Array) -> jax.Array:
        shared_by = jnp.where(strength == best, sharing, 0)
        return jnp.stack([jnp.where(shared_by == k, times, 0).sum() for k in range(hand.shape[0] + 1)])

    return jax.lax.map(counts, strengths)
