"""A strategy carried over to other buckets plays what it played with the same hands."""

import jax
import numpy as np
import pytest

from jaxpoker import ranges
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.abstraction import rebucketing

BOARDS = 128


@pytest.fixture(scope="module")
def coarse():
    return abstraction.make("rank_based")


@pytest.fixture(scope="module")
def finer():
    """Hands of one category on each street so far."""
    return abstraction.make("rank_history")


@pytest.fixture(scope="module")
def shares(coarse, finer):
    return rebucketing.shares(coarse, finer, jax.random.key(0), BOARDS)


def test_buckets_that_stay_play_what_they_played(coarse):
    same = rebucketing.shares(coarse, coarse, jax.random.key(0), BOARDS)
    for share in same:
        np.testing.assert_array_equal(share, np.eye(len(share), dtype=np.float32))


def test_hands_of_a_new_bucket_are_found_where_they_were(coarse, finer, shares):
    """Counted by hand on a board: of_board of both kinds, hand by hand."""
    counted = [np.zeros(share.shape) for share in shares]
    for board in np.asarray(finer.sample_boards(finer.tables, jax.random.key(0), BOARDS)):
        old, new = (np.asarray(each.of_board(each.tables, board)) for each in (coarse, finer))
        for combo in range(0, ranges.NUM_COMBOS, 7):  # a part of them is enough to see where none may be
            if not set(ranges.COMBOS[combo]) & set(board.tolist()):
                for street in range(4):
                    counted[street][new[street, combo], old[street, combo]] += 1
    for share, count in zip(shares, counted, strict=True):
        assert (share[count > 0] > 0).all()
        np.testing.assert_allclose(share.sum(axis=1), 1, rtol=1e-5)
        well_known = count.sum(axis=1) > 500
        expected = count[well_known] / count[well_known].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(share[well_known], expected, atol=0.12)


def test_a_strategy_is_mixed_in_these_shares(shares):
    draws = np.random.default_rng(0)
    strategy = [draws.dirichlet(np.ones(3), (5, share.shape[1])).astype(np.float32) for share in shares]
    carried = rebucketing.carried_over(strategy, shares)
    for before, after, share in zip(strategy, carried, shares, strict=True):
        assert after.shape == (5, len(share), 3)
        np.testing.assert_allclose(after.sum(axis=2), 1, rtol=1e-5)
        np.testing.assert_allclose(after[2, 1], share[1] @ before[2], rtol=1e-5)


def test_a_strategy_of_other_buckets_is_refused(shares):
    with pytest.raises(ValueError, match="4 buckets on the street 'preflop': the shares are of"):
        rebucketing.carried_over([np.ones((1, 4, 2))], shares)
