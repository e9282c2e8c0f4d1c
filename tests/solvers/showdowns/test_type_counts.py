"""Types of hands on boards: how often they meet and who wins, against all pairs of hands."""

import itertools

import numpy as np
import pytest

from jaxpoker.solvers.sampling.boards import HoldemBoards, ListedBoards
from jaxpoker.solvers.showdowns import type_counts


@pytest.mark.thorough
@pytest.mark.parametrize("at_once", [type_counts.ROUND, 7], ids=["in one round", "in many rounds"])
def test_counts_of_types_are_those_of_all_pairs_of_hands(monkeypatch, at_once, two_boards):
    monkeypatch.setattr(type_counts, "ROUND", at_once)
    chance = HoldemBoards(two_boards.CARDS)
    counts, types = two_boards.cards_of(chance)
    expected = np.zeros(counts.shape)
    numbers = []
    place = {path: i for i, path in enumerate(chance.paths.types)}
    for board in two_boards.boards():
        buckets, strengths, live = map(np.asarray, two_boards.hands_of(two_boards.CARDS, board))
        of_hand = np.array([place.get(path, -1) for path in map(tuple, buckets.T.tolist())])
        assert (of_hand[live] >= 0).all()
        one, other = np.nonzero(two_boards.MEETING & live[:, None] & live)
        pair = (of_hand[one], of_hand[other])
        np.add.at(expected[type_counts.SHOWDOWNS], pair, np.sign(strengths[one] - strengths[other]))
        np.add.at(expected[type_counts.RIVALS], pair, 1)
        numbers.append(len(np.unique(of_hand[live])))
    np.testing.assert_allclose(counts, expected / len(two_boards.boards()) / (1_081 * 990), atol=1e-8)
    np.testing.assert_allclose(counts[type_counts.RIVALS].sum(), 1, atol=1e-6)
    assert types == np.mean(numbers)


def test_rank_based_hands_take_few_paths(two_boards):
    paths = HoldemBoards(two_boards.CARDS).paths
    assert paths.size == (327, 70, 31, 9, 1)
    assert all(earlier <= later for path in paths.of_street[1] for earlier, later in itertools.pairwise(path))
    for street in range(4):
        whole = {
            (path[0], *paths.of_street[street + 1][later])
            for path, later in zip(paths.of_street[street], paths.later[street], strict=True)
        }
        assert whole == set(paths.of_street[street])


def test_types_of_hands_are_found_by_their_buckets():
    paths = type_counts.BucketPaths((2, 3), ((0, 1), (0, 2), (1, 0)))
    one, other = np.meshgrid(np.arange(2), np.arange(3), indexing="ij")
    found = np.asarray(paths.of_buckets(np.stack([one, other])))
    np.testing.assert_array_equal(found, [[3, 0, 1], [2, 3, 3]])  # 3: there is no such type


def test_buckets_remember_when_each_tells_those_before_it():
    assert type_counts.BucketPaths((2, 3), ((0, 1), (0, 2), (1, 0))).remember
    assert not type_counts.BucketPaths((2, 3), ((0, 1), (0, 2), (1, 1))).remember


def test_every_board_of_leduc_comes_as_often_as_the_deck_says(leduc):
    """One of six public cards; the counts of all boards are the deals of the exact game."""
    chance = ListedBoards(leduc.deals)
    share, counts = map(np.asarray, chance.tables)
    np.testing.assert_allclose(share, 1 / 6, atol=1e-7)
    np.testing.assert_allclose(counts[:, type_counts.RIVALS].sum(axis=(1, 2)), 1, atol=1e-6)
    street = leduc.deals.streets[1]
    board, hand = np.divmod(np.array(chance.paths.types)[:, -1], len(leduc.deals.hands))
    pair = np.ix_(hand[board == 2], hand[board == 2])
    met = counts[2][type_counts.SHOWDOWNS][np.ix_(board == 2, board == 2)]
    np.testing.assert_allclose(met, 6 * (street.win - street.lose)[2][pair], atol=1e-6)
