"""Buckets that remember: the history of rank-based buckets, street by street."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import cards, ranges
from jaxpoker.games.holdem.table import FLOP, PREFLOP, RIVER, TURN
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.abstraction import rank_history
from jaxpoker.solvers.sampling import boards

HISTORY, RANKS = abstraction.make("rank_history"), abstraction.make("rank_based")

of_hand = jax.jit(HISTORY.of_hand)


@pytest.fixture(scope="module")
def buckets():
    """``[2, boards, 4, 1326]``: histories and rank-based buckets of all hands on some boards."""
    boards = RANKS.sample_boards((), jax.random.key(3), 64)

    @jax.jit
    @jax.vmap
    def of_board(board):
        blocked = (jnp.asarray(ranges.COMBOS)[:, :, None] == board).any(axis=(1, 2))
        both = jnp.stack([HISTORY.of_board((), board), RANKS.of_board((), board)])
        return jnp.where(blocked, -1, both)

    return np.asarray(of_board(boards)).swapaxes(0, 1)


def test_a_bucket_tells_the_rank_based_buckets_of_all_streets_so_far(buckets):
    histories, ranks = (each.swapaxes(0, 1).reshape(4, -1) for each in buckets)
    live = histories[0] >= 0
    seen = 0
    for street in (PREFLOP, FLOP, TURN, RIVER):
        told = rank_history.histories().paths[street][histories[street][live]]  # [hands, streets so far]
        right = (ranks[: street + 1, live] == told.T).all(axis=0)
        seen += right.size
        assert right.mean() > 0.9999, "but for the rarest histories, which go to the usual one of their bucket"
        assert (told[:, -1] == ranks[street, live]).all(), "the bucket of this street is always right"
    assert seen > 200_000


@pytest.mark.thorough
def test_the_table_is_what_a_census_finds():
    types, hands = boards.census(RANKS)
    with np.load(rank_history.TABLE) as table:
        np.testing.assert_array_equal(table["types"], types)
        np.testing.assert_array_equal(table["hands"], hands)


def test_histories_number_the_buckets_and_grow_from_each_other():
    assert HISTORY.num_buckets == (5, 45, 123, 327)
    for before, here in zip(rank_history.histories().paths, rank_history.histories().paths[1:], strict=False):
        assert {tuple(path[:-1]) for path in here.tolist()} == {tuple(path) for path in before.tolist()}
        assert len({tuple(path) for path in here.tolist()}) == len(here)


@pytest.mark.parametrize(
    ("hole", "board", "name"),
    [
        ("AhAs", "", "premium (AA-TT, AK)"),
        ("7c2d", "Kh 7d 4s", "trash, pair"),
        ("7c2d", "Kh 7d 4s Ks", "trash, pair, two pair"),
        ("7c2d", "Kh 7d 4s Ks 7h", "trash, pair, two pair, full house"),
        ("5s4s", "As 9s 2h Kd 3s", "medium, high card, high card, flush"),
    ],
)
def test_names(hole, board, name):
    street = abstraction.OPEN_CARDS.index(len(cards.parse(board)))
    whole = np.full(5, cards.NO_CARD, np.int32)
    whole[: len(cards.parse(board))] = cards.parse(board)
    bucket = int(of_hand((), cards.parse(hole), whole, street))
    assert HISTORY.text(street, bucket) == name


def test_a_history_that_was_never_seen_is_the_usual_one_of_its_bucket():
    types = np.array([[1, 0, 0, 0], [2, 0, 0, 5], [3, 0, 0, 5]])
    after = rank_history.of_types(types, np.array([9, 2, 3])).after
    assert after[PREFLOP].tolist() == [[0, 0, 1, 2, 0, 0]]
    assert after[RIVER][:, 5].tolist() == [2, 1, 2], "trash never made a flush there: it is as medium, the usual one"


def test_other_numbers_of_buckets_are_refused():
    with pytest.raises(ValueError, match="as many buckets as there are histories"):
        abstraction.make("rank_history", (6, 9, 9, 9))
    with pytest.raises(ValueError, match="buckets 0 to 44 on the flop"):
        HISTORY.text(FLOP, 45)
