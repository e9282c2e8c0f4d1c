"""Equity against one random hand: jittable functions on batches of hole cards and boards."""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import arguments, cards, hands, ranges
from jaxpoker.cards import NO_CARD
from jaxpoker.equity.results import mean_and_error
from jaxpoker.equity.showdowns import CHUNK, columns, join, outcome, overlap, strength, subsets, undealt, unpack

_SAMPLES_AT_ONCE = 1 << 18


class EquityEstimate(NamedTuple):
    """A mean and its standard error, arrays of one shape."""

    mean: jax.Array
    standard_error: jax.Array


def _require_cards(hole: jax.Array, board: jax.Array, board_sizes: tuple[int, ...]) -> None:
    if hole.ndim == 0 or hole.shape[-1] != 2:
        raise ValueError(f"hole cards are [..., 2] ids; got shape {hole.shape}")
    if board.ndim == 0 or board.shape[-1] not in board_sizes:
        raise ValueError(f"a board here is [..., n] ids with n in {board_sizes}; got shape {board.shape}")
    known = arguments.known(board)
    if known is not None:
        for open_cards in np.unique((known != NO_CARD).sum(axis=-1)).tolist():
            cards.require_board(open_cards)


# --- exact ------------------------------------------------------------------------------------


def preflop_against_random(hole: jax.Array | np.ndarray) -> jax.Array:
    """Exact equity [...] of hole cards [..., 2] before the flop against one random hand, from the shipped table."""
    hole = jnp.asarray(hole, jnp.int32)
    of_combo = ranges.preflop_table().equity.astype(np.float32)[ranges.CLASS_OF_COMBO]
    return jnp.asarray(of_combo)[ranges.combo_index(hole[..., 0], hole[..., 1])]


def against_random(hole: jax.Array | np.ndarray, board: jax.Array | np.ndarray) -> jax.Array:
    """Exact equity [...] of hole cards [..., 2] on boards [..., n], n = 0, 3, 4 or 5, against one random hand.

    That is P(win) + P(tie) / 2 over all hands and runouts: 990 on the river, 45,540 on the turn, 1,070,190 on the
    flop; before the flop it is looked up. Jittable; leading axes of hole and board are broadcast.
    """
    hole, board = jnp.asarray(hole, jnp.int32), jnp.asarray(board, jnp.int32)
    _require_cards(hole, board, (0, 3, 4, 5))
    shape = jnp.broadcast_shapes(hole.shape[:-1], board.shape[:-1])
    if board.shape[-1] == 0:
        return jnp.broadcast_to(preflop_against_random(hole), shape)
    hole = jnp.broadcast_to(hole, (*shape, 2)).reshape(-1, 2)
    board = jnp.broadcast_to(board, (*shape, board.shape[-1])).reshape(-1, board.shape[-1])
    deals_per_hand = {3: 1081 * 1081, 4: 46 * 1035, 5: 990}[board.shape[-1]]
    at_once = max(1, (1 << 20) // deals_per_hand)
    equities = jax.lax.map(lambda one: _one_against_random(*one), (hole, board), batch_size=at_once)
    return equities.reshape(shape)


@jax.jit
def _one_against_random(hole: jax.Array, board: jax.Array) -> jax.Array:
    """Exact equity of one hand [2] on one board [3], [4] or [5], by all runouts and all hands."""
    deck = undealt(jnp.concatenate([hole, board]))
    missing = 5 - board.size
    hero, villain = hands.suit_masks(columns(hole)), subsets(deck, 2)  # [], [v]
    runout = subsets(deck[:, None], missing)  # [r, 1], on the river []
    full_board = join(hands.suit_masks(columns(board)), runout)
    half_wins = outcome(strength(full_board, hero), strength(full_board, villain), win=2, tie=1)  # [r, v]
    if missing:
        half_wins = jnp.where(overlap(runout, villain), 0, half_wins)
    deals = math.comb(deck.size, missing) * math.comb(deck.size - missing, 2)
    return half_wins.sum(dtype=jnp.int32).astype(jnp.float32) / (2 * deals)


# --- Monte Carlo ------------------------------------------------------------------------------


def sample_against_random(
    key: jax.Array, hole: jax.Array | np.ndarray, board: jax.Array | np.ndarray, samples: int
) -> EquityEstimate:
    """Monte Carlo equity [...] of hole cards [..., 2] against one random hand, and its standard error.

    ``board`` is [..., 5] ids, ``NO_CARD`` where a card is still to come: none, one, two or all five. Jittable with
    static ``samples``; one key serves the whole batch.
    """
    hole, board = jnp.asarray(hole, jnp.int32), jnp.asarray(board, jnp.int32)
    _require_cards(hole, board, (5,))
    return _sample(key, hole, board, 5, samples)


def win_probabilities(
    key: jax.Array, hole: jax.Array | np.ndarray, board: jax.Array | np.ndarray, samples: int
) -> jax.Array:
    """[..., 4]: equity of hole cards [..., 2] against one random hand preflop, on the flop, turn and river.

    ``board`` is the whole board [..., 5]; on each street only the cards open by then count. Preflop and river are
    exact, flop and turn come from ``samples`` deals each. Jittable with static ``samples``.
    """
    hole, board = jnp.asarray(hole, jnp.int32), jnp.asarray(board, jnp.int32)
    _require_cards(hole, board, (5,))
    flop_key, turn_key = jax.random.split(key)
    flop = _sample(flop_key, hole, board[..., :3], 2, samples).mean
    turn = _sample(turn_key, hole, board[..., :4], 1, samples).mean
    preflop = jnp.broadcast_to(preflop_against_random(hole), flop.shape)
    return jnp.stack([preflop, flop, turn, against_random(hole, board)], axis=-1)


def _sample(key: jax.Array, hole: jax.Array, board: jax.Array, missing: int, samples: int) -> EquityEstimate:
    """``sample_against_random`` with ``missing`` board cards dealt to every hand."""
    if samples < 1:
        raise ValueError(f"cannot estimate from {samples} samples: take 1 or more")
    shape = jnp.broadcast_shapes(hole.shape[:-1], board.shape[:-1])
    hole_columns, board_columns = columns(hole[..., None, :]), columns(board[..., None, :])
    at_once = min(samples, max(1, _SAMPLES_AT_ONCE // max(1, math.prod(shape))))

    def sums(block: jax.Array | int, count: int) -> jax.Array:
        """[2, *shape]: wins and ties."""
        block_key = jax.random.fold_in(key, block)
        packed = _wins_and_ties(block_key, hole_columns, board_columns, missing, (*shape, count))
        whole = count - count % CHUNK
        chunks = packed[..., :whole].reshape(*shape, -1, CHUNK).sum(axis=-1, dtype=jnp.int32)
        rest = packed[..., whole:].sum(axis=-1, dtype=jnp.int32)
        return unpack(jnp.concatenate([chunks, rest[..., None]], axis=-1), 16)

    blocks, rest = divmod(samples, at_once)
    total = jax.lax.fori_loop(
        0, blocks, lambda block, total: total + sums(block, at_once), jnp.zeros((2, *shape), jnp.int32)
    )
    if rest:
        total = total + sums(blocks, rest)
    return EquityEstimate(*mean_and_error(total[0], total[1], samples - total[0] - total[1]))


def _wins_and_ties(
    key: jax.Array, hole: list[jax.Array], board: list[jax.Array], missing: int, shape: tuple[int, ...]
) -> jax.Array:
    """1 for a win, 1 << 16 for a tie, 0 for a loss in one random deal per entry of ``shape``.

    ``board`` columns may hold ``NO_CARD``, of which ``missing`` at most are dealt.
    """
    dealt = cards.deal_columns(key, 2 + missing, shape, [*hole, *board], fused=True)
    runout = dealt[2:]
    if len(board) + missing > 5:  # padded: each gap in the board takes the dealt card of its own place
        full = [jnp.where(card == NO_CARD, new, card) for card, new in zip(board, runout, strict=True)]
    else:
        full = [*board, *runout]
    masks = hands.suit_masks(full)
    ours, theirs = (strength(masks, hands.suit_masks(pair)) for pair in (hole, dealt[:2]))
    return outcome(ours, theirs, win=1, tie=1 << 16)
