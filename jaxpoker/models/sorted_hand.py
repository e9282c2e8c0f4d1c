"""A hand of Chicago in order, high ranks first, and of one rank high suits first: how a network looks at its cards.

table looked at   the same table, with the hand of the player to act in order; played cards leave gaps at the end
its actions       bits and cards are those of the hand in order; ``answer`` says which of the real hand they are
"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.cards import NO_CARD, NUM_RANKS
from jaxpoker.games.chicago.hands import suit_of
from jaxpoker.games.chicago.table import HAND, NUM_DRAWS, TURN_DOWN, State

Array = jax.Array

_SLOTS = np.arange(HAND, dtype=np.int32)


def places(hand: Array) -> Array:
    """[5] int32: where each card of ``hand`` ``[5]`` lies when it is in order; gaps keep theirs, at the end."""
    hand = hand.astype(jnp.int32)
    suit = suit_of(hand)
    height = jnp.where(hand >= 0, 4 * (hand - NUM_RANKS * suit) + suit, NO_CARD)
    higher = (height > height[:, None]) | ((height == height[:, None]) & (_SLOTS[:, None] > _SLOTS))
    return higher.sum(axis=1, dtype=jnp.int32)


def look(state: State) -> State:
    """One table with the hand of the player to act in order."""
    seat = state.current_player
    hand = state.hands[seat]
    lies = places(hand)[:, None] == _SLOTS  # [5 of the hand, 5 in order]
    in_order = jnp.where(lies, hand[:, None], 0).sum(axis=0, dtype=hand.dtype)
    return dataclasses.replace(state, hands=jnp.where((state.seats == seat)[:, None], in_order, state.hands))


def answer(state: State, action: Array) -> Array:
    """[] int32: the action at ``state`` that ``action`` at ``look(state)`` means."""
    where = places(state.hands[state.current_player])
    discards = (((action >> where) & 1) << _SLOTS).sum(dtype=jnp.int32)
    plays = NUM_DRAWS + jnp.argmax(where == action - NUM_DRAWS).astype(jnp.int32)
    return jnp.where(action < NUM_DRAWS, discards | (action & TURN_DOWN), plays)
