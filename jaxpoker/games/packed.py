"""A table of Kuhn or Leduc poker in one int32.

XLA's CPU backend makes one loop per array of a state and computes the whole step anew in each of them, so that a
state of one array steps about four times as fast as one of eight. The cards stand in the low bits, three bits
each, the betting above them as the game says, and three flags on top:

    ILLEGAL     the last action was not legal
    JUST_ENDED  the last action ended the game, so that its rewards are due
    ENDED       the game is over; the highest bit, so that a table of ENDED or more is over
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array

ILLEGAL, JUST_ENDED, ENDED = 1 << 28, 1 << 29, 1 << 30

CARD_BITS = 3  # of one card, in a deck of at most eight


def pack(cards: Array, bits: int = CARD_BITS) -> Array:
    """Cards ``[..., places]`` packed, each into so many ``bits``: int32 ``[...]``."""
    cards = jnp.asarray(cards, jnp.int32)
    return (cards << (bits * jnp.arange(cards.shape[-1], dtype=jnp.int32))).sum(axis=-1, dtype=jnp.int32)


def chosen(cards: Array | np.ndarray | Sequence[int], deck_size: int, bits: int = CARD_BITS) -> Array:
    """Cards ``[..., places]`` that somebody chose, packed; refused if they are not different cards of the deck."""
    cards = np.asarray(cards, np.int32)
    ordered = np.sort(cards, axis=-1)
    if ordered.size and not (ordered.min() >= 0 and ordered.max() < deck_size):
        wrong = cards[(cards < 0) | (cards >= deck_size)][0]
        raise ValueError(f"unknown card {wrong}: the cards of this deck are 0 to {deck_size - 1}")
    if (ordered[..., 1:] == ordered[..., :-1]).any():
        raise ValueError(f"a card is dealt twice in {cards.tolist()}")
    return pack(jnp.asarray(cards), bits)


def named(card: str, names: Sequence[str]) -> int:
    """The number of the card that people call ``card``."""
    if card not in names:
        raise ValueError(f"unknown card {card!r}: the cards of this deck are {' '.join(names)}")
    return names.index(card)


def card_at(table: Array, place: Array | int, bits: int = CARD_BITS) -> Array:
    """The card at a place 0, 1, ... of the table."""
    return (table >> (bits * place)) & ((1 << bits) - 1)


def with_card(table: Array, place: Array | int, card: Array, bits: int = CARD_BITS) -> Array:
    """The table with another card at a place."""
    shift = jnp.asarray(bits * place)
    return (table & ~(((1 << bits) - 1) << shift)) | (card.astype(jnp.int32) << shift)


def deal(key: Array, deck_size: int, count: int, shape: tuple[int, ...] = ()) -> Array:
    """``count`` distinct cards out of 0 .. deck_size - 1 for each table of ``shape``, packed: int32 ``[*shape]``.

    A Fisher-Yates shuffle on the packed deck, with one random word per table: the word times the number of cards
    left has the place of the next card in its high bits and the word for the draw after it in its low bits. All
    deals are equally likely to within a factor of 1 ± 2e-6 (five of six cards) or better.
    """
    if not 0 < count <= deck_size <= 1 << CARD_BITS:
        raise ValueError(f"cannot deal {count} of {deck_size} cards: a small deck has at most {1 << CARD_BITS}")
    word_bits = 32 - CARD_BITS  # a random word of so many bits times the size of a deck fits into 32
    word = jax.random.bits(key, shape, jnp.uint32) >> CARD_BITS
    deck: Array | int = sum(card << (CARD_BITS * card) for card in range(deck_size))
    dealt = jnp.zeros(shape, jnp.int32)
    for place in range(count):
        word = word * (deck_size - place)
        shift = CARD_BITS * (word >> word_bits).astype(jnp.int32)
        word = word & ((1 << word_bits) - 1)
        dealt = dealt | (((deck >> shift) & ((1 << CARD_BITS) - 1)) << (CARD_BITS * place))
        below = (1 << shift) - 1
        deck = (deck & below) | ((deck >> CARD_BITS) & ~below)  # the cards above the dealt one move down
    return dealt


def after_action(table: Array, legal: Array, ends: Array, played: Array) -> Array:
    """The table after an action: ``played`` if it is ``legal``, with the flags set where the game is over.

    A table that was over before stays as it is, and its rewards are no longer due.
    """
    played = jnp.where(ends, played | (ENDED | JUST_ENDED), played)
    forfeited = table | (ENDED | JUST_ENDED | ILLEGAL)
    return jnp.where(table >= ENDED, table & ~JUST_ENDED, jnp.where(legal, played, forfeited))


def is_set(table: Array, flag: int) -> Array:
    return (table & flag) != 0
