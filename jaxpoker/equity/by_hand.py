"""The share of the pot that one hand has against each of the 1,326 others; equity against a range is a mean of them."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands, ranges
from jaxpoker.equity.boards import combo_masks, rank_masks
from jaxpoker.equity.matchups import matchups
from jaxpoker.equity.showdowns import Masks, columns, four, join, outcome, overlap, strength, subsets, undealt

Array = jax.Array


def hole_masks() -> Masks:
    """Rank masks ``[1326]`` of all combos, by suit."""
    return four(jnp.asarray(_hole_masks()))


@functools.cache
def _hole_masks() -> np.ndarray:
    return rank_masks(combo_masks()).astype(np.int32)  # [4, 1326]


def share_by_hand(hole: Array, board: Array) -> Array:
    """``[1326]``: of the pot, that ``hole`` ``[2]`` wins from each hand in the mean over the boards that ``board``
    ``[n]``, n = 0, 3, 4 or 5, may become when both hold their cards. What is there for impossible hands means nothing.

    Before the flop it is looked up by class of hands: a mean over suits, which is exact for ranges that do not tell the
    suits of a class apart.
    """
    cards.require_board(board.size)
    if board.size == 0:
        of_class = jnp.asarray(ranges.CLASS_OF_COMBO)
        mine = of_class[ranges.combo_index(hole[0], hole[1])]
        return jnp.asarray(matchups().equity, jnp.float32)[mine][of_class]
    deck = undealt(jnp.concatenate([hole, board]))
    missing = 5 - board.size
    runout = subsets(deck[:, None], missing)  # [r, 1], on the river []
    full_board = join(hands.suit_masks(columns(board)), runout)
    ours, theirs = strength(full_board, hands.suit_masks(columns(hole))), strength(full_board, hole_masks())
    half_wins = jnp.where(overlap(runout, hole_masks()), 0, outcome(ours, theirs, win=2, tie=1))  # [r, 1326]
    half_wins = half_wins.reshape(-1, ranges.NUM_COMBOS).sum(axis=0, dtype=jnp.int32)
    return half_wins / (2 * math.comb(deck.size - 2, missing))


def possible_hands(known: Array) -> Array:
    """``[1326]`` bool: hands without any of the ``known`` cards ``[n]``; ``NO_CARD`` among them blocks nothing."""
    return (jnp.asarray(ranges.COMBOS)[:, :, None] != known).all(axis=(1, 2))
