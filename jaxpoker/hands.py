"""Strength of five to seven cards, by bit tricks on one 13-bit rank mask per suit.

There is no table. A hand is four masks (clubs, diamonds, hearts, spades; bit r set when the hand
holds rank r of that suit), and pairs, trips, flushes and straights are ands, ors and population
counts of them, so that XLA fuses the whole evaluation into one loop over a flat batch.

A strength is an int32 that orders hands: higher is better, equal is a tie.

    bits 26-29  category, 0 high card ... 8 straight flush
    bits 13-25  the ranks that make the hand: the pair, both pairs, the trips, the top of the straight,
                the five ranks of a flush
    bits  0-12  the kickers (of a full house: the pair)

Masks with the same number of bits compare like their ranks read from the top, so the integer order is
the order of poker.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.cards import NUM_RANKS

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
(HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH) = range(9)

_CATEGORY_SHIFT = 2 * NUM_RANKS
_RANK_NAMES = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"]
_PLURALS = [name + ("es" if name == "six" else "s") for name in _RANK_NAMES]
# By category: how many ranks make the hand, and how many kickers it has.
_NUM_RANKS_SHOWN = ((0, 5), (1, 3), (2, 1), (1, 2), (1, 0), (5, 0), (1, 1), (1, 1), (1, 0))


def _top(mask: jax.Array) -> jax.Array:
    """The highest set bit of a 13-bit mask, 0 of 0."""
    mask = mask | (mask >> 1)
    mask = mask | (mask >> 2)
    mask = mask | (mask >> 4)
    mask = mask | (mask >> 8)
    return mask ^ (mask >> 1)


def _without_lowest(mask: jax.Array) -> jax.Array:
    return mask & (mask - 1)


def straight_tops(mask: jax.Array) -> jax.Array:
    """Bits of the ranks that top five ranks in a row; an ace also stands below the two."""
    ranks = (mask << 1) | (mask >> (NUM_RANKS - 1))  # bit 0 is the low ace, bit r + 1 is rank r
    two = ranks & (ranks << 1)
    four = two & (two << 2)
    return (four & (ranks << 4)) >> 1


@functools.partial(jax.jit, static_argnames="num_cards")
def strength_of_masks(
    clubs: jax.Array, diamonds: jax.Array, hearts: jax.Array, spades: jax.Array, num_cards: int = 7
) -> jax.Array:
    """Strengths (int32) of hands given as four 13-bit rank masks of any one shape.

    ``num_cards`` is how many cards each hand holds, 5, 6 or 7.
    """
    if num_cards not in (5, 6, 7):
        raise ValueError(f"a hand has 5, 6 or 7 cards, not {num_cards}")
    c, d, h, s = (jnp.asarray(mask, jnp.int32) for mask in (clubs, diamonds, hearts, spades))

    ranks = c | d | h | s
    in_two = (c & d) | (h & s) | ((c | d) & (h | s))  # ranks held at least twice
    in_three = ((c & d) & (h | s)) | ((h & s) & (c | d))
    in_four = c & d & h & s

    def five_of(suit: jax.Array) -> jax.Array:
        return jax.lax.population_count(suit) >= 5

    suited = jnp.where(five_of(c), c, jnp.where(five_of(d), d, jnp.where(five_of(h), h, jnp.where(five_of(s), s, 0))))

    def drop_extra(mask: jax.Array) -> jax.Array:
        for _ in range(num_cards - 5):
            mask = _without_lowest(mask)
        return mask

    def made(category: int, primary: jax.Array, kickers: jax.Array | int) -> jax.Array:
        return (category << _CATEGORY_SHIFT) | (primary << NUM_RANKS) | kickers

    # With no, one or three of a rank the kickers are what is left but for the lowest num_cards - 5.
    trips_top = _top(in_three)
    pair_top = _top(in_two & ~trips_top)  # of three in_three ranks the lower one fills the house
    primary = jnp.where(in_three != 0, in_three, in_two)
    result = made(HIGH_CARD, primary, drop_extra(ranks & ~primary)) + jnp.where(
        in_three != 0, TRIPS << _CATEGORY_SHIFT, jnp.where(in_two != 0, PAIR << _CATEGORY_SHIFT, 0)
    )
    second_pair = _top(in_two & ~pair_top)
    two_pairs = pair_top | second_pair
    result = jnp.where(
        (in_three == 0) & (second_pair != 0), made(TWO_PAIR, two_pairs, _top(ranks & ~two_pairs)), result
    )
    straight_top = _top(straight_tops(ranks))
    result = jnp.where(straight_top != 0, made(STRAIGHT, straight_top, 0), result)
    flush_five = suited
    for _ in range(num_cards - 5):
        dropped = _without_lowest(flush_five)
        flush_five = jnp.where(jax.lax.population_count(flush_five) > 5, dropped, flush_five)
    result = jnp.where(suited != 0, made(FLUSH, flush_five, 0), result)
    result = jnp.where((in_three != 0) & (pair_top != 0), made(FULL_HOUSE, trips_top, pair_top), result)
    result = jnp.where(in_four != 0, made(QUADS, in_four, _top(ranks & ~in_four)), result)
    suited_top = _top(straight_tops(suited))
    return jnp.where(suited_top != 0, made(STRAIGHT_FLUSH, suited_top, 0), result)


@jax.jit
def suit_masks(columns: list[jax.Array]) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """The four rank masks of hands given as one array of ids per card."""
    masks = [jnp.zeros((), jnp.int32)] * 4
    for card in columns:
        suit_of = [card < 13, (card >= 13) & (card < 26), (card >= 26) & (card < 39), card >= 39]
        base = jnp.where(card < 26, jnp.where(card < 13, 0, 13), jnp.where(card < 39, 26, 39))
        bit = jnp.left_shift(1, card - base)
        masks = [mask | jnp.where(is_suit, bit, 0) for mask, is_suit in zip(masks, suit_of, strict=True)]
    return masks[0], masks[1], masks[2], masks[3]


def strength_of_columns(columns: list[jax.Array]) -> jax.Array:
    """Strengths of hands given as one array of ids per card: the fastest layout of ids."""
    return strength_of_masks(*suit_masks(columns), num_cards=len(columns))


def strength(cards: jax.Array | np.ndarray) -> jax.Array:
    """Strengths (int32, higher is better, equal is a tie) of ``[..., n]`` card ids, n = 5, 6 or 7.

    >>> from jaxpoker import cards, hands
    >>> kings, straight = hands.strength([cards.parse("KcKd7h7s2c5d9h"), cards.parse("AcKdQhJsTc5d9h")])
    >>> bool(straight > kings), hands.name(kings), hands.name(straight)
    (True, 'two pair, kings and sevens', 'ace-high straight')
    """
    cards = jnp.asarray(cards, jnp.int32)
    if cards.ndim == 0 or cards.shape[-1] not in (5, 6, 7):
        raise ValueError(f"a hand is [..., n] card ids with n = 5, 6 or 7; got shape {cards.shape}")
    return strength_of_columns([cards[..., i] for i in range(cards.shape[-1])])


def category(strengths: jax.Array) -> jax.Array:
    """Category of each strength: 0 high card, 1 pair, ... 8 straight flush (see ``CATEGORIES``)."""
    return jnp.asarray(strengths) >> _CATEGORY_SHIFT


def name(strength_value: int) -> str:
    """A strength in words.

    >>> from jaxpoker import cards, hands
    >>> hands.name(hands.strength(cards.parse("AhKhQhJhTh")))
    'royal flush'
    """
    value = int(strength_value)
    kind = value >> _CATEGORY_SHIFT
    primary = [r for r in reversed(range(NUM_RANKS)) if value >> NUM_RANKS >> r & 1]
    kickers = [r for r in reversed(range(NUM_RANKS)) if value >> r & 1]
    if not 0 <= kind < len(CATEGORIES) or (len(primary), len(kickers)) != _NUM_RANKS_SHOWN[kind]:
        raise ValueError(f"{strength_value} is not a hand strength: see jaxpoker.hands.strength")
    if kind == HIGH_CARD:
        return f"{_RANK_NAMES[kickers[0]]} high"
    if kind == PAIR:
        return f"pair of {_PLURALS[primary[0]]}"
    if kind == TWO_PAIR:
        return f"two pair, {_PLURALS[primary[0]]} and {_PLURALS[primary[1]]}"
    if kind in (TRIPS, QUADS):
        return f"{CATEGORIES[kind]}, {_PLURALS[primary[0]]}"
    if kind == FULL_HOUSE:
        return f"full house, {_PLURALS[primary[0]]} full of {_PLURALS[kickers[0]]}"
    if kind == STRAIGHT_FLUSH and primary[0] == NUM_RANKS - 1:
        return "royal flush"
    return f"{_RANK_NAMES[primary[0]]}-high {CATEGORIES[kind]}"
