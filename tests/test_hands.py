"""Hand strength: the counts of all seven-card hands, and the order of treys."""

import itertools
import math

import jax
import numpy as np
import pytest
from treys import Evaluator
from treys.lookup import LookupTable

from jaxpoker import cards, hands

PRIMES = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41])  # treys' number of each rank

# Every category with hands that belong to it, weakest first; two hands joined by "=" are a tie.
LADDER = [
    ("seven high", "7c5d4h3s2c = 7d5c4s3h2d"),
    ("ace high", "AcKdQhJs9c"),
    ("pair of twos", "2c2d5h4s3c"),
    ("pair of twos", "2c2dAhKsQc"),
    ("pair of sixes", "6c6d4h3s2c"),
    ("pair of aces", "AcAdKhQsJc = AhAsKcQcJd"),
    ("two pair, threes and twos", "3c3d2h2s4c"),
    ("two pair, kings and sevens", "KcKd7h7s2c"),
    ("two pair, kings and sevens", "KcKd7h7s3c = KhKs7c7d3d"),
    ("two pair, kings and eights", "KcKd8h8s2c"),
    ("two pair, aces and twos", "AcAd2h2s3c"),
    ("three of a kind, twos", "2c2d2h4s3c"),
    ("three of a kind, queens", "QcQdQh5s4c"),
    ("three of a kind, queens", "QcQdQh6s4c"),
    ("three of a kind, aces", "AcAdAhKsQc"),
    ("five-high straight", "Ac2d3h4s5c = Ad2c3c4c5c"),
    ("six-high straight", "2c3d4h5s6c"),
    ("ten-high straight", "6c7d8h9sTc"),
    ("ace-high straight", "TcJdQhKsAc"),
    ("seven-high flush", "7c5c4c3c2c = 7h5h4h3h2h"),
    ("ace-high flush", "Ac6c4c3c2c"),
    ("ace-high flush", "AcKcQcJc9c"),
    ("full house, twos full of aces", "2c2d2hAsAc"),
    ("full house, nines full of fours", "9c9d9h4s4c"),
    ("full house, nines full of sixes", "9c9d9h6s6c"),
    ("full house, aces full of kings", "AcAdAhKsKc"),
    ("four of a kind, twos", "2c2d2h2sAc"),
    ("four of a kind, jacks", "JcJdJhJs3c"),
    ("four of a kind, jacks", "JcJdJhJs4c = JcJdJhJs4d"),
    ("four of a kind, aces", "AcAdAhAsKc"),
    ("five-high straight flush", "Ac2c3c4c5c = As2s3s4s5s"),
    ("six-high straight flush", "2d3d4d5d6d"),
    ("king-high straight flush", "9hThJhQhKh"),
    ("royal flush", "ThJhQhKhAh = TsJsQsKsAs"),
]


@pytest.fixture(scope="module")
def strength():
    return jax.jit(hands.strength)


@pytest.fixture(scope="module")
def five_card_hands():
    """[2598960, 5] ids."""
    combinations = itertools.chain.from_iterable(itertools.combinations(range(52), 5))
    return np.fromiter(combinations, np.int32, 5 * math.comb(52, 5)).reshape(-1, 5)


# --- all hands --------------------------------------------------------------------------------


def suit_masks(card_sets):
    """[4, sets] rank masks of card ids [sets, cards]."""
    in_suit = card_sets[..., None] // 13 == np.arange(4)
    return np.where(in_suit, 1 << (card_sets[..., None] % 13), 0).sum(axis=1, dtype=np.int32).T


def subsets(ids, count):
    return np.array(list(itertools.combinations(ids, count)), np.int32)


@pytest.mark.thorough
@pytest.mark.optimised
def test_the_nine_categories_of_all_seven_card_hands():
    """A hand is three cards and four higher ones: for each third card, every such triple with every such four."""
    tile = (64, 8192)

    @jax.jit
    def categories(triples, fours):
        both = [triples[suit][:, None] | fours[suit] for suit in range(4)]
        return hands.category(hands.strength_of_masks(*both)).astype(np.int8)

    fours = subsets(range(52), 4)
    fours = fours[::-1]  # those above a card come before those that hold it or a lower one
    four_masks = suit_masks(fours)
    counts = np.zeros(9, np.int64)
    for third in range(2, 48):
        pairs = subsets(range(third), 2)
        triples = suit_masks(np.column_stack([pairs, np.full(len(pairs), third)]))
        higher = four_masks[:, : math.comb(51 - third, 4)]
        for i in range(0, triples.shape[1], tile[0]):
            for j in range(0, higher.shape[1], tile[1]):
                parts = [x[:, at : at + size] for x, at, size in ((triples, i, tile[0]), (higher, j, tile[1]))]
                padded = [np.pad(x, ((0, 0), (0, n - x.shape[1]))) for x, n in zip(parts, tile, strict=True)]
                found = np.asarray(categories(*padded))[: parts[0].shape[1], : parts[1].shape[1]]
                counts += np.bincount(found.reshape(-1), minlength=9)
    assert dict(zip(hands.CATEGORIES, counts.tolist(), strict=True)) == {
        "high card": 23_294_460,
        "pair": 58_627_800,
        "two pair": 31_433_400,
        "three of a kind": 6_461_620,
        "straight": 6_180_020,
        "flush": 4_047_644,
        "full house": 3_473_184,
        "four of a kind": 224_848,
        "straight flush": 41_584,
    }


def treys_ranks_of_five(card_ids):
    """[hands] treys' ranks, 1 the royal flush ... 7462, by its own tables of prime products."""
    table = LookupTable()
    products = PRIMES[card_ids % 13].prod(axis=1)
    suits = card_ids // 13
    is_flush = (suits == suits[:, :1]).all(axis=1)
    ranks = np.zeros(len(card_ids), np.int64)
    for which, lookup in ((is_flush, table.flush_lookup), (~is_flush, table.unsuited_lookup)):
        keys, values = (np.array(list(side)) for side in (lookup.keys(), lookup.values()))
        order = np.argsort(keys)
        found = np.searchsorted(keys[order], products[which])
        np.testing.assert_array_equal(keys[order][found], products[which])
        ranks[which] = values[order][found]
    return ranks


def require_treys_order(ours, theirs):
    """That higher strengths are lower treys ranks and ties are ties; returns the number of distinct strengths."""
    order = np.argsort(ours, kind="stable")
    our_steps, their_steps = np.diff(ours[order]), np.diff(np.asarray(theirs)[order])
    np.testing.assert_array_equal(our_steps > 0, their_steps < 0)
    np.testing.assert_array_equal(our_steps == 0, their_steps == 0)
    return 1 + int((our_steps > 0).sum())


def test_all_five_card_hands_are_in_the_order_of_treys(strength, five_card_hands):
    ours = np.asarray(strength(five_card_hands))
    assert require_treys_order(ours, treys_ranks_of_five(five_card_hands)) == 7462


@pytest.mark.thorough
@pytest.mark.parametrize(("num_cards", "num_hands"), [(5, 2_000), (6, 20_000), (7, 100_000)])
def test_random_hands_are_in_the_order_of_treys_evaluator(strength, num_cards, num_hands):
    dealt = np.asarray(cards.deal(jax.random.key(num_cards), num_cards, (num_hands,)))
    treys_cards = np.array(cards.to_treys(range(52)))
    evaluate = Evaluator().evaluate
    theirs = [evaluate(hand[:2], hand[2:]) for hand in treys_cards[dealt].tolist()]
    assert require_treys_order(np.asarray(strength(dealt)), theirs) > 1000


# --- categories and names ---------------------------------------------------------------------


def test_hands_rank_as_they_are_named(strength):
    last = -1
    for words, written in LADDER:
        tied = np.asarray(strength(np.stack([cards.parse(hand) for hand in written.split("=")])))
        assert (tied == tied[0]).all() and tied[0] > last, written
        assert hands.name(tied[0]) == words
        last = tied[0]


def test_every_category_of_the_ladder_is_found(strength):
    found = [int(hands.category(strength(cards.parse(written.split("=")[0])))) for _, written in LADDER]
    assert found == sorted(found)
    assert sorted(set(found)) == list(range(9))
    assert [hands.CATEGORIES[kind] for kind in dict.fromkeys(found)] == [
        "high card", "pair", "two pair", "three of a kind", "straight", "flush",
        "full house", "four of a kind", "straight flush",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seven", "best_five"),
    [
        ("AcAdKhKsQcQd2h", "AcAdKhKsQc"),  # three pairs: the third one is a kicker
        ("AcAdAhKsKcKd2h", "AcAdAhKsKc"),  # two trips: a full house
        ("AcAdAhKsKcQdQh", "AcAdAhKsKc"),  # the better pair fills it
        ("2c2d2h2sAcAdAh", "2c2d2h2sAc"),  # quads beat the full house
        ("2c3c4c5c6c7d8d", "2c3c4c5c6c"),  # the straight flush is not the highest straight
        ("Ac2c3c4c5c6d7d", "Ac2c3c4c5c"),
        ("AcKcQcJc9c8c7c", "AcKcQcJc9c"),  # seven suited cards: the best five
        ("Ac2d3h4s5cKdKh", "Ac2d3h4s5c"),  # the wheel beats the pair
        ("AcKdQhJsTc9d8h", "AcKdQhJsTc"),  # the highest of three straights
        ("QcKdAh2s3c4d5h", "Ah2s3c4d5h"),  # straights do not run around the ace
        ("QcKdAh2s3c4d7h", "AhKdQc7h4d"),
        ("AcAdAhKsQcJd9h", "AcAdAhKsQc"),
        ("2c2dAhKsQcJd9h", "2c2dAhKsQc"),
    ],
)
def test_the_best_five_of_seven_count(strength, seven, best_five):
    assert strength(cards.parse(seven)) == strength(cards.parse(best_five))


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_the_order_of_the_cards_does_not_matter(strength, num_cards):
    dealt = np.asarray(cards.deal(jax.random.key(9), num_cards, (20_000,)))
    shuffled = np.random.default_rng(0).permuted(dealt, axis=1)
    np.testing.assert_array_equal(strength(dealt), strength(shuffled))


def test_suits_do_not_matter(strength):
    dealt = np.asarray(cards.deal(jax.random.key(10), 7, (20_000,)))
    turned = (dealt + 13) % 52
    np.testing.assert_array_equal(strength(dealt), strength(turned))


def test_a_better_card_never_hurts(strength):
    dealt = np.asarray(cards.deal(jax.random.key(11), 7, (20_000,)))
    assert (np.asarray(strength(dealt)) >= np.asarray(strength(dealt[:, :6]))).all()
    assert (np.asarray(strength(dealt[:, :6])) >= np.asarray(strength(dealt[:, :5]))).all()


def test_strengths_keep_the_leading_shape(strength):
    dealt = np.asarray(cards.deal(jax.random.key(12), 7, (3, 4)))
    assert strength(dealt).shape == (3, 4)
    assert strength(dealt).dtype == np.int32
    assert strength(dealt[0, 0]).shape == ()


@pytest.mark.parametrize("shape", [(4,), (8,), (10, 3), ()])
def test_other_numbers_of_cards_are_no_hand(shape):
    with pytest.raises(ValueError, match=r"n = 5, 6 or 7; got shape"):
        hands.strength(np.zeros(shape, np.int32))
    with pytest.raises(ValueError, match="a hand has 5, 6 or 7 cards, not 8"):
        hands.strength_of_masks(0, 0, 0, 0, num_cards=8)


@pytest.mark.parametrize("number", [-1, 0, 9 << 26, (1 << 26) | 1, 1 << 40])
def test_what_is_no_strength_has_no_name(number):
    with pytest.raises(ValueError, match=f"{number} is not a hand strength"):
        hands.name(number)
