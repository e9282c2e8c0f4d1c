"""The table of a spot keeps the contract of a game, and deals from the ranges."""

import jax
import numpy as np
import pytest

from jaxpoker import core, ranges
from jaxpoker.solvers.spots import table


@pytest.mark.parametrize("name", ["river", "turn"])
def test_it_keeps_the_contract_of_a_game(name, request):
    seen = core.check(table.table_of(request.getfixturevalue(name)), jax.random.key(0), tables=32)
    assert seen["games"] == 32


def test_hands_come_as_often_as_both_ranges_allow(turn):
    """QhJh shares a card with two of IP's eleven hands, and is rarer for it."""
    game = table.table_of(turn)
    deal = jax.jit(game.deal, static_argnums=1)(jax.random.key(1), (8_000,))
    oop, ip = np.asarray(deal.hands).T
    assert not (ranges.COMBOS[oop][:, :, None] == ranges.COMBOS[ip][:, None, :]).any()
    weights = turn.at("").met[0]
    found = np.bincount(oop, minlength=ranges.NUM_COMBOS) / 8_000
    np.testing.assert_allclose(found, weights / weights.sum(), atol=0.008)


def test_the_river_is_no_card_of_anybody(turn):
    deal = jax.jit(table.table_of(turn).deal, static_argnums=1)(jax.random.key(2), (500,))
    held = ranges.COMBOS[np.asarray(deal.hands)].reshape(500, 4)
    used = np.concatenate([held, np.tile(turn.spot.board, (500, 1))], axis=1)
    assert not (used == np.asarray(deal.river)[:, None]).any()
    assert len(set(np.asarray(deal.river).tolist())) > 30
