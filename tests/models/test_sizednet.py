"""SizedNet: how it reads a hand, and that its actor sees nothing that the player does not."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, hands, players
from jaxpoker.games.holdem.table import Deal
from jaxpoker.models import sizednet
from jaxpoker.players import networks

GAME = jaxpoker.make("holdem", stack=10_000, small_blind=50, big_blind=100)
NETWORK = sizednet.network(GAME)
READ, STRENGTH = jax.jit(sizednet.reading), jax.jit(hands.strength)
START = jax.jit(lambda hole, board: GAME.start(Deal.of(hole, board)))
SAID = jax.jit(NETWORK.said, static_argnums=1)
TABLES = 64


@pytest.fixture(scope="module")
def params():
    """Of a network with an opinion: one that has learned nothing hardly looks at its hand."""
    fresh = NETWORK.init(jax.random.key(0))
    fresh["policy"]["kernel"][...] = 30 * fresh["policy"]["kernel"][...]
    return fresh


def table(own, other, board, street):
    """A table where seat 0 holds ``own`` and so much of the board is open."""
    state = START(np.array([cards.parse(own), cards.parse(other)]), np.array(cards.parse(board)))
    return dataclasses.replace(state, street=jnp.int32(street))


@pytest.mark.parametrize(
    ("own", "board", "categories"),
    [
        ("AhKh", "QhJhTh2c2d", ("straight flush", "straight flush", "straight flush")),
        ("2h2s", "QhJhTh2c2d", ("pair", "three of a kind", "four of a kind")),
        ("7c6d", "8s9hKhTcKd", ("high card", "straight", "straight")),
        ("AcAd", "KsKh2c2dKd", ("two pair", "two pair", "full house")),
    ],
)
def test_a_hand_is_read_from_the_open_cards(own, board, categories):
    for street, name in zip((1, 2, 3), categories, strict=True):
        found = np.asarray(READ(table(own, "4c3d", board, street), 0))
        assert hands.CATEGORIES[int(found[:9].argmax())] == name and found[:9].sum() == 1
        if street == 3:
            strength = int(STRENGTH(np.array([*cards.parse(own), *cards.parse(board)])))
            assert found[9:35].tolist() == [strength >> bit & 1 for bit in range(26)]
            assert int(found[35:44].argmax()) == int(hands.category(STRENGTH(np.array(cards.parse(board)))))
    before = np.asarray(READ(table(own, "4c3d", board, 0), 0))
    assert not before[:-1].any()


def test_the_last_float_is_equity_before_the_flop():
    aces, rags = (float(READ(table(own, "KcKd", "QhJhTh2c9s", 2), 0)[-1]) for own in ("AhAs", "7d2h"))
    assert aces == pytest.approx(0.852, abs=1e-3) and rags == pytest.approx(0.346, abs=1e-3)


@pytest.fixture(scope="module")
def raised():
    """Tables after a raise, and the same ones with other hidden cards."""

    @jax.jit
    def deal(key):
        state = jax.vmap(GAME.start)(GAME.deal(key, (TABLES,)))
        state = jax.vmap(GAME.act)(state, jnp.full(TABLES, 250))
        return state, jax.vmap(GAME.resample_hidden)(state, state.current_player, jax.random.split(key, TABLES))

    return deal(jax.random.key(1))


def test_the_critic_sees_all_cards_and_the_actor_its_own(params, raised):
    """Other hidden cards move the value, and nothing that is played by."""
    here, there = (SAID(params, GAME, state) for state in raised)
    for played_by in ("kinds", "middle", "width"):
        np.testing.assert_array_equal(getattr(here, played_by), getattr(there, played_by))
    assert (np.asarray(here.value) != np.asarray(there.value)).mean() > 0.9
    assert np.asarray(here.kinds).std(axis=0).min() > 0.01  # it does look at its own hand


def test_it_begins_without_an_opinion(raised):
    said = SAID(NETWORK.init(jax.random.key(0)), GAME, raised[0])
    assert np.abs(said.kinds).max() < 0.1
    np.testing.assert_allclose(said.middle, 0.5, atol=0.05)
    np.testing.assert_allclose(said.width, sizednet.SMALLEST_WIDTH + sizednet.FIRST_WIDTH, atol=0.05)


@pytest.mark.thorough
def test_it_plays_legally_and_by_what_it_sees(params):
    decisions = players.check(networks.of_chips(NETWORK), params, GAME, jax.random.key(3), tables=32)
    assert decisions > 100


def test_it_is_for_two():
    with pytest.raises(ValueError, match="hold'em for 3 players: a sized network plays heads-up"):
        sizednet.network(jaxpoker.make("holdem", num_players=3))
