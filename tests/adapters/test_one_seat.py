"""One seat at a table, without any library around it; the adapters' tests have the rest."""

import jax
import numpy as np
import pytest

from jaxpoker import players
from jaxpoker.adapters.one_seat import Seating, opponent_and_params
from jaxpoker.games.kuhn import BET, Kuhn


def test_an_entrant_brings_its_params_along():
    entrant = players.Entrant(players.make("random", Kuhn()), 7)
    assert opponent_and_params(entrant) == (entrant.player, 7)
    assert opponent_and_params(entrant.player) == (entrant.player, ())


def test_it_is_the_learners_turn_whenever_a_game_goes_on():
    seating = Seating(Kuhn(3), players.make("random", Kuhn(3)))

    @jax.jit
    @jax.vmap
    def play(key):
        seated = seating.reset(key, ())
        after, reward = seating.step(key, seated, BET, ())
        return seated, after, reward

    before, after, reward = play(jax.random.split(jax.random.key(0), 200))
    for seated in (before, after):
        going_on = ~np.asarray(seated.game_state.terminated)
        np.testing.assert_array_equal(seated.game_state.current_player[going_on], seated.seat[going_on])
    assert set(np.asarray(before.seat).tolist()) == {0, 1, 2}
    assert np.asarray(after.game_state.terminated).all()  # a bet has one answer of each
    assert set(np.unique(reward)) <= {-2, 2, 3, 4} and (np.asarray(reward) > 0).any()


def test_a_seat_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="seat 2"):
        Seating(Kuhn(), players.make("random", Kuhn()), 2)
