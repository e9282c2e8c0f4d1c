"""What a river hand wins from eight clusters of opponents, against listing the rivals."""

import jax
import numpy as np
import pytest

from jaxpoker import cards, hands, ranges
from jaxpoker.solvers.abstraction import opponent_clusters
from jaxpoker.solvers.abstraction.opponent_clusters import CLUSTERS, SCALE

pytestmark = pytest.mark.optimised  # features of all hands on a board

of_board = jax.jit(opponent_clusters.of_board)
of_hand = jax.jit(jax.vmap(opponent_clusters.of_hand, (0, None, None)))

BY_EQUITY = np.argsort(np.argsort(ranges.preflop_table().equity)) * CLUSTERS // ranges.NUM_CLASSES
CLUSTER_OF = BY_EQUITY[ranges.CLASS_OF_COMBO].astype(np.uint8)


def free_of(*known):
    return np.flatnonzero(~np.isin(ranges.COMBOS, np.concatenate(known)).any(axis=1))


def listed(hole, board, cluster_of):
    """The features, rival by rival, with the rule of the module's docstring."""
    rivals = free_of(hole, board)
    mine = int(hands.strength([*hole, *board]))
    theirs = np.asarray(hands.strength(np.concatenate([ranges.COMBOS[rivals], np.tile(board, (990, 1))], axis=1)))
    half_wins = [2 if mine > rival else int(mine == rival) for rival in theirs.tolist()]
    features = []
    for cluster in range(CLUSTERS):
        met = [won for won, rival in zip(half_wins, rivals, strict=True) if cluster_of[rival] == cluster] or half_wins
        features.append(SCALE * sum(met) // (2 * len(met)))
    return features


@pytest.mark.parametrize(
    ("hole", "board"),
    [
        ("AhKd", "Kh9h4c2s2d"),
        ("AhQd", "Kh9h4h2s3h"),
        ("2c7d", "9h8h7h6h5h"),
        ("KdKh", "AcAdAhAsKc"),
        ("TdTc", "QsJs3h7d2c"),
    ],
)
def test_features_are_equities_against_the_rivals_of_each_cluster(hole, board):
    held, ids = cards.parse(hole), cards.parse(board)
    found = np.asarray(of_board(ids, CLUSTER_OF))[:, ranges.combo_index(*held)]
    assert found.tolist() == listed(held, ids, CLUSTER_OF)


@pytest.mark.parametrize("board", ["Kh9h4c2s2d", "9h8h7h6h5h", "AcAdAhAsKc"])
def test_a_hand_alone_has_the_features_that_it_has_among_all(board):
    ids = cards.parse(board)
    live = free_of(ids)
    found = np.asarray(of_board(ids, CLUSTER_OF))[:, live]
    assert found.min() >= 0 and found.max() <= SCALE and found.dtype == np.int16
    np.testing.assert_array_equal(found.T, of_hand(ranges.COMBOS[live], ids, CLUSTER_OF))


def test_a_cluster_without_rivals_stands_for_all_of_them():
    """Who holds two aces with two more on the board leaves no AA; whose cluster that is counts all rivals instead."""
    aces = ranges.parse("AA") > 0
    aces_alone = np.where(aces, 7, np.minimum(CLUSTER_OF, 6))
    held, ids = cards.parse("AhAd"), cards.parse("AcAs9h4c2s")
    found = np.asarray(of_board(ids, aces_alone.astype(np.uint8)))[:, ranges.combo_index(*held)]
    assert found.tolist() == listed(held, ids, aces_alone) and found[7] == SCALE
    other = cards.parse("KhQd")  # one rival holds AA, and wins
    found = np.asarray(of_board(ids, aces_alone.astype(np.uint8)))[:, ranges.combo_index(*other)]
    assert found[7] == 0 and found.tolist() == listed(other, ids, aces_alone)


def test_who_holds_the_ace_of_the_flush_beats_more_of_the_strong_hands():
    """Kings on three hearts, with the ace of hearts or of spades: only clusters with aces are met differently."""
    found = np.asarray(of_board(cards.parse("Kh9h4h2s7d"), CLUSTER_OF))
    blocker, other = (found[:, ranges.combo_index(*cards.parse(hand))] for hand in ("AhKc", "AsKc"))
    has_aces = np.isin(np.arange(CLUSTERS), BY_EQUITY[[name.startswith("A") for name in ranges.CLASS_NAMES]])
    assert (blocker[has_aces] > other[has_aces]).all() and has_aces.sum() < CLUSTERS / 2
    np.testing.assert_array_equal(blocker[~has_aces], other[~has_aces])
    assert blocker[-1] - other[-1] > 10
