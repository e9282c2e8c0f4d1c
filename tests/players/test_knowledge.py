"""What a player works out from the cards it sees."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.games.holdem.table import Deal
from jaxpoker.players.knowledge import with_win_probability

GAME = jaxpoker.make("holdem", stack=1000, small_blind=5, big_blind=10)


@pytest.mark.thorough
def test_a_win_probability_that_is_worked_out_is_the_dealt_one(play_out):
    """On the river both are exact; it is that of the seat to act alone, and what a deal carries stays."""
    deal = Deal.of(cards.parse("AhKh7c2d").reshape(2, 2), cards.parse("Qh7h3s9cAd"))
    state = play_out(jax.jit(GAME.act), jax.jit(GAME.start)(deal), (10, 10, 0, 0, 0, 0))
    informed = jax.jit(with_win_probability)(state)
    dealt = jax.jit(lambda deal: GAME.with_win_probabilities(deal, jax.random.key(5), 1).win_probability)(deal)
    seat, found = int(state.current_player), np.asarray(informed.deal.win_probability)  # the big blind's
    assert int(state.street) == 3 and found[seat, 3] == pytest.approx(float(dealt[seat, 3]), abs=1e-6)
    assert np.isfinite(found).sum() == 1
    assert with_win_probability(informed) is informed
