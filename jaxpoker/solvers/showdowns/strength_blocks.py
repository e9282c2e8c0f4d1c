"""What hands win from each other on a board, in blocks of hands in the order of their strength: all of it products.

    blocks = strength_blocks.of(hand_cards, strengths, num_cards)
    strength_blocks.showdowns(blocks, weights)            # weight of the weaker hands less that of the stronger ones
    strength_blocks.rivals(blocks, weights)               # weight of all hands that share no card

Cards that two hands cannot share are taken out exactly. Of a hand i with cards a, b and a hand j, let

    in(j)  = (1, 1 at each card of j, 0 elsewhere),   out(i) = (1, -1 at a and at b, 0 elsewhere)

Then out(i) . in(j) is 1 when they share no card, 0 when they share one, and -1 when they are the same hand. So a sum
over all hands of a block that share no card with i is out(i) times the block's sum of in(j) w(j): one short vector a
block, whichever hand i asks. Hands are cut into blocks such that two hands of different blocks compare as their blocks
do: equal hands stay in one block, or fill several that have nothing else. Between blocks the vectors are added with the
sign of the comparison; within a block there is a small matrix of signs. With H hands in blocks of 48 that is about
150 H products instead of H x H, and nothing is sorted, gathered or summed up step by step.

Arrays are ``[boards, blocks, n, hands]``: n independent rows, such as ends of a betting tree. A place without a hand
weighs nothing, and what comes out for it means nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array

NO_HAND = -1
_PRECISION = jax.lax.Precision.HIGHEST  # signs cancel: accelerators would round to fewer bits


class Blocks(NamedTuple):
    """B boards, N blocks of L hands each, C - 1 cards that hands are made of."""

    cards_in: Array  # [B, N, L, C] float32: in(j)
    cards_out: Array  # [B, N, C, L] float32: out(i)
    within: Array | None = None  # [B, N, L, L] float32: sign of i against j at [j, i], 0 if they share a card
    between: Array | None = None  # [B, N, N] float32: sign of the first block against the second


def of(hand_cards: Array | np.ndarray, strengths: Array | np.ndarray | None, num_cards: int) -> Blocks:
    """Blocks of ``hand_cards`` ``[B, N, L, 2]``, numbers below ``num_cards`` or ``NO_HAND``, with ``strengths``
    ``[B, N, L]``; without them only for ``rivals``.
    """
    hand_cards = jnp.asarray(hand_cards)
    low, high = hand_cards[..., 0], hand_cards[..., 1]  # comparisons are written out: reductions of two are slow
    holds = (low[..., None] == np.arange(num_cards)) | (high[..., None] == np.arange(num_cards))  # [B, N, L, cards]
    real = (hand_cards[..., :1] != NO_HAND).astype(jnp.float32)
    cards_in = jnp.concatenate([real, holds.astype(jnp.float32)], axis=-1)
    cards_out = jnp.swapaxes(jnp.concatenate([real, -holds.astype(jnp.float32)], axis=-1), -1, -2)
    if strengths is None:
        return Blocks(cards_in, cards_out)
    strengths = jnp.asarray(strengths)
    shared = [one[..., :, None] == other[..., None, :] for one in (low, high) for other in (low, high)]
    apart = ~(shared[0] | shared[1] | shared[2] | shared[3])
    within = jnp.where(apart, jnp.sign(strengths[..., None, :] - strengths[..., :, None]), 0).astype(jnp.float32)
    of_block = strengths[..., 0]
    between = jnp.sign(of_block[..., :, None] - of_block[..., None, :]).astype(jnp.float32)
    return Blocks(cards_in, cards_out, within, between)


def rivals(blocks: Blocks, weights: Array) -> Array:
    """``[B, N, n, L]``: the weight of the hands that share no card with each one."""
    sums = _product(weights, blocks.cards_in).sum(axis=1, keepdims=True)  # [B, 1, n, C]
    everywhere = jnp.broadcast_to(sums, (*weights.shape[:3], sums.shape[-1]))
    return _product(everywhere, blocks.cards_out) + weights


def showdowns(blocks: Blocks, weights: Array) -> Array:
    """``[B, N, n, L]``: the weight of the weaker hands less that of the stronger ones, of those that share no card."""
    assert blocks.within is not None and blocks.between is not None, "made without strengths"
    sums = _product(weights, blocks.cards_in)  # [B, N, n, C]
    flat = sums.reshape(*sums.shape[:2], -1)
    compared = _product(blocks.between, flat).reshape(sums.shape)
    return _product(compared, blocks.cards_out) + _product(weights, blocks.within)


def _product(a: Array, b: Array) -> Array:
    return jnp.matmul(a, b, precision=_PRECISION)


# --- which hand goes where ----------------------------------------------------------------------


def places(strengths: np.ndarray, length: int) -> np.ndarray:
    """``[n]`` int: a place for each of n hands with ``strengths`` ``[n]``, block * length + place in the block.

    Hands go up in strength. Equal ones are put into one block; those that are more than a block fill several, which
    have nothing else.
    """
    order = np.argsort(strengths, kind="stable")
    _, starts = np.unique(strengths[order], return_index=True)
    sizes = np.diff(np.append(starts, len(order)))
    first = np.empty(len(sizes), np.int64)
    at = 0
    for group, size in enumerate(sizes.tolist()):
        room = -at % length  # left in the block that is begun
        if size > room and room:
            at += room
        first[group] = at
        at += size
        if size > length:
            at += -at % length
    found = np.empty(len(order), np.int64)
    found[order] = np.repeat(first - starts, sizes) + np.arange(len(order))
    return found
