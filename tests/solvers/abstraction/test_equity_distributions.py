"""River equities of all hands and their distributions on earlier streets, against enumeration."""

import itertools

import jax
import numpy as np
import pytest

from jaxpoker import cards, equity, ranges
from jaxpoker.solvers.abstraction import equity_distributions as distributions
from jaxpoker.solvers.abstraction import isomorphism
from jaxpoker.solvers.abstraction.equity_distributions import BIN, MAX_SCORE, THRESHOLDS

pytestmark = pytest.mark.optimised  # scores of all hands on hundreds of boards

against_random = jax.jit(equity.against_random)
river_scores = jax.jit(jax.vmap(distributions.river_scores))


def class_of(board):
    """The class of a board, and the order of suits that turns it into the representative."""
    classes = isomorphism.classes(len(board))
    number = int(isomorphism.number(board))
    return int(classes.class_of[number]), int(classes.order_of[number])


@pytest.mark.parametrize("board", ["Kh9h4c2s2d", "9h8h7h6h5h", "AcAdAhAsKc", "QsJs3h7d2c"])
def test_scores_on_the_river_are_exact_equities(board):
    """Every hand against each of the 990 others; also where most of them play the board."""
    ids = cards.parse(board)
    free = np.flatnonzero(~np.isin(ranges.COMBOS, ids).any(axis=1))
    scores = np.asarray(river_scores(ids[None]))[0]
    exact = np.asarray(against_random(ranges.COMBOS[free], np.tile(ids, (len(free), 1))))
    np.testing.assert_allclose(scores[free] / MAX_SCORE, exact, atol=1e-6)
    half_wins, rivals = jax.jit(jax.vmap(distributions.half_wins, (0, None)))(ranges.COMBOS[free], ids)
    np.testing.assert_array_equal(half_wins.sum(axis=1), scores[free])
    assert (np.asarray(rivals).sum(axis=1) == 990).all()
    assert (np.delete(scores, free) == 0).all()


@pytest.mark.parametrize(
    ("hole", "board"),
    [("QdQc", "AhKh2h"), ("QhJh", "2hAhKh"), ("7c2d", "AcKc2c"), ("8d7d", "Kd2dAd5s"), ("AhAc", "KdAd2d2c")],
)
def test_cumulative_counts_are_those_of_every_river(counted, hole, board):
    """Boards in other suits and orders than their representatives."""
    held, opened = cards.parse(hole), cards.parse(board)
    left = [card for card in range(52) if card not in {*held, *opened}]
    runouts = np.array(list(itertools.permutations(left, 5 - len(opened))))
    boards = np.concatenate([np.tile(opened, (len(runouts), 1)), runouts], axis=1)
    shared = len(opened) == 3  # one compiled shape for both: a turn's rivers are repeated
    boards = boards if shared else np.resize(boards, (47 * 46, 5))
    scores = np.rint(MAX_SCORE * np.asarray(against_random(held, boards), np.float64))[: len(runouts)]
    by_hand = (scores[:, None] < BIN * np.arange(1, THRESHOLDS + 1)).sum(axis=0)

    number, order = class_of(opened)
    street, counts = counted[0] if shared else counted[1]
    row = np.searchsorted(street.classes, number)
    assert street.classes[row] == number
    combo = isomorphism.renamed_combos()[order, ranges.combo_index(*held)]
    np.testing.assert_array_equal(counts[row, :, combo], by_hand)


def test_hands_and_rivers_are_all_there(counted):
    (flops, of_flops), (_, of_turns) = counted
    assert (of_flops.max(), of_turns.max()) == (47 * 46, 46)
    total, below = distributions.preflop_counts(flops.classes, of_flops)
    assert total.sum() == 4 * 1176 * 47 * 46  # the flop in four suits, hands that it leaves
    assert (np.diff(below, axis=0) >= 0).all() and (below[-1] <= total).all()


def test_a_random_hand_has_half_the_equity():
    """Of the 1,081 hands on each of a few boards; the nuts beat all others."""
    scores = np.asarray(river_scores(cards.deal(jax.random.key(0), 5, (16,))))
    assert (scores.sum(axis=1) == 1081 * MAX_SCORE // 2).all()
    assert scores.max() == MAX_SCORE
