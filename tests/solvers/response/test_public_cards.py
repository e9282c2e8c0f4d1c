"""Public cards in their order up to suits: how many there are by Burnside's lemma, and that every card counts once."""

import itertools
import math

import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.solvers.response import public_cards


def orbits(sequences):
    """Burnside: the mean over all orders of suits of how many sequences an order leaves as they are. A fixed sequence
    has a flop that is a union of cycles, and later cards that the order does not move."""
    total = 0
    for suits in itertools.permutations(range(4)):
        fixed = sum(suits[s] == s for s in range(4))
        two = sum(suits[suits[s]] == s and suits[s] != s for s in range(4)) // 2
        three = sum(suits[s] != s and suits[suits[s]] != s and suits[suits[suits[s]]] == s for s in range(4)) // 3
        one, pairs, triples = 13 * fixed, 13 * two, 13 * three
        # flops of so many fixed cards: three, or one and a pair of exchanged ones, or three that go round
        for still, number in ((3, math.comb(one, 3)), (1, one * pairs), (0, triples)):
            total += number * math.perm(one - still, sequences - 3) if one >= still else 0
    assert total % 24 == 0
    return total // 24


def test_burnside_knows_the_1755_flops():
    assert orbits(3) == 1_755 == len(public_cards.flops().cards)


@pytest.mark.thorough
def test_turns_and_rivers_in_order_are_as_many_as_burnside_says_and_every_card_counts_once():
    found = [public_cards.after(flop) for flop in public_cards.flops().cards]
    assert sum(int(each.num_turns) for each in found) == orbits(4) == 63_193
    assert sum(int(each.num_rivers.sum()) for each in found) == orbits(5) == 2_554_656
    for each in found:
        assert each.turn_times.sum() == 49
        assert (each.river_times.sum(axis=1)[: each.num_turns] == 48).all()


def test_a_monotone_flop_leaves_three_suits_alike():
    found = public_cards.after(cards.parse("As8s3s"))
    assert found.num_orders == 6 and found.num_turns == 10 + 13
    assert sorted(found.turn_times[: found.num_turns].tolist()) == [1] * 10 + [3] * 13
    spade = found.turns[: found.num_turns].tolist().index(int(cards.parse("2s")[0]))
    assert found.num_turn_orders[spade] == 6 and found.num_rivers[spade] == 9 + 13
    other = next(t for t in range(23) if found.turn_times[t] == 3)
    assert found.num_turn_orders[other] == 2 and found.num_rivers[other] == 10 + 12 + 13


def test_boards_are_distinct_cards():
    boards = public_cards.after(cards.parse("KsKh7d")).boards()
    assert (np.diff(np.sort(boards, axis=1), axis=1) > 0).all() and boards.shape == (len(np.unique(boards, axis=0)), 5)
