"""What the hands of one board win from each other, with the cards that two hands cannot share taken out exactly.

For hand i against a rival who holds hand j with weight w(j), any j that has a card of i left out:

    rivals(i)    = sum of w(j)                              what a fold or a blind steal counts
    showdowns(i) = sum of w(j) over weaker j - over stronger j

Both are sums over all hands less those that share a card. A hand has two cards, so the sums of the hands that hold one
of them are subtracted for each. Hand i itself holds both and was subtracted twice, so it is added once. Showdowns need
sums in the order of strength: prefix sums of the whole range, and comparisons among the 51 hands that hold a card.

All functions take weights ``[1326, n]``, hands in the order of ``ranges.COMBOS``, n independent columns. Hands that the
board blocks weigh nothing, and what comes out for them means nothing.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands
from jaxpoker.equity.by_hand import hole_masks
from jaxpoker.equity.showdowns import columns, strength
from jaxpoker.ranges import COMBOS, combo_index

Array = jax.Array

_PRECISION = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits


@functools.cache
def _hands_of_card() -> np.ndarray:
    """[52, 51] int32: the combos that hold each card."""
    card = np.arange(cards.NUM_CARDS)
    others = np.array([[other for other in card if other != c] for c in card])
    return combo_index(card[:, None], others).astype(np.int32)


@functools.cache
def _places_of_hand() -> np.ndarray:
    """[2, 1326] int32: where each combo stands in the flat [52 * 51] table of ``_hands_of_card``, once per card."""
    low, high = COMBOS.T
    return np.stack([low * (cards.NUM_CARDS - 1) + high - 1, high * (cards.NUM_CARDS - 1) + low])


def strengths(board: Array) -> Array:
    """``[1326]`` int32: the strength of every hand on ``board`` ``[5]``; blocked ones have any."""
    return strength(hands.suit_masks(columns(board)), hole_masks())


def rivals(weights: Array) -> Array:
    """``[1326, n]``: the weight of the hands that share no card with each one."""
    of_card = weights[_hands_of_card()].sum(axis=1)  # [52, n]
    return weights.sum(axis=0) - of_card[COMBOS[:, 0]] - of_card[COMBOS[:, 1]] + weights


class Order(NamedTuple):
    """The hands of a board in the order of their strength; ``order`` makes one, for any number of ``showdowns``."""

    hands: Array  # [1326] int32: weakest first
    weaker: Array  # [1326] int32: how many are weaker than each hand
    not_stronger: Array  # [1326] int32: ... weaker or as strong
    beats: Array  # [52, 51, 51] float32: 1, 0 or -1 between the hands that hold a card


def order(of_hand: Array) -> Order:
    """Of strengths ``[1326]``."""
    hands_up = jnp.argsort(of_hand)
    ascending = of_hand[hands_up]
    of_card = of_hand[_hands_of_card()]  # [52, 51]
    return Order(
        hands_up,
        jnp.searchsorted(ascending, of_hand, side="left"),
        jnp.searchsorted(ascending, of_hand, side="right"),
        jnp.sign(of_card[:, :, None] - of_card[:, None, :]).astype(jnp.float32),
    )


def showdowns(ranked: Order, weights: Array) -> Array:
    """``[1326, n]``: the weight of the weaker hands less that of the stronger ones, of those that share no card."""
    below = jnp.cumsum(weights[ranked.hands], axis=0)
    below = jnp.concatenate([jnp.zeros_like(below[:1]), below])  # [1327, n]: of the first so many
    everyone = below[ranked.weaker] + below[ranked.not_stronger] - below[-1]
    sharing = jnp.matmul(ranked.beats, weights[_hands_of_card()], precision=_PRECISION).reshape(-1, weights.shape[1])
    one, other = _places_of_hand()
    return everyone - sharing[one] - sharing[other]
