"""Other worlds that look the same to a player of Chicago: its hidden cards drawn anew, or another hand of its own.

A world is a renaming of cards. Cards that a player has seen keep their names: those it was dealt and drew, all
face-up cards and all that were played. The others change names among each other, wherever they are: in hands, among
discards, in the deck. So every count, every place in a hand and every action stays what it was.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.cards import NO_CARD, NUM_CARDS
from jaxpoker.games import chance
from jaxpoker.games.chicago import hands as chicago_hands
from jaxpoker.games.chicago.hands import suit_of
from jaxpoker.games.chicago.table import DRAW_0, DRAW_1, HAND, NOT_YET, dealt_hand, leaders, next_key

if TYPE_CHECKING:
    from jaxpoker.games.chicago.table import State

Array = jax.Array

_DECK = np.arange(NUM_CARDS, dtype=np.int32)


def _among(cards: Array) -> Array:
    """[52] bool: the cards that stand in an array of any shape."""
    return (cards.reshape(-1, 1) == _DECK).any(axis=0)


def seen_cards(state: State, player: Array) -> Array:
    """[52] bool: the cards that ``player`` has seen in this round."""
    own = (dealt_hand(state, player), state.first_hands[player], state.hands[player], state.shown, state.table)
    return _among(jnp.concatenate([part.reshape(-1) for part in own]))


def missing_suits(state: State) -> Array:
    """[seats, 4] bool: the suits that a seat has shown not to hold, by playing another one when it was led."""
    suits = suit_of(state.table)  # [5, seats]
    led = jnp.take_along_axis(suits, leaders(state)[:, None], axis=1)  # [5, 1]
    failed = (suits >= 0) & (led >= 0) & (suits != led)
    return (failed[..., None] & (led[..., None] == np.arange(4))).any(axis=0)


def resample_hidden(state: State, player: Array, key: Array, weights: Array | None) -> State:
    """See ``Chicago.resample_hidden``."""
    hand_key, rest_key, deck_key = jax.random.split(key, 3)
    seats = len(state.seats)
    hidden = ~seen_cards(state, player)
    missing = missing_suits(state)  # [seats, 4]
    likely = jnp.broadcast_to(1.0 if weights is None else weights, (seats, NUM_CARDS))
    shortest_first = jnp.argsort(-missing.sum(axis=1))

    def draw(left: Array, slot: tuple[Array, Array, Array, Array]) -> tuple[Array, Array]:
        """A card of those ``left`` in place of a hidden card of a seat's hand."""
        old, likely, may_hold, key = slot
        held = left & may_hold
        new = chance.choose(key, likely, jnp.where(held.any(), held, left))
        moves = (old >= 0) & hidden[jnp.maximum(old, 0)]
        return left & ~(moves & (new == _DECK)), jnp.where(moves, new, NO_CARD).astype(jnp.int32)

    old = jnp.where((state.seats != player)[:, None], state.hands, NO_CARD)[shortest_first].astype(jnp.int32)
    by_seat = (likely, ~missing[:, _DECK // 13])
    likely, may_hold = (jnp.repeat(each[shortest_first], HAND, axis=0) for each in by_seat)  # [5 seats, 52]
    slots = (old.reshape(-1), likely, may_hold, jax.random.split(hand_key, HAND * seats))
    left, new = jax.lax.scan(draw, hidden, slots)

    # The cards that are in no hand take the names that are left, in any order.
    drawn = new >= 0
    in_hands = _among(jnp.where(drawn, slots[0], NO_CARD))
    elsewhere = hidden & ~in_hands
    old_rest = jnp.argsort(~elsewhere)  # those elsewhere first
    new_rest = jnp.argsort(jnp.where(left, jax.random.uniform(rest_key, (NUM_CARDS,)), 2.0))
    names = jnp.asarray(_DECK)
    names = names.at[old_rest].set(jnp.where(elsewhere[old_rest], new_rest, old_rest).astype(jnp.int32))
    names = names.at[jnp.where(drawn, slots[0], NUM_CARDS)].set(new, mode="drop")

    def renamed(cards: Array) -> Array:
        return jnp.where(cards >= 0, names[jnp.maximum(cards, 0)], NO_CARD).astype(jnp.int8)

    hands = renamed(state.hands)
    return dataclasses.replace(
        state,
        deck=renamed(state.deck),
        hands=hands,
        first_hands=renamed(state.first_hands),
        worths=_worths(state, hands),
        key=next_key(deck_key),
    )


def _worths(state: State, hands: Array) -> chicago_hands.Worth:
    """The worths ``[seats]`` after each seat's last draw if it was ``hands``; in tricks they no longer matter."""
    worths = chicago_hands.worth([hands[:, i].astype(jnp.int32) for i in range(HAND)])
    counts = (state.draws[0] != NOT_YET) & (hands[:, HAND - 1] >= 0)
    return jax.tree.map(lambda new, old: jnp.where(counts, new, old), worths, state.worths)


def with_hand(state: State, player: Array, hand: Array) -> State:
    """See ``Chicago.with_hand``."""
    mine = (state.seats == player)[:, None]  # [seats, 1]
    hands = jnp.where(mine, hand, state.hands)
    before_draw_0 = (state.phase == DRAW_0) & (state.draws[0, player] == NOT_YET)
    after_draw_0 = (state.phase <= DRAW_1) & (state.draws[1, player] == NOT_YET) & ~before_draw_0
    place = np.arange(NUM_CARDS) - HAND * player
    dealt = (place >= 0) & (place < HAND) & before_draw_0
    return dataclasses.replace(
        state,
        deck=jnp.where(dealt, hand[jnp.clip(place, 0, HAND - 1)], state.deck),
        hands=hands,
        first_hands=jnp.where(mine & after_draw_0, hand, state.first_hands),
        worths=_worths(state, hands),
    )
