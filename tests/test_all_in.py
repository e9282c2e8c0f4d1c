"""Two hands all-in: the share of the pot that each may expect, and matches without that luck."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, equity, match, players
from jaxpoker.games.session import Session


@pytest.fixture(scope="module")
def shares():
    return jax.jit(equity.all_in_shares)


@pytest.mark.parametrize(
    ("hands", "board"),
    [
        ("AhKh QsQd", "Qh7h2cTh3s"),
        ("7c7d AsKd", "2h9sJd7h7s"),
        ("AcKc AdKd", "2c3c4h5h9c"),
        ("5c5d 6h6s", "7d8s9cTcJd"),
    ],
)
def test_shares_are_those_of_enumeration(shares, hands, board):
    hole = np.stack([cards.parse(hand) for hand in hands.split()])
    found = shares(hole[None], cards.parse(board)[None])[0]
    for street, cards_open in ((1, 6), (2, 8), (3, 10)):
        exact = equity.equity(*hands.split(), board=board[:cards_open], method="exact").equity
        assert float(found[street]) == pytest.approx(exact, abs=1e-6)


def test_before_the_flop_it_is_the_mean_over_the_suits(shares):
    hole = np.stack([cards.parse("AhAd"), cards.parse("KsKc")])
    found = shares(hole[None], np.arange(5)[None])[0, 0]
    won, lost, tied = 50_371_344, 10_986_372, 285_228
    assert float(found) == pytest.approx((won + tied / 2) / (won + lost + tied), abs=1e-6)


@pytest.mark.thorough
def test_without_luck_the_mean_stays_and_the_spread_shrinks():
    """A caller against one that jams or folds at random: nearly all showdowns are all-ins before the flop."""
    game = jaxpoker.make("holdem", menu="a", stack=20, small_blind=1, big_blind=2)
    pair = (players.make("call", game), players.make("random", game))
    session, tables = Session(game), 6_144

    def play(deals, shares, rotation, key):
        running = match.sit_down(session, pair, (None, None), session.start(deals), rotation, expected=True)

        def turn(_, loop):
            running, key = loop
            key, own = jax.random.split(key)
            caller, jammer = (player.act(None, (), game, running.table.hand, own)[0] for player in pair)
            choice = jnp.where(running.acting(2) == 0, caller, jammer)
            return match.advance(session, pair, running, choice, running.memories, shares), key

        return jax.lax.fori_loop(0, 12, turn, (running, key))[0]

    @jax.jit
    def play_all(key):
        deals = game.deal(key, (tables, 1))
        shares = equity.all_in_shares(deals.hole, deals.board)
        return jax.vmap(play)(deals, shares, jnp.arange(tables) % 2, jax.random.split(key, tables))

    end = play_all(jax.random.key(0))
    assert bool(end.table.over.all())
    won, expected = np.asarray(end.winnings[:, 0]), np.asarray(end.expected[:, 0])
    np.testing.assert_allclose(np.asarray(end.expected).sum(axis=1), 0, atol=1e-5)
    difference = won - expected
    assert abs(difference.mean()) < 3.5 * difference.std() / np.sqrt(tables)
    assert expected.std() < 0.6 * won.std()
    unchanged = ~np.asarray(end.table.hand.showdown)
    assert unchanged.any()
    np.testing.assert_array_equal(won[unchanged], expected[unchanged])
