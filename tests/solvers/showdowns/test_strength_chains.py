"""What the live hands of a board win from each other, against a double loop over all pairs by another evaluator."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import treys

from jaxpoker import cards
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers.showdowns import strength_chains

BOARDS = {
    "dry": "2c7dJhKs4c",
    "four to a flush": "2h7hJhKs4h",
    "the board plays": "AsKsQsJsTs",  # every hand ties
    "quads": "8c8d8h8sAh",
    "two pairs": "9c9d4h4sQd",
}


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_sums_are_those_of_all_pairs_of_hands(board):
    ids = cards.parse(board)
    chains = jax.jit(strength_chains.of)(jnp.asarray(ids))
    held = COMBOS[np.asarray(chains.hands)]  # [1081, 2]
    assert len(np.unique(np.asarray(chains.hands))) == 1_081 and not np.isin(held, ids).any()

    named = [treys.Card.new(cards.text([card])) for card in range(52)]
    evaluator = treys.Evaluator()
    open_cards = [named[card] for card in ids]
    rank = np.array([evaluator.evaluate([named[a], named[b]], open_cards) for a, b in held])  # lower is better
    both = (held[:, None, :, None] != held[:, None]).all(axis=(2, 3))
    wins = np.sign(rank - rank[:, None]) * both
    assert (np.diff(rank) <= 0).all()  # weakest first

    weights = np.random.default_rng(0).random((1_081, 3))
    found = jax.jit(strength_chains.showdowns)(chains, jnp.asarray(weights, jnp.float32))
    np.testing.assert_allclose(found, wins @ weights, atol=2e-3)  # of some 500
    by_product = jax.jit(strength_chains._by_product)(chains, jnp.asarray(weights, jnp.float32))
    np.testing.assert_allclose(by_product, wins @ weights, atol=2e-3)  # what accelerators do
    met = jax.jit(strength_chains.rivals)(chains, jnp.asarray(weights, jnp.float32))
    np.testing.assert_allclose(met, both @ weights, atol=2e-3)
