"""A rule player of Chicago that knows what its cards are good for."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import hands
from jaxpoker.cards import NUM_RANKS
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.chicago import hands as chicago_hands
from jaxpoker.games.chicago.hands import suit_of
from jaxpoker.games.chicago.table import HAND, NUM_DRAWS, TRICKS, TURN_DOWN, State
from jaxpoker.players.contract import Player, from_policy

Array = jax.Array

HIGH_RANK = 9  # a jack or better may take the last trick
CONTROL_TRICK = HAND - 2  # who takes this one leads the last
_DISCARDS = np.asarray([bin(mask).count("1") for mask in range(1 << HAND)], np.int32)  # of each set of discards
_KEEPS = ((np.arange(1 << HAND)[:, None] >> np.arange(HAND)) & 1) == 0  # [32, 5]


def _wanted(hand: Array) -> Array:
    """[5] bool: the cards to keep.

    Straights, flushes and better stay whole; of pairs, two pairs and trips all that are paired. Four cards to a flush
    are kept as well, else four to a straight that either end completes, else high cards, which may take tricks.
    """
    kind = chicago_hands.worth([hand[i] for i in range(HAND)]).kind
    suit = suit_of(hand)
    rank = hand - NUM_RANKS * suit
    paired = (rank[:, None] == rank).sum(axis=1) > 1
    of_suit = (suit[:, None] == suit).sum(axis=1)
    keep = (kind >= hands.STRAIGHT) | paired
    four_flush = of_suit == HAND - 1
    starts = np.arange(NUM_RANKS - HAND + 1)  # the lowest rank of four in a row below the ace
    in_row = (rank >= starts[:, None]) & (rank < starts[:, None] + HAND - 1)  # [starts, 5]
    complete = in_row.sum(axis=1) == HAND - 1
    four_straight = (in_row & complete[:, None]).any(axis=0)
    drawing = jnp.where(four_flush.any(), four_flush, jnp.where(four_straight.any(), four_straight, rank >= HIGH_RANK))
    return jnp.where(kind > hands.HIGH_CARD, keep, drawing)


def _draw(state: State, hand: Array) -> Array:
    """[] the draw: all cards that are not wanted, or as many of them as the deck still has."""
    wanted = _wanted(hand)
    legal = state.legal_action_mask[: 1 << HAND] & (_KEEPS | ~wanted).all(axis=1)
    return jnp.argmax(jnp.where(legal, _DISCARDS, -1))


def _keep_or_turn_down(state: State, hand: Array, shown: Array) -> Array:
    """[] whether to keep the card shown: if it makes a hand, or is high."""
    with_shown = jnp.where(np.arange(HAND) < HAND - 1, hand, shown)
    made = chicago_hands.worth([with_shown[i] for i in range(HAND)]).kind
    before = chicago_hands.worth(
        [state.first_hands[state.current_player, i].astype(jnp.int32) for i in range(HAND)]
    ).kind
    keep = (made > before) | (shown - NUM_RANKS * suit_of(shown) >= HIGH_RANK) | ~state.legal_action_mask[TURN_DOWN]
    return jnp.where(keep, 0, TURN_DOWN)


def _play(state: State, hand: Array) -> Array:
    """[] the card to play: the lowest, until it matters who leads the last trick; then the lowest that wins."""
    legal = state.legal_action_mask[NUM_DRAWS:]
    suit = suit_of(hand)
    rank = hand - NUM_RANKS * suit
    led = suit_of(state.led)
    on_table = state.table[state.trick].astype(jnp.int32)
    highest = jnp.where(suit_of(on_table) == led, on_table, -1).max()
    leads = led < 0
    wins = legal & jnp.where(leads, True, (suit == led) & (hand > highest))
    fights = (state.trick >= CONTROL_TRICK) & wins.any()
    lowest = jnp.argmin(jnp.where(legal, rank, NUM_RANKS))
    lowest_winner = jnp.argmin(jnp.where(wins, rank, NUM_RANKS))
    high_lead = jnp.argmax(jnp.where(legal, rank, -1))
    return NUM_DRAWS + jnp.where(fights, jnp.where(leads, high_lead, lowest_winner), lowest)


def _regular(params: Any, memory: Any, game: Chicago, state: State) -> tuple[Array, Any]:
    hand = state.hands[state.current_player].astype(jnp.int32)
    action = jnp.where(state.phase < TRICKS, _draw(state, hand), _play(state, hand))
    if game.see_then_decide:
        shown = state.shown[state.current_player].astype(jnp.int32)
        deciding = state.deciding[state.current_player]
        action = jnp.where(deciding, _keep_or_turn_down(state, hand, shown), action)
    return (np.arange(game.num_actions) == action).astype(jnp.float32), memory


def regular(game: Chicago) -> Player:
    """Keeps made hands and draws to the best one; plays low until it may win the lead to the last trick."""
    return from_policy("regular", _regular)
