"""All deals of the small games and of hold'em before the flop: probabilities that add up, and who wins."""

import itertools

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import ranges
from jaxpoker.games import deals

GAMES = {name: jaxpoker.make(name) for name in ("kuhn", "leduc")} | {"push/fold": jaxpoker.make("holdem")}


@pytest.mark.parametrize("name", GAMES)
def test_probabilities_add_up(name):
    listed = GAMES[name].all_deals()
    for street in listed.streets:
        assert street.prior.sum() == pytest.approx(1)
        assert (street.lose > -1e-12).all() and (street.win >= 0).all() and (street.tie >= 0).all()
        np.testing.assert_allclose(street.win, street.lose.swapaxes(1, 2), atol=1e-12)  # the seats are alike
    for early, late in itertools.pairwise(listed.streets):
        for field in ("prior", "win", "tie"):
            np.testing.assert_allclose(getattr(late, field).sum(axis=0), getattr(early, field)[0])


def test_leducs_deals_are_120():
    second = GAMES["leduc"].all_deals().streets[1]
    assert (second.prior > 0).sum() == 120
    np.testing.assert_allclose(second.prior[second.prior > 0], 1 / 120)
    jack, king, public_jack = 0, 4, 1
    assert second.win[public_jack, jack, king] == second.prior[public_jack, jack, king] > 0  # a pair beats a king
    assert second.tie[2, 0, 1] > 0  # two jacks and a queen


def test_aces_beat_kings_as_often_as_they_do():
    street = GAMES["push/fold"].all_deals().streets[0]
    aces, kings = ranges.CLASS_NAMES.index("AA"), ranges.CLASS_NAMES.index("KK")
    at = (0, aces, kings)
    assert street.prior[at] == pytest.approx(36 / (1326 * 1225))
    assert street.win[at] / street.prior[at] == pytest.approx(50_371_344 / (36 * 1_712_304))
    assert street.prior[0].sum(axis=1) == pytest.approx(ranges.COMBOS_PER_CLASS / 1326)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", GAMES)
def test_examples_hold_the_hand_of_their_column(name, seat):
    game, listed = GAMES[name], GAMES[name].all_deals()
    examples, column = listed.examples[seat]
    states = jax.jit(jax.vmap(game.start))(examples)
    if name == "push/fold":
        hole = np.asarray(states.deal.hole)[:, seat]
        np.testing.assert_array_equal(ranges.CLASS_OF_COMBO[ranges.combo_index(hole[:, 0], hole[:, 1])], column)
        dealt = np.concatenate([np.asarray(states.deal.hole).reshape(-1, 4), np.asarray(states.deal.board)], axis=1)
        assert all(len(set(row)) == 9 for row in dealt.tolist())
        return
    cards = np.asarray(examples.cards)[:, None] >> (3 * np.arange(3)) & 7
    board, hand = np.divmod(column, len(listed.hands))
    np.testing.assert_array_equal(cards[:, seat], hand)
    if name == "leduc":
        np.testing.assert_array_equal(cards[:, 2], board)
        assert all(len(set(row)) == 3 for row in cards.tolist())


@pytest.mark.parametrize(("name", "count"), [("kuhn", 24), ("leduc", 1680)])
def test_deals_of_three_are_all_there_and_end_as_their_cards_say(name, count):
    known = jaxpoker.make(name, num_players=3).all_deals()
    last = known.streets[-1]
    assert last.chances.sum() == pytest.approx(1) and last.prior[last.prior > 0] == pytest.approx(1 / count)
    assert (last.prior > 0).sum() == count
    orders = jaxpoker.make(name, num_players=3).showdown_orders
    for outcome, board, *hands in np.argwhere(last.chances > 0)[:: max(count // 60, 1)]:
        pair = [name == "leduc" and hand // 2 == board // 2 for hand in hands]
        rank = [hand // 2 if name == "leduc" else hand for hand in hands]
        strength = [100 if paired else own for paired, own in zip(pair, rank, strict=True)]
        compared = np.sign(np.subtract.outer(strength, strength))
        np.testing.assert_array_equal(compared, np.sign(np.subtract.outer(orders[outcome], orders[outcome])))


def test_deals_of_more_than_three_at_leduc_are_too_many():
    with pytest.raises(ValueError, match="listed for 2 and 3 players, not for 4"):
        jaxpoker.make("leduc", num_players=4).all_deals()


def test_a_list_of_deals_becomes_tables():
    """Two cards, the higher wins; seat 0 gets the high one in three of four deals."""
    found = deals.listed(
        np.array([[1, 0], [0, 1]]), [0.75, 0.25], [[1, 0], [0, 1]], [[1, 0], [0, 1]], hands=["low", "high"]
    )
    (street,) = found.streets
    np.testing.assert_array_equal(street.prior[0], [[0, 0.25], [0.75, 0]])
    np.testing.assert_array_equal(street.win[0], [[0, 0], [0.75, 0]])
    assert not street.tie.any()
    for seat in (0, 1):
        dealt, column = found.examples[seat]
        np.testing.assert_array_equal(dealt[:, seat], column)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"probabilities": [0.5, 0.25]}, "sum to 1, not to 0.75"),
        ({"holds": [[1, 0]]}, r"holds \(1, 2\)"),
    ],
)
def test_a_list_that_does_not_add_up_is_refused(wrong, message):
    right = {"probabilities": [0.75, 0.25], "holds": [[1, 0], [0, 1]], "strengths": [[1, 0], [0, 1]]}
    with pytest.raises(ValueError, match=message):
        deals.listed(np.eye(2), **{**right, **wrong}, hands=["low", "high"])


def test_showdowns_come_out_in_all_orders():
    assert deals.showdown_orders(2).tolist() == [[1, 0], [0, 0], [0, 1]]  # win, tie and loss of seat 0
    assert [len(deals.showdown_orders(players)) for players in (2, 3, 4)] == [3, 13, 75]  # weak orders
    assert deals.showdown_orders(2, ties=False).tolist() == [[1, 0], [1, 0], [0, 1]]
    assert [len(deals.showdown_orders(players, ties=False)) for players in (3, 4)] == [6, 24]  # permutations


def test_deals_that_are_given_a_board_and_ranges():
    whole = GAMES["leduc"].all_deals()
    first, second = np.arange(6.0), np.array([1, 0, 1, 0, 1, 0.5])
    given = whole.given(1, 4, (first, second))
    (street,) = given.streets[1:]
    assert street.boards == ("Kh",) and street.prior.sum() == pytest.approx(1)
    expected = np.where(whole.streets[1].prior[4] > 0, first[:, None] * second, 0)
    np.testing.assert_allclose(street.prior[0], expected / expected.sum())
    np.testing.assert_array_equal(street.win[0] > 0, (whole.streets[1].win[4] > 0) & (expected > 0))
