"""Fitting values to two players: states of hands, and what they come to."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.aivat import by_equity, fitting, two_towers
from jaxpoker.games.holdem.table import PREFLOP
from jaxpoker.players import Entrant

GAME = jaxpoker.make("holdem", stack=40)


@pytest.fixture
def few_tables(monkeypatch):
    monkeypatch.setattr(fitting, "TABLES", 512)
    monkeypatch.setattr(fitting, "BATCH", 512)
    monkeypatch.setattr(fitting, "TURNS", 9)


@pytest.mark.thorough
def test_callers_come_to_what_their_cards_are_worth(few_tables):
    """All states of two callers are worth the share of the pot that they have: no luck is left in the results."""
    pair = (players.make("call", GAME),) * 2
    played = fitting._played(GAME, pair, by_equity(), [None, None], None, jax.random.key(0))
    seen = fitting._states(*played)
    after_limp = seen.pot > 1.5
    lead = (2 * seen.cards.share - 1) * seen.pot / 2
    np.testing.assert_allclose(seen.result[after_limp], lead[after_limp], atol=1e-4)
    assert set(seen.street.tolist()) == {0, 1, 2, 3} and (seen.street == PREFLOP).sum() == 2 * 512


@pytest.mark.thorough
@pytest.mark.optimised
def test_it_learns_what_callers_make_of_their_cards(few_tables):
    told = []
    pair = [Entrant(players.make("call", GAME))] * 2
    towers = fitting.fit(GAME, pair, jax.random.key(1), 512, 201, 1, lambda *one: told.append(one))
    first, last = told[0][-1], told[-1][-1]
    assert last < first / 3
    same = jax.eval_shape(lambda: towers)
    assert jax.tree.structure(same) == jax.tree.structure(two_towers.init(jax.random.key(0)))
