"""Cards as text and ids, and dealing: no card twice, none that is dead, all alike."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from treys import Card

from jaxpoker import cards

DECK = np.arange(52)

# --- text -------------------------------------------------------------------------------------


def test_ids_are_suit_times_13_plus_rank():
    assert cards.parse("2c 3c Ac 2d 2h 2s As").tolist() == [0, 1, 12, 13, 26, 39, 51]
    assert cards.parse("AhKd").tolist() == [38, 24]


def test_every_card_survives_the_round_trip():
    assert [cards.parse(cards.text(card)).tolist() for card in range(52)] == [[card] for card in range(52)]
    assert len({cards.text(card) for card in range(52)}) == 52


def test_sets_of_cards_survive_the_round_trip_in_order():
    rng = np.random.default_rng(0)
    for count in (0, 1, 2, 5, 7, 52):
        ids = rng.permutation(52)[:count]
        assert cards.parse(cards.text(ids)).tolist() == ids.tolist()


@pytest.mark.parametrize(
    "written", ["AhTd2s", "ahtd2s", "AH TD 2S", "Ah,10d,2s", "A♥ T♦, 2♠", " A♥10♦\t2♠\n", "Ah,Td , 2s,"]
)
def test_ways_to_write_the_same_cards(written):
    assert cards.text(cards.parse(written)) == "AhTd2s"


def test_the_four_suit_symbols():
    assert cards.text(cards.parse("5♣5♦5♥5♠")) == "5c5d5h5s"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("AhXs", "unknown card 'Xs' in 'AhXs': ranks are 23456789TJQKA"),
        ("AhKx", "unknown card 'Kx' in 'AhKx': suits are cdhs"),
        ("1h", "unknown card '1h' in '1h': ranks are 23456789TJQKA"),
        ("AhK", "cannot split 'AhK' into cards: each is a rank and a suit, as in 'AhKd'"),
        ("AhKdAh", "card 'Ah' appears twice in 'AhKdAh'"),
        ("Ah a♥", "card 'Ah' appears twice in 'Ah a♥'"),
    ],
)
def test_what_is_no_card_is_named(written, message):
    with pytest.raises(ValueError) as error:
        cards.parse(written)
    assert str(error.value) == message


def test_cards_are_parsed_from_text_only():
    with pytest.raises(TypeError, match=r"cards are written as text such as 'AhKd', not list \['Ah'\]"):
        cards.parse(["Ah"])


@pytest.mark.parametrize("card", [52, -2])
def test_an_id_out_of_the_deck_has_no_text(card):
    with pytest.raises(ValueError, match=f"{card} is not a card id: ids are 0 to 51"):
        cards.text([0, card])


def test_text_leaves_out_cards_not_dealt():
    assert cards.text([38, cards.NO_CARD, 24, cards.NO_CARD]) == "AhKd"
    assert cards.text(jnp.array([[38], [24]])) == "AhKd"


def test_distinct_groups_are_required_by_name():
    cards.require_distinct(hand=[0, 1], board=[2, 3, 4])
    with pytest.raises(ValueError, match="card '3c' is in hand and in board"):
        cards.require_distinct(hand=[0, 1], board=[1, 3, 4])
    with pytest.raises(ValueError, match="card '2c' is twice in hand"):
        cards.require_distinct(hand=[0, 0])
    with pytest.raises(ValueError, match="52 in board is not a card id"):
        cards.require_distinct(hand=[0], board=[52])


def test_treys_cards_and_back():
    theirs = cards.to_treys(DECK)
    assert [Card.int_to_str(card) for card in theirs] == [cards.text(card) for card in DECK]
    np.testing.assert_array_equal(cards.from_treys(theirs), DECK)
    assert cards.from_treys([Card.new("Qs")]).tolist() == cards.parse("Qs").tolist()


# --- dealing ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def deal():
    return jax.jit(cards.deal, static_argnums=(1, 2))


@pytest.fixture(scope="module")
def deals(deal):
    """[2**18, 3] cards dealt from one key."""
    return np.asarray(deal(jax.random.key(1), 3, (1 << 18,)))


def require_uniform(classes, count):
    """That draws of ``count`` equally likely classes look like it: chi-square within 4.5 deviations of its mean."""
    seen = np.bincount(classes, minlength=count)
    assert len(seen) == count
    expected = len(classes) / count
    chi_square = ((seen - expected) ** 2 / expected).sum()
    freedom = count - 1
    assert abs(chi_square - freedom) < 4.5 * np.sqrt(2 * freedom), f"chi-square {chi_square} of {freedom}"


def require_distinct_cards(dealt):
    assert dealt.min() >= 0 and dealt.max() < 52
    assert (np.diff(np.sort(dealt, axis=-1), axis=-1) > 0).all()


def test_no_card_is_dealt_twice(deals):
    require_distinct_cards(deals)


def test_every_place_gets_every_card_alike(deals):
    for place in range(3):
        require_uniform(deals[:, place], 52)


def test_every_ordered_pair_is_as_likely(deals):
    for first, second in ((0, 1), (1, 2), (0, 2)):
        a, b = deals[:, first], deals[:, second]
        require_uniform(a * 51 + b - (b > a), 52 * 51)


def test_every_triple_of_suits_is_as_likely_as_it_should_be(deals):
    suits = deals // 13
    same = (suits[:, 0] == suits[:, 1]).astype(int) + (suits[:, 1] == suits[:, 2]) + (suits[:, 0] == suits[:, 2])
    parts = [(same == pairs).mean() for pairs in (3, 1, 0)]  # one suit, two suits, three suits
    exact = [12 / 51 * 11 / 50, 3 * 12 / 51 * 39 / 50, 39 / 51 * 26 / 50]
    np.testing.assert_allclose(parts, exact, atol=4.5 * 0.5 / np.sqrt(len(deals)))


def test_every_order_of_three_cards_is_as_likely(deals):
    order = np.argsort(deals, axis=-1)
    require_uniform(2 * order[:, 0] + (order[:, 1] > order[:, 2]), 6)


@pytest.fixture(scope="module", params=["deal", "shuffle"])
def shuffles(request):
    """[8192, 52]; the deal is not jitted, because 52 cards take long to compile."""
    if request.param == "deal":
        return np.asarray(cards.deal(jax.random.key(2), 52, (8192,)))
    return np.asarray(cards.shuffle(jax.random.key(2), (8192,)))


def test_fifty_two_cards_are_a_permutation_of_the_deck(shuffles):
    np.testing.assert_array_equal(np.sort(shuffles, axis=-1), np.broadcast_to(DECK, shuffles.shape))


def test_a_given_card_is_anywhere_in_the_deck(shuffles):
    for card in (0, 25, 51):
        require_uniform(np.argmax(shuffles == card, axis=-1), 52)


def test_the_last_card_is_anything(shuffles):
    require_uniform(shuffles[:, -1], 52)


def test_one_key_per_table_shuffles_as_well():
    decks = np.asarray(jax.jit(jax.vmap(cards.shuffle))(jax.random.split(jax.random.key(3), 4096)))
    np.testing.assert_array_equal(np.sort(decks, axis=-1), np.broadcast_to(DECK, decks.shape))
    for place in (0, 20, 51):
        require_uniform(decks[:, place], 52)


def test_dead_cards_are_not_dealt_and_the_others_alike(deal):
    dead = cards.parse("2cAsKdQh7c")
    dealt = np.asarray(deal(jax.random.key(3), 4, (1 << 15,), dead))
    require_distinct_cards(dealt)
    assert not np.isin(dealt, dead).any()
    left = np.setdiff1d(DECK, dead)
    for place in range(4):
        require_uniform(np.searchsorted(left, dealt[:, place]), len(left))


def test_dead_cards_may_differ_from_table_to_table_and_be_none(deal):
    none = cards.NO_CARD
    dead = np.array([[none, none, none], [0, none, 51], [none, 7, none], [3, 1, 2]])
    dealt = np.asarray(deal(jax.random.key(4), 5, (4096, 4), dead))
    require_distinct_cards(dealt)
    for table, out in enumerate(dead):
        left = np.setdiff1d(DECK, out)
        assert not np.isin(dealt[:, table], out).any()
        require_uniform(np.searchsorted(left, dealt[:, table, 0]), len(left))
        require_uniform(np.searchsorted(left, dealt[:, table, 4]), len(left))


def test_all_cards_that_are_not_dead_can_be_dealt():
    dead = np.arange(10, 30)
    dealt = np.asarray(cards.deal(jax.random.key(5), 32, (64,), dead))
    np.testing.assert_array_equal(np.sort(dealt), np.broadcast_to(np.setdiff1d(DECK, dead), dealt.shape))


def test_one_key_per_table_deals_as_well():
    keys = jax.random.split(jax.random.key(6), 1 << 15)
    dealt = np.asarray(jax.jit(jax.vmap(lambda key: cards.deal(key, 7)))(keys))
    require_distinct_cards(dealt)
    for place in (0, 3, 6):
        require_uniform(dealt[:, place], 52)


@pytest.mark.parametrize(
    "key", [jax.random.PRNGKey, lambda seed: jax.random.key(seed, impl="rbg")], ids=["PRNGKey", "rbg"]
)
def test_any_kind_of_key_deals(deal, key):
    dealt = np.asarray(deal(key(7), 7, (4096,)))
    require_distinct_cards(dealt)
    require_uniform(dealt[:, 0], 52)
    assert (np.asarray(deal(key(8), 7, (4096,))) != dealt).any()


def test_the_same_key_deals_the_same_cards(deal, deals):
    np.testing.assert_array_equal(deal(jax.random.key(1), 3, (1 << 18,)), deals)


def test_shapes_of_deals():
    assert cards.deal(jax.random.key(0), 2).shape == (2,)
    assert cards.deal(jax.random.key(0), 2, (3, 4)).shape == (3, 4, 2)
    assert cards.deal(jax.random.key(0), 0, (3,)).shape == (3, 0)
    assert cards.deal(jax.random.key(0), 2).dtype == jnp.int32


def test_more_cards_than_the_deck_has_are_refused():
    with pytest.raises(ValueError, match="cannot deal 53 cards with 0 dead: there are 52"):
        cards.deal(jax.random.key(0), 53)
    with pytest.raises(ValueError, match="cannot deal 48 cards with 5 dead"):
        cards.deal(jax.random.key(0), 48, dead=np.arange(5))
    with pytest.raises(ValueError, match="cannot deal -1 cards"):
        cards.deal(jax.random.key(0), -1)


def test_a_shape_may_be_a_list():
    key = jax.random.key(0)
    np.testing.assert_array_equal(cards.deal(key, 5, [3]), cards.deal(key, 5, (3,)))
    np.testing.assert_array_equal(cards.shuffle(key, [3]), cards.shuffle(key, (3,)))
