"""Boards up to the names of their suits: published counts, and lookups against renaming by hand."""

import functools
import itertools
import math

import jax
import numpy as np
import pytest

from jaxpoker import cards, equity, ranges
from jaxpoker.equity import boards
from jaxpoker.equity.boards import ALL_SUIT_ORDERS
from jaxpoker.solvers.abstraction import isomorphism

SIZES = (3, 4, 5)
BLOCKED = -1

look_up = jax.jit(isomorphism.look_up)


def renamed(ids, order):
    """Cards with suit s turned into the s-th of an order [..., 4]."""
    suits = np.take_along_axis(np.broadcast_to(order, (*ids.shape[:-1], 4)), ids // 13, axis=-1)
    return suits * 13 + ids % 13


@functools.cache
def hand_classes(size):
    """[classes, 1326]: the first of the combos that are alike on the representative of each class of boards: those that
    an order of suits turns into each other while it leaves the board as it is. ``BLOCKED`` where the board has one of
    the cards."""
    masks = (np.uint64(1) << isomorphism.classes(size).cards.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    first = np.tile(np.arange(ranges.NUM_COMBOS, dtype=np.int16), (len(masks), 1))
    for suits, combos in zip(ALL_SUIT_ORDERS, isomorphism.renamed_combos(), strict=True):
        same = boards.rename_suits(masks, suits) == masks
        first[same] = np.minimum(first[same], combos)
    return np.where(masks[:, None] & boards.combo_masks(), np.int16(BLOCKED), first)


@pytest.mark.parametrize(("size", "count"), [(1, 13), (2, 169), (3, 1_755), (4, 16_432), (5, 134_459)])
def test_so_many_boards_differ_by_more_than_suits(size, count):
    classes = isomorphism.classes(size)
    assert classes.cards.shape == (count, size)
    assert classes.times.sum() == len(classes.class_of) == len(classes.order_of) == math.comb(52, size)
    np.testing.assert_array_equal(np.bincount(classes.class_of), classes.times)


def test_river_boards_are_those_of_the_equity_tables():
    masks, times = equity.canonical_boards(5, equity.ALL_SUIT_ORDERS)
    classes = isomorphism.classes(5)
    order = np.argsort(masks)
    np.testing.assert_array_equal((1 << classes.cards.astype(np.uint64)).sum(axis=1), masks[order])
    np.testing.assert_array_equal(classes.times, times[order])


@pytest.mark.parametrize(("size", "count"), [(3, 1_286_792), (4, 13_960_050)])
def test_so_many_hands_on_boards_differ_by_more_than_suits(size, count):
    first = hand_classes(size)
    assert (first == np.arange(ranges.NUM_COMBOS)).sum() == count
    blocked = (ranges.COMBOS[None, :, :, None] == isomorphism.classes(size).cards[:50, None, None, :]).any(axis=(2, 3))
    np.testing.assert_array_equal(first[:50] == BLOCKED, blocked)


def test_hands_are_alike_when_suits_that_the_board_does_not_tell_apart_are_renamed():
    aces = [ranges.combo_index(*cards.parse(pair)) for pair in ("AcAd", "AcAh", "AdAh", "AsAc", "AsAd")]
    flop = np.sort(cards.parse("Ks8s2s"))
    at = int(isomorphism.number(flop))
    classes = isomorphism.classes(3)
    names = isomorphism.renamed_combos()[classes.order_of[at]][aces]  # as the representative has them
    first = hand_classes(3)[classes.class_of[at]][names]
    assert len(set(first[:3])) == 1 and len(set(first[3:])) == 1 and first[0] != first[3]


def test_numbers_of_flops_are_their_places_in_the_order_of_highest_cards():
    flops = np.array(sorted(itertools.combinations(range(12), 3), key=lambda flop: flop[::-1]))
    np.testing.assert_array_equal(isomorphism.number(flops), np.arange(math.comb(12, 3)))
    np.testing.assert_array_equal(isomorphism.number(flops[:, [2, 0, 1]]), np.arange(math.comb(12, 3)))


@pytest.mark.parametrize("size", SIZES)
def test_the_order_of_a_board_turns_it_into_its_representative(size):
    classes = isomorphism.classes(size)
    board = np.asarray(cards.deal(jax.random.key(size), size, (2_000,)))
    index, order = map(np.asarray, look_up(classes.class_of, classes.order_of, board))
    turned = renamed(board, np.array(ALL_SUIT_ORDERS)[order])
    np.testing.assert_array_equal(np.sort(turned, axis=1), classes.cards[index])


@pytest.mark.parametrize("size", SIZES)
def test_renaming_suits_leaves_the_class_and_the_hand(size):
    """A hand and a board renamed in one way are one hand on one representative, up to suits that it leaves alike."""
    classes = isomorphism.classes(size)
    dealt = np.asarray(cards.deal(jax.random.key(10 + size), 2 + size, (2_000,)))
    other = renamed(dealt, np.array(ALL_SUIT_ORDERS)[np.arange(2_000) % 24])
    places = []
    for hands in (dealt, other):
        index, order = map(np.asarray, look_up(classes.class_of, classes.order_of, hands[:, 2:]))
        combo = isomorphism.renamed_combos()[order, ranges.combo_index(hands[:, 0], hands[:, 1])]
        places.append((index, combo))
    np.testing.assert_array_equal(places[0][0], places[1][0])
    if size < 5:
        first = hand_classes(size)
        np.testing.assert_array_equal(first[places[0]], first[places[1]])
        assert (first[places[0]] >= 0).all()


def test_a_board_has_1_to_5_cards():
    with pytest.raises(ValueError, match="a board has 1 to 5 cards, not 6"):
        isomorphism.classes(6)
