"""The information states of a game, each of them once, in the game's order."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker.learners.belief import information_states
from jaxpoker.models import belief
from jaxpoker.solvers.exact import exact_game

GAMES = {"kuhn": jaxpoker.make("kuhn"), "leduc": jaxpoker.make("leduc")}


@pytest.mark.thorough
@pytest.mark.parametrize("name", GAMES)
def test_rows_are_the_information_states_in_the_games_order(name):
    game = GAMES[name]
    rows, states = information_states.every_row(game), information_states.example_states(game)
    tokens = np.asarray(jax.jit(belief.tokens_of, static_argnums=0)(game, states))
    own = jax.jit(jax.vmap(game.infoset_index))(states, states.current_player)
    assert np.asarray(own).tolist() == list(range(game.num_infosets))
    for row in range(game.num_infosets):
        length = int((tokens[row, :, 0] > 0).sum())
        assert rows.last[row] == length - 1
        np.testing.assert_array_equal(rows.tokens[rows.sequence[row], :length], tokens[row, :length])
    assert len(rows.tokens) < game.num_infosets  # one sequence tells several rows
    np.testing.assert_array_equal(rows.legal, exact_game.whole(game).legal_rows())
