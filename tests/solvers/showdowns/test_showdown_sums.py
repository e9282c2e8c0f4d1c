"""What the hands of a board win from each other, against a double loop over all pairs of hands."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import cards, hands
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.ranges import COMBOS, NUM_COMBOS, combo_index
from jaxpoker.solvers.showdowns import showdown_sums

BOARDS = {
    "dry": "2c7dJhKs4c",
    "four to a flush": "2h7hJhKs4h",
    "the board plays": "AsKsQsJsTs",  # every hand ties
    "quads": "8c8d8h8sAh",
}


@jax.jit
def sums(board, weights):
    """Showdowns and rivals ``[1326, n]``."""
    ranked = showdown_sums.order(showdown_sums.strengths(board))
    return showdown_sums.showdowns(ranked, weights), showdown_sums.rivals(weights)


def pairs(board: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``[1326, 1326]``: 1, 0 or -1 for a win, a tie or a loss, and 1 where both hands can be held, by the evaluator."""
    taken = set(board.tolist())
    live = np.array([not taken & set(combo) for combo in COMBOS.tolist()])
    sevens = np.concatenate([COMBOS, np.broadcast_to(board, (NUM_COMBOS, 5))], axis=1)
    strength = np.where(live, np.asarray(hands.strength(sevens)), 0)
    both = (COMBOS[:, None, :, None] != COMBOS[:, None]).all(axis=(2, 3)) & live[:, None] & live
    return np.sign(strength[:, None] - strength) * both, both


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_sums_are_those_of_all_pairs_of_hands(board):
    ids = cards.parse(board)
    wins, both = pairs(ids)
    live = np.asarray(possible_hands(jnp.asarray(ids)))
    np.testing.assert_array_equal(live, both.any(axis=1))
    weights = np.random.default_rng(0).random((NUM_COMBOS, 3)).astype(np.float32) * live[:, None]
    showdowns, rivals = sums(ids, weights)
    np.testing.assert_allclose(np.asarray(showdowns)[live], (wins @ weights)[live], atol=1e-3)  # of some 500
    np.testing.assert_allclose(np.asarray(rivals)[live], (both @ weights)[live], atol=1e-3)


def test_a_hand_does_not_meet_itself_nor_a_hand_with_its_card():
    aces = cards.parse("AcAd")
    only = np.zeros((NUM_COMBOS, 3), np.float32)
    only[combo_index(*aces.tolist())] = 1
    won, met = (np.asarray(found)[:, 0] for found in sums(cards.parse(BOARDS["dry"]), only))
    for hand, expected in {"AcAd": 0, "AcKh": 0, "AhAs": 1, "KhKd": 1}.items():
        assert met[combo_index(*cards.parse(hand).tolist())] == expected
    for hand, expected in {"AcAd": 0, "AcKh": 0, "AhAs": 0, "KhKd": 1, "QhQd": -1}.items():
        assert won[combo_index(*cards.parse(hand).tolist())] == expected
