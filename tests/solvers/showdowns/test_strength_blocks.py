"""Products in blocks of strength find what sums over all pairs of hands do."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import cards, ranges
from jaxpoker.solvers.showdowns import showdown_sums, strength_blocks


@pytest.mark.parametrize("length", [5, 16, 48])
@pytest.mark.parametrize("board", ["Ks 7h 3d 9h 2c", "As Ks Qs Js Ts", "8c 8d 8h 8s 2c", "Qd Qc 9s 9d 2c"])
def test_rivals_and_showdowns(board, length):
    """With few ties, with nothing but ties, and with sets of equal hands larger than a block."""
    ids = cards.parse(board)
    live = np.flatnonzero(~np.isin(ranges.COMBOS, ids).any(axis=1))
    strength = np.asarray(showdown_sums.strengths(jnp.asarray(ids)))
    place = strength_blocks.places(strength[live], length)
    assert len(np.unique(place)) == len(place)
    blocks = int(place.max()) // length + 1
    hand_cards = np.full((blocks * length, 2), strength_blocks.NO_HAND)
    ranked = np.zeros(blocks * length, np.int32)
    hand_cards[place], ranked[place] = ranges.COMBOS[live], strength[live]
    shape = (1, blocks, length)
    made = strength_blocks.of(hand_cards.reshape(*shape, 2), ranked.reshape(shape), cards.NUM_CARDS)

    weights = np.random.default_rng(1).random((len(live), 3))
    laid = np.zeros((blocks * length, 3), np.float32)
    laid[place] = weights
    laid = jnp.asarray(laid.reshape(*shape, 3).swapaxes(2, 3))

    def read(found: jnp.ndarray) -> np.ndarray:
        return np.asarray(found).swapaxes(2, 3).reshape(-1, 3)[place]

    pairs = ranges.COMBOS[live][:, None, :, None] != ranges.COMBOS[live][None, :, None, :]
    apart = pairs.all(axis=(2, 3))
    sign = np.sign(strength[live].astype(np.int64)[:, None] - strength[live][None, :])
    np.testing.assert_allclose(read(strength_blocks.rivals(made, laid)), apart @ weights, rtol=1e-5)
    np.testing.assert_allclose(read(strength_blocks.showdowns(made, laid)), (apart * sign) @ weights, atol=1e-3)
