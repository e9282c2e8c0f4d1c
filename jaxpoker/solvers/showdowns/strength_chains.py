"""What the live hands of a board win from each other, by prefix sums along chains.

    chains = strength_chains.of(board)
    strength_chains.showdowns(chains, weights)            # weight of the weaker hands less that of the stronger ones
    strength_chains.rivals(chains, weights)               # weight of all hands that share no card

A board of five leaves 47 cards and 1,081 hands, here weakest first. A *chain* is a list of hands that goes up in
strength: the 46 hands that hold a card, for each of 47 cards, and all hands, cut into 23 pieces of 47. With P(x) the
sum of the weights of the first x hands of a chain, W the sum of all, and l and h the numbers of hands that are weaker,
and not stronger, than hand i,

    weaker - stronger = P(l) - (W - P(h)) = P(l) + P(h) - W

of all hands, and the same of the two chains of cards that i holds is what has to be taken away. Equal hands cancel, the
hand itself as well. All prefix sums of one length are one addition of wide rows: 47 additions in all.

Weights are ``[1081, n]``: n independent columns, such as ends of a betting tree. A processor is fastest with some 256
of them, which stay in its cache. Accelerators take one product with the matrix of all comparisons instead.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers.showdowns.showdown_sums import strengths

Array = jax.Array

LIVE_CARDS = cards.NUM_CARDS - 5
LIVE_HANDS = LIVE_CARDS * (LIVE_CARDS - 1) // 2  # 1,081
HANDS_OF_CARD = LIVE_CARDS - 1
PIECES, LENGTH = 23, 47  # of the chain of all hands
_CHAINS = PIECES + LIVE_CARDS


class Chains(NamedTuple):
    """The live hands of a board, weakest first, and where their prefix sums stand.

    A prefix sum has the place (hands before it in its chain) * (chains) + chain, pieces of all hands first.
    """

    hands: Array  # [1081] int32: of ``ranges.COMBOS``
    strengths: Array  # [1081] int32, ascending
    cards: Array  # [1081, 2] int32: of the live cards, below 47
    steps: Array  # [47, chains] int32: the hands of all chains, step after step; those of cards have one too many
    weaker: Array  # [3, 1081] int32: places of P(l), of all hands and of the chains of both cards
    not_stronger: Array  # [3, 1081] int32: places of P(h)
    pieces: Array  # [2, 1081] int32: how many whole pieces come before l and before h


def of(board: Array) -> Chains:
    """Of a ``board`` ``[5]``."""
    of_hand = jnp.where(possible_hands(board), strengths(board), jnp.iinfo(jnp.int32).max)
    hands = jnp.argsort(of_hand)[:LIVE_HANDS].astype(jnp.int32)
    ascending = of_hand[hands]
    counts = [jnp.searchsorted(ascending, ascending, side=side).astype(jnp.int32) for side in ("left", "right")]

    is_open = (jnp.arange(cards.NUM_CARDS)[:, None] == board).any(axis=1)
    live = jnp.cumsum(~is_open) - 1
    held = live[jnp.asarray(COMBOS)[hands]].astype(jnp.int32)  # [1081, 2]
    by_card = jnp.argsort(held.reshape(-1), stable=True).astype(jnp.int32)  # [47 * 46] places of [1081, 2]
    chain = (by_card // 2).reshape(LIVE_CARDS, HANDS_OF_CARD)
    place = jnp.zeros(2 * LIVE_HANDS, jnp.int32).at[by_card].set(jnp.arange(2 * LIVE_HANDS, dtype=jnp.int32))
    along = ascending[chain]
    compared = (along[:, None] < along[:, :, None], along[:, None] <= along[:, :, None])  # [47, 46, 46]

    def places(of_all: Array, less: Array) -> Array:
        """``[3, 1081]``: of the first ``of_all`` hands, and of those that are ``less`` than each hand of a card."""
        piece, step = of_all // LENGTH, of_all % LENGTH
        in_pieces = jnp.where(piece == PIECES, 0, step * _CHAINS + piece)  # all hands: no hand of a further piece
        in_cards = less.sum(axis=-1, dtype=jnp.int32).reshape(-1)[place].reshape(LIVE_HANDS, 2) * _CHAINS
        return jnp.concatenate([in_pieces[None], (in_cards + PIECES + held).T])

    steps_of_all = np.arange(LENGTH)[:, None] + LENGTH * np.arange(PIECES)
    return Chains(
        hands=hands,
        strengths=ascending,
        cards=held,
        steps=jnp.concatenate([steps_of_all, jnp.pad(chain.T, ((0, 1), (0, 0)))], axis=1).astype(jnp.int32),
        weaker=places(counts[0], compared[0]),
        not_stronger=places(counts[1], compared[1]),
        pieces=jnp.stack(counts) // LENGTH,
    )


def rivals(chains: Chains, weights: Array) -> Array:
    """``[1081, n]``: the weight of the hands that share no card with each one."""
    first, second = chains.cards.T
    of_card = jax.ops.segment_sum(weights, first, LIVE_CARDS) + jax.ops.segment_sum(weights, second, LIVE_CARDS)
    return of_card.sum(axis=0) / 2 - of_card[first] - of_card[second] + weights  # a hand has two cards


def showdowns(chains: Chains, weights: Array) -> Array:
    """``[1081, n]``: the weight of the weaker hands less that of the stronger ones, of those that share no card."""
    return jax.lax.platform_dependent(chains, weights, cpu=_by_prefix_sums, default=_by_product)


def _by_product(chains: Chains, weights: Array) -> Array:
    apart = (chains.cards[:, None, :, None] != chains.cards[:, None]).all(axis=(2, 3))  # [1081, 1081]
    wins = jnp.where(apart, jnp.sign(chains.strengths[:, None] - chains.strengths), 0).astype(weights.dtype)
    return jnp.matmul(wins, weights, precision=jax.lax.Precision.HIGHEST)  # accelerators would round to fewer bits


def _by_prefix_sums(chains: Chains, weights: Array) -> Array:
    along = weights[chains.steps]  # [47, chains, n]
    nothing = jnp.zeros(along.shape[1:], weights.dtype)
    _, sums = jax.lax.scan(lambda before, one: (before + one, before), nothing, along)  # [47, chains, n]
    last = sums[-1]  # of 46 hands: all that hold a card, and all but one of a piece
    of_pieces = last[:PIECES] + along[-1, :PIECES]
    before_piece = jnp.concatenate([jnp.zeros_like(of_pieces[:1]), jnp.cumsum(of_pieces, axis=0)])  # [24, n]
    of_card = last[PIECES:]
    first, second = chains.cards.T
    prefix = sums.reshape(-1, weights.shape[1])
    lower, upper = chains.weaker, chains.not_stronger
    everyone = prefix[lower[0]] + before_piece[chains.pieces[0]] + prefix[upper[0]] + before_piece[chains.pieces[1]]
    sharing = prefix[lower[1]] + prefix[lower[2]] + prefix[upper[1]] + prefix[upper[2]]
    return everyone - sharing - (before_piece[-1] - of_card[first] - of_card[second])
