"""Two known hands that are all-in: what each may expect of the pot, street by street. Jittable, on batches."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from jaxpoker import cards, hands, ranges
from jaxpoker.equity.matchups import matchups
from jaxpoker.equity.showdowns import columns, join, outcome, strength, subsets, undealt

_DEALS_AT_ONCE = 256  # of 990 run-outs each


def all_in_shares(hole: jax.Array, board: jax.Array) -> jax.Array:
    """[..., 4]: the first hand's expected part of the pot when both are all-in preflop, on the flop, turn and river.

    ``hole`` is [..., 2, 2], two hands; ``board`` [..., 5], of which only the cards open on a street count there, and
    all others are dealt out: 990 run-outs on the flop and 44 on the turn. Before the flop it is the mean over all
    deals of the two classes of hands (AKs against QQ), so that an average over deals is right and a single one may be
    off by the suits. Half of a tie counts.
    """
    if board.shape[-1] != 5:
        raise ValueError(f"a whole board here is [..., 5] ids; got shape {board.shape}")
    shape = board.shape[:-1]
    hole, board = hole.reshape(-1, 2, 2), board.reshape(-1, 5)
    of_class = ranges.CLASS_OF_COMBO
    first, second = (jnp.asarray(of_class)[ranges.combo_index(hole[:, i, 0], hole[:, i, 1])] for i in range(2))
    preflop = jnp.asarray(matchups().equity, jnp.float32)[first, second]
    flop, turn = (
        jax.lax.map(lambda deal, n=known: _share(deal[0], deal[1][:n]), (hole, board), batch_size=_DEALS_AT_ONCE)
        for known in (3, 4)
    )
    river = jax.vmap(_share)(hole, board)
    return jnp.stack([preflop, flop, turn, river], axis=-1).reshape(*shape, 4)


def all_in_share(hole: jax.Array, board: jax.Array) -> jax.Array:
    """[n]: the first hand's expected part of the pot when both of ``hole`` [n, 2, 2] are all-in and ``board`` [n, m],
    m = 3, 4 or 5, is open.
    """
    cards.require_board(board.shape[-1])
    found: jax.Array = jax.lax.map(lambda deal: _share(*deal), (hole, board), batch_size=_DEALS_AT_ONCE)
    return found


def _share(hole: jax.Array, board: jax.Array) -> jax.Array:
    """[]: of the first of two hands [2, 2] on a board [n], over all run-outs."""
    deck = undealt(jnp.concatenate([hole.reshape(-1), board]))
    missing = 5 - board.size
    full_board = join(hands.suit_masks(columns(board)), subsets(deck, missing))  # [r], on the river []
    ours, theirs = (strength(full_board, hands.suit_masks(columns(hole[i]))) for i in range(2))
    half_wins = outcome(ours, theirs, win=2, tie=1).sum(dtype=jnp.int32)
    return half_wins.astype(jnp.float32) / (2 * math.comb(deck.size, missing))
