"""Rank-based buckets, against treys."""

import jax
import numpy as np
import pytest
import treys

from jaxpoker import cards, hands, ranges
from jaxpoker.games.holdem.table import FLOP, PREFLOP, RIVER, TURN
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.abstraction import OPEN_CARDS, contract, rank_based

RANK_BASED = abstraction.make("rank_based")
BOARDS = 24
EVALUATOR = treys.Evaluator()
TREYS_CATEGORIES = {
    "High Card": "high card",
    "Pair": "pair",
    "Two Pair": "two pair",
    "Three of a Kind": "three of a kind",
    "Straight": "straight",
    "Flush": "flush",
    "Full House": "full house",
    "Four of a Kind": "four of a kind",
    "Straight Flush": "straight flush",
    "Royal Flush": "straight flush",
}

of_boards = jax.jit(jax.vmap(RANK_BASED.of_board, (None, 0)))


def preflop_bucket(hand):
    return int(rank_based.preflop_buckets()[ranges.CLASS_NAMES.index(hand) == ranges.CLASS_OF_COMBO][0])


@pytest.mark.parametrize(
    ("bucket", "held", "combos"),
    [
        (5, "AA KK QQ JJ TT AKs AKo", 5 * 6 + 16),
        (4, "99 88 77 66 AQs AQo AJs AJo", 4 * 6 + 2 * 16),
        (3, "55 44 33 22 KQs KQo KJs KJo QJs JTs T9s 98s 87s 76s 65s 54s 43s 32s", 4 * 6 + 2 * 16 + 10 * 4),
        (2, "ATs ATo A9o A5s A2s A2o KTs K9s K2s", 9 * 16 + 9 * 4),
        (1, "72o 83o KTo K9o QTs QJo J9s T9o 42s 32o", 1326 - 46 - 56 - 96 - 180),
    ],
)
def test_preflop_hands_are_in_the_first_list_from_the_top_that_has_them(bucket, held, combos):
    assert {hand: preflop_bucket(hand) for hand in held.split()} == dict.fromkeys(held.split(), bucket)
    assert (rank_based.preflop_buckets() == bucket).sum() == combos


def test_no_hand_is_in_bucket_0_before_the_flop():
    assert (rank_based.preflop_buckets() > 0).all()
    assert RANK_BASED.text(PREFLOP, 0) == "unused (no hand)"


def test_later_buckets_are_treys_categories():
    """Hole cards with three, four and five cards of the board."""
    boards = np.asarray(RANK_BASED.sample_boards((), jax.random.key(1), BOARDS))
    buckets = np.asarray(of_boards((), boards))
    rng, seen = np.random.default_rng(2), set()
    for board, of_board in zip(boards[:60], buckets[:60], strict=True):
        free = np.flatnonzero(~np.isin(ranges.COMBOS, board).any(axis=1))
        rare = free[np.argsort(of_board[RIVER, free])[-3:]]
        for combo in [*rng.choice(free, 10), *rare]:
            for street in (FLOP, TURN, RIVER):
                opened = cards.to_treys(board[: OPEN_CARDS[street]])
                score = EVALUATOR.evaluate(opened, cards.to_treys(ranges.COMBOS[combo]))
                name = TREYS_CATEGORIES[EVALUATOR.class_to_string(EVALUATOR.get_rank_class(score))]
                bucket = of_board[street, combo]
                assert RANK_BASED.text(street, int(bucket)) == name
                seen.add(int(bucket))
    assert seen >= set(range(8))


def test_a_straight_flush_is_the_top_bucket():
    bucket = RANK_BASED.of_hand((), cards.parse("JhTh"), cards.parse("9h8h7h2c2d"), RIVER)
    assert bucket == 8 and hands.CATEGORIES[8] == "straight flush"


def test_the_fingerprint_names_the_lists(monkeypatch):
    assert abstraction.make("rank_based", (6, 9, 9, 9)) == RANK_BASED
    assert hash(abstraction.make("rank_based")) == hash(RANK_BASED)
    lists = [(b, n, t, "99-66, AQ" if b == 4 else r) for b, n, t, r in rank_based.PREFLOP_LISTS]
    monkeypatch.setattr(rank_based, "PREFLOP_LISTS", lists)
    other = contract.digest("rank_based", rank_based.preflop_buckets.__wrapped__(), *hands.CATEGORIES)
    assert other != RANK_BASED.fingerprint
