"""The cards of a game of Chicago: drawn, or chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards

Array = jax.Array

HAND = 5  # cards, and tricks


class Deal(NamedTuple):
    """Everything random of a game."""

    deck: Array  # [52] int8, of the first round: seat s gets cards 5 s to 5 s + 4, and what is drawn follows
    key: Array  # [2] uint32, where the decks of later rounds come from

    @classmethod
    def of(cls, hands: Sequence[str], drawn: str = "", key: Array | None = None) -> Deal:
        """The deal of chosen hands, five cards for each seat, and of the cards that will be drawn, in their order.

        The deck behind them is shuffled by ``key``; without one it is in the cards' own order. An empty hand is taken
        from there, too.
        """
        held = [cards.parse(hand) for hand in hands]
        for hand, named in zip(hands, held, strict=True):
            if len(named) not in (0, HAND):
                raise ValueError(f"hand {hand!r} has {len(named)} cards: a hand of Chicago has {HAND}, or none")
        first = cards.parse(drawn)
        named = cards.parse(cards.text(np.concatenate([*held, first])))  # which refuses a card named twice
        left = np.setdiff1d(np.arange(cards.NUM_CARDS), named)
        deck_key, later_key = jax.random.split(jax.random.key(0) if key is None else key)
        deck = iter(left if key is None else np.asarray(jax.random.permutation(deck_key, left)))
        dealt = [hand if len(hand) else np.array([next(deck) for _ in range(HAND)]) for hand in held]
        whole = np.concatenate([*dealt, first, list(deck)]).astype(np.int8)
        return cls(jnp.asarray(whole), jax.random.key_data(later_key))
