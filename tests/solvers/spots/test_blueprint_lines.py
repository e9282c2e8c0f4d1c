"""Spots made from a line of a blueprint."""

import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, ranges
from jaxpoker.solvers import abstraction, spots, tree
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.tree import lines

BOARD = "Ks7h3d9h"


@pytest.fixture(scope="module")
def solved():
    """Any strategy: each bucket of each decision mixes in its own way."""
    game = jaxpoker.make(
        "holdem", menu="preflop: 2.5x; postflop: 75%; raises: 1", stack=200, small_blind=5, big_blind=10
    )
    betting, known = tree.build(game), abstraction.make("rank_based")
    random = np.random.default_rng(0)
    strategy = []
    for street, buckets in enumerate(known.num_buckets):
        nodes = betting.decisions(street=street)
        weights = random.uniform(0.1, 1, (len(nodes), buckets, betting.num_actions)) * betting.legal(nodes)[:, None, :]
        strategy.append((weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32))
    return Blueprint(betting, known, tuple(strategy))


def test_chips_are_those_after_the_line(solved):
    spot = spots.from_blueprint(solved, "r25c/cc/", BOARD, "66%")
    assert (spot.pot, spot.stacks, spot.bets, spot.to_act) == (50, (175, 175), (0, 0), 0)
    spot = spots.from_blueprint(solved, "r25c/cc/r75%", BOARD, "66%")
    assert (spot.pot, spot.bets, spot.to_act) == (50, (37, 0), 1)  # whole chips, rounded down
    assert spot.stacks == (138, 175)


def test_ranges_are_what_both_strategies_would_have_come_there_with(solved):
    spot = spots.from_blueprint(solved, "r25c/cr75%c/", BOARD, "66%")
    betting, board = solved.tree, cards.parse(BOARD)
    taken = (  # who, where, what
        ("ip", "", "r25", 0),
        ("oop", "r25", "c", 0),
        ("oop", "r25c/", "c", 3),
        ("ip", "r25c/c", "r37", 3),
        ("oop", "r25c/cr37", "c", 3),
    )
    random = np.random.default_rng(1)
    live = np.flatnonzero(~np.isin(ranges.COMBOS, board).any(axis=1))
    expected = {"oop": [], "ip": []}
    chosen = random.choice(live, 12, replace=False)
    for combo in chosen:
        weight = {"oop": 1.0, "ip": 1.0}
        for who, line, token, opened in taken:
            node = lines.node_of(betting, line)
            legal = np.flatnonzero(betting.legal(node)).tolist()
            action = next(a for a in legal if lines.action_token(betting, node, a) == token)
            bucket = solved.bucket(ranges.COMBOS[combo].tolist(), board[:opened].tolist())
            weight[who] *= solved.at(node)[bucket, action]
        for who in weight:
            expected[who].append(weight[who])
    for who in expected:
        found, wanted = getattr(spot, who)[chosen], np.array(expected[who])
        np.testing.assert_allclose(found / found[0], wanted / wanted[0], rtol=1e-4)
        assert getattr(spot, who).max() == 1


def test_the_board_blocks_hands(solved):
    spot = spots.from_blueprint(solved, "cc/cc/", BOARD, "66%")
    blocked = np.isin(ranges.COMBOS, cards.parse(BOARD)).any(axis=1)
    assert not spot.oop[blocked].any() and (spot.oop[~blocked] > 0).all()


@pytest.mark.parametrize(
    ("line", "board", "message"),
    [
        ("r25", "Ks7h3d", "the hand is on the preflop: a spot begins on a later street"),
        ("r25c/cc/", "Ks7h3d9h2c", "the board has 4 cards, not 5"),
        ("r26", BOARD, "unknown betting sequence"),
        ("r25c/cc/", "KsKs3d9h", "appears twice"),
    ],
)
def test_what_cannot_be_is_refused(solved, line, board, message):
    with pytest.raises(ValueError, match=message):
        spots.from_blueprint(solved, line, board, "66%")
