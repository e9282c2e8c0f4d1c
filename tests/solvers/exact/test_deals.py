"""All deals of the small games and of hold'em before the flop: probabilities that add up, and who wins."""

import itertools

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import ranges

GAMES = {name: jaxpoker.make(name) for name in ("kuhn", "leduc")} | {"push/fold": jaxpoker.make("holdem")}


@pytest.mark.parametrize("name", GAMES)
def test_probabilities_add_up(name):
    deals = GAMES[name].all_deals()
    for street in deals.streets:
        assert street.prior.sum() == pytest.approx(1)
        assert (street.lose > -1e-12).all() and (street.win >= 0).all() and (street.tie >= 0).all()
        np.testing.assert_allclose(street.win, street.lose.swapaxes(1, 2), atol=1e-12)  # the seats are alike
    for early, late in itertools.pairwise(deals.streets):
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
    game, deals = GAMES[name], GAMES[name].all_deals()
    examples, column = deals.examples[seat]
    states = jax.jit(jax.vmap(game.start))(examples)
    if name == "push/fold":
        hole = np.asarray(states.deal.hole)[:, seat]
        np.testing.assert_array_equal(ranges.CLASS_OF_COMBO[ranges.combo_index(hole[:, 0], hole[:, 1])], column)
        dealt = np.concatenate([np.asarray(states.deal.hole).reshape(-1, 4), np.asarray(states.deal.board)], axis=1)
        assert all(len(set(row)) == 9 for row in dealt.tolist())
        return
    cards = np.asarray(examples.cards)[:, None] >> (3 * np.arange(3)) & 7
    board, hand = np.divmod(column, len(deals.hands))
    np.testing.assert_array_equal(cards[:, seat], hand)
    if name == "leduc":
        np.testing.assert_array_equal(cards[:, 2], board)
        assert all(len(set(row)) == 3 for row in cards.tolist())


def test_only_two_players_have_deals():
    with pytest.raises(ValueError, match="two players, not for kuhn with 3"):
        jaxpoker.make("kuhn", num_players=3).all_deals()
