"""What five cards are worth in Chicago: their points, and the key that breaks every tie.

Hands of one kind are compared component by component, higher wins: first the ranks (2-14), then the suits (1-4), of
the cards in the order "most of a kind first, then high ranks, then high suits". Suits make the key unique.

    high card       five ranks, five suits
    pair            pair, three kickers, the pair's suits, the kickers' suits
    two pair        high pair, low pair, kicker, suits of the high pair, of the low pair, of the kicker
    trips           trips, two kickers, three suits, the kickers' suits
    straight        top rank (5 for A-2-3-4-5), suit of the top card
    flush           five ranks, suit
    full house      trips, pair, the trips' suits, the pair's suits
    quads           quads, kicker, four suits, the kicker's suit
    straight flush  top rank, suit

A worth is two integers that compare like the kind and its key: the kind and components 0-4, four bits each, and
components 5-9. Absent components are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker import hands

Array = jax.Array

NUM_COMPONENTS = 10
STRAIGHT_FLUSH = hands.STRAIGHT_FLUSH
_BITS = 4  # of a component
_HALF = NUM_COMPONENTS // 2
_KIND_SHIFT = _BITS * _HALF

_WHEEL_TOP = 3  # the five, as a rank counted from 0
_ACE = 12


class Worth(NamedTuple):
    """Arrays of any one shape, int32. A later field decides where the earlier ones are equal."""

    high: Array  # kind << 20, components 0-4
    low: Array  # components 5-9

    @property
    def kind(self) -> Array:
        """0 high card ... 7 quads, which are its points, and 8 straight flush."""
        return self.high >> _KIND_SHIFT

    def component(self, index: int) -> Array:
        """A rank 2-14, a suit 1-4, or 0 past the end of the key."""
        half, place = divmod(index, _HALF)
        return ((self.low if half else self.high) >> (_BITS * (_HALF - 1 - place))) & (2**_BITS - 1)


def suit_of(card: Array) -> Array:
    """0-3; -1 of ``NO_CARD``."""
    return (card >= 0).astype(jnp.int32) + (card >= 13) + (card >= 26) + (card >= 39) - 1


@jax.jit
def worth(columns: list[Array]) -> Worth:
    """The worth of five cards, given as one array of ids per card."""
    kind = hands.category(hands.strength_of_columns(columns))
    suit = [suit_of(card) for card in columns]
    rank = [card - 13 * s for card, s in zip(columns, suit, strict=True)]
    straight = (kind == hands.STRAIGHT) | (kind == hands.STRAIGHT_FLUSH)
    holds = [sum((r == value).astype(jnp.int32) for r in rank) for value in (_ACE, _WHEEL_TOP)]
    wheel = straight & (holds[0] > 0) & (holds[1] > 0)
    order = []  # an integer per card: how many of its rank, the rank from 1 on and 0 for the wheel's ace, the suit
    for i in range(5):
        alike = sum((rank[i] == other).astype(jnp.int32) for other in rank)
        height = jnp.where(wheel & (rank[i] == _ACE), 0, rank[i] + 1)
        order.append((alike << 6) | (height << 2) | suit[i])
    for i, j in ((0, 1), (3, 4), (2, 4), (2, 3), (1, 4), (0, 3), (0, 2), (1, 3), (1, 2)):  # a sorting network
        order[i], order[j] = jnp.maximum(order[i], order[j]), jnp.minimum(order[i], order[j])
    ranks = [((card >> 2) & 0b1111) + 1 for card in order]
    suits = [(card & 0b11) + 1 for card in order]

    # A card's rank is a component unless the card before it has the same one; of a straight the top alone.
    packed_ranks, packed_suits, count = ranks[0], suits[0], jnp.ones_like(kind)
    for i in range(1, 5):
        fresh = (ranks[i] != ranks[i - 1]) & ~straight
        packed_ranks = jnp.where(fresh, (packed_ranks << _BITS) | ranks[i], packed_ranks)
        packed_suits = (packed_suits << _BITS) | suits[i]
        count = count + fresh
    one_suit = straight | (kind == hands.FLUSH)
    packed_suits = jnp.where(one_suit, suits[0] << (_KIND_SHIFT - _BITS), packed_suits)
    after = _BITS * count  # bits of the ranks
    before = _KIND_SHIFT - after  # bits that they leave of the high half
    high = (kind << _KIND_SHIFT) | (packed_ranks << before) | (packed_suits >> after)
    return Worth(high, (packed_suits << before) & (2**_KIND_SHIFT - 1))


def best(worths: Worth) -> Array:
    """``[players]`` bool: the one seat of the best hand, of worths ``[players]``; negative ones are no hands."""
    highest = worths.high == worths.high.max()
    low = jnp.where(highest, worths.low, -1)
    return highest & (low == low.max())
