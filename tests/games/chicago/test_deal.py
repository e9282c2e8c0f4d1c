"""Deals of chosen cards."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.games.chicago import Deal


def test_hands_and_the_cards_to_be_drawn_are_as_named():
    game = jaxpoker.make("chicago", num_players=2)
    for key in (None, jax.random.key(3)):
        deal = Deal.of(["AhKhQhJhTh", ""], "2c3c", key)
        assert sorted(np.asarray(deal.deck).tolist()) == list(range(52))
        assert cards.text(deal.deck[:5]) == "AhKhQhJhTh" and cards.text(deal.deck[10:12]) == "2c3c"
    assert jax.tree.map(lambda x: (x.shape, x.dtype), deal) == jax.tree.map(
        lambda x: (x.shape, x.dtype), game.deal(jax.random.key(0))
    )
    state = jax.jit(game.start)(deal)
    assert "A♥" in game.text(state, 0) and "A♥" not in game.text(state, 1)


@pytest.mark.parametrize(
    ("hands", "drawn", "why"), [(["AhKh"], "", "has 2 cards"), (["AhKhQhJhTh"], "Ah", "'Ah' appears twice")]
)
def test_mistakes_are_named(hands, drawn, why):
    with pytest.raises(ValueError, match=why):
        Deal.of(hands, drawn)
