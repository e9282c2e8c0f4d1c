"""What a hold'em player works out from the cards it sees."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp

from jaxpoker import equity
from jaxpoker.games.holdem.table import STREETS, State
from jaxpoker.games.seats import of_seat

Array = jax.Array

WIN_SAMPLES = 200  # where a win probability is neither dealt nor exact
WIN_STREAM = 2**31 - 1  # of a decision's key, far from the words that the player itself draws


def win_probability(state: State, seat: Array, key: Array) -> Array:
    """``[]`` P(win) + P(tie) / 2 of ``seat``'s hand on the board so far against one random hand.

    Read from the deal where it comes with win probabilities (``game.deal(key, shape, win_samples=n)``), which costs
    next to nothing and does not use ``key``; ``game.resample_hidden`` leaves NaN there for hands that it drew anew.
    Else exact before the flop and on the river, and on flop and turn the mean of ``WIN_SAMPLES`` deals, drawn from a
    stream of ``key`` of their own: the player may use ``key`` as well. It rests on the seat's own cards and the open
    ones alone.
    """
    dealt = state.deal.win_probability
    if dealt is not None:
        seats, streets = dealt.shape
        here = (jnp.arange(seats) == seat)[:, None] & (jnp.arange(streets) == state.street)
        return jnp.where(here, dealt, 0).sum()
    hole_cards = state.deal.hole_cards
    hole = jnp.stack([of_seat(seat, list(hole_cards[i::2])) for i in range(2)])  # [2]
    stream = jax.random.fold_in(key, WIN_STREAM)
    kind = (state.street + 1) // 2  # 0 preflop, 1 flop and turn, 2 river
    return jax.lax.switch(
        kind,
        (
            lambda hole, board: equity.preflop_against_random(hole),
            lambda hole, board: equity.sample_against_random(stream, hole, board, WIN_SAMPLES).mean,
            equity.against_random,
        ),
        hole,
        state.board,
    )


def with_win_probability(state: State) -> State:
    """``state`` whose deal has the win probability of the seat to act on this street: networks look there.

    What the deal carries already stays. Else it is worked out, always with the same samples: the same cards then have
    the same win probability, so that a player that rests on it has a policy.
    """
    if state.deal.win_probability is not None:
        return state
    seat = state.current_player
    win = win_probability(state, seat, jax.random.key(0))
    is_own = (jnp.arange(len(state.seats)) == seat)[:, None]
    known = jnp.where(is_own & (jnp.arange(len(STREETS)) == state.street), win, jnp.nan)
    return dataclasses.replace(state, deal=dataclasses.replace(state.deal, win_probability=known))
