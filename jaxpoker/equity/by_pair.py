"""The share of the pot that each of the 1,326 hands has against each other one: a matrix for a board."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands, ranges
from jaxpoker.equity.by_hand import hole_masks, possible_hands
from jaxpoker.equity.matchups import matchups
from jaxpoker.equity.showdowns import columns, join, overlap, strength, subsets, undealt

Array = jax.Array

_ROWS = 34  # hands that are compared with all others at once: their counts stay in the cache
_BOARDS = 16  # of these, added up before the counts are written
_NEVER_WINS, _NEVER_LOSES = -1, np.iinfo(np.int32).max  # strengths of a hand whose cards are on the board


def share_by_pair(board: Array) -> Array:
    """``[1326, 1326]`` float32: of the pot, that hand i wins from hand j in the mean over the boards that ``board``
    ``[n]``, n = 0, 3, 4 or 5, may become when both hold their cards; 0 where they cannot.

    Before the flop it is looked up by class of hands: a mean over suits, which is exact when one of the two ranges does
    not tell the suits of a class apart.
    """
    cards.require_board(board.size)
    together = jnp.asarray(_share_no_card()) & possible_hands(board) & possible_hands(board)[:, None]
    if board.size == 0:
        of_class = jnp.asarray(ranges.CLASS_OF_COMBO)
        share = jnp.asarray(matchups().equity, jnp.float32)[of_class][:, of_class]
        return jnp.where(together, share, 0)
    missing = 5 - board.size
    runout = subsets(undealt(board)[:, None], missing)  # [r, 1], on the river []
    strengths = strength(join(hands.suit_masks(columns(board)), runout), hole_masks()).reshape(-1, ranges.NUM_COMBOS)
    gone = overlap(runout, hole_masks()).reshape(-1, ranges.NUM_COMBOS) | ~possible_hands(board)
    ahead = _times_ahead(jnp.where(gone, _NEVER_WINS, strengths), jnp.where(gone, _NEVER_LOSES, strengths))
    boards = math.comb(52 - board.size - 4, missing)
    return jnp.where(together, 0.5 + (ahead - ahead.T) / (2 * boards), 0)


def _times_ahead(own: Array, other: Array) -> Array:
    """``[n, n]`` int32: on how many of r boards ``own[:, i]`` is above ``other[:, j]``, both ``[r, n]``."""
    boards, n = own.shape
    pad = ((0, -boards % _BOARDS), (0, 0))
    own, other = (jnp.pad(x, pad, constant_values=v) for x, v in ((own, _NEVER_WINS), (other, _NEVER_LOSES)))
    own, other = own.reshape(-1, min(_BOARDS, len(own)), n), other.reshape(-1, min(_BOARDS, len(own)), n)

    def of_rows(first: Array) -> Array:
        rows = jax.lax.dynamic_slice_in_dim(own, first, _ROWS, axis=2)

        def add(i: Array, counts: Array) -> Array:
            above = [(rows[i, b][:, None] > other[i, b]).astype(jnp.int16) for b in range(rows.shape[1])]
            return counts + sum(above)

        return jax.lax.fori_loop(0, len(own), add, jnp.zeros((_ROWS, n), jnp.int16))

    return jax.lax.map(of_rows, jnp.arange(0, n, _ROWS)).reshape(n, n).astype(jnp.int32)


def _share_no_card() -> np.ndarray:
    """``[1326, 1326]`` bool."""
    held = ranges.COMBOS
    return ~(held[:, None, :, None] == held[None, :, None, :]).any(axis=(2, 3))
