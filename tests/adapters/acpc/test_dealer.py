"""Hands over the protocol on loopback, against the same deals played here."""

import contextlib
import socket
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.adapters.acpc.dealer import Dealer
from jaxpoker.adapters.acpc.table import VERSION, ProtocolError
from jaxpoker.errors import RunError

GAME = jaxpoker.make("holdem", stack=2_000, small_blind=50, big_blind=100)
THREE = jaxpoker.make("holdem", num_players=3, stack=2_000, small_blind=50, big_blind=100)


def played_inside(game, bots, deals):
    """Chips ``[hands, players]`` of the same deals, positions moving on by one from hand to hand."""
    count, players = len(deals.board_cards[0]), game.num_players
    params = jnp.array([bot.params for bot in bots])

    @jax.jit
    @jax.vmap
    def play(deal, number):
        def turn(state):
            player = (state.current_player - number) % players
            choice, _ = bots[0].player.act(params[player], (), game, state, jax.random.key(0))
            return game.act(state, game.nearest_legal(state, choice))

        first = game.start(deal, button=players - 1)
        state = jax.lax.while_loop(lambda s: ~core.is_over(s), turn, first)
        return jnp.roll(state.stacks, -number) - game.stack

    return np.asarray(play(deals, jnp.arange(count)))


@pytest.mark.parametrize(
    ("game", "hands"),
    [(GAME, 150), (THREE, 60), pytest.param(GAME, 10_000, marks=[pytest.mark.slow, pytest.mark.optimised])],
    ids=["two", "three", "ten thousand hands"],
)
def test_stacks_are_those_of_the_same_deals_played_here(game, hands, dealt, by_cards):
    bots = [by_cards(3 * seat) for seat in range(game.num_players)]
    deals = jax.jit(game.deal, static_argnums=1)(jax.random.key(hands), (hands,))
    won, counted = dealt(game, bots, deals)
    assert counted == dict.fromkeys(range(game.num_players), hands)
    np.testing.assert_array_equal(won, played_inside(game, bots, deals))
    assert not won.sum(axis=1).any() and (np.abs(won[:, 0]) > 1_000).mean() > 0.02


def talk(port, *lines):
    """Says lines to a dealer, the first at once and each of the others as the answer to what it hears."""
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rw", newline="") as stream:
        for line in lines:
            with contextlib.suppress(ConnectionError):  # the dealer hangs up
                stream.write(f"{line}\r\n")
                stream.flush()
                stream.readline()


@pytest.mark.parametrize(
    ("said", "error", "why"),
    [
        (("HELLO",), ProtocolError, "player 0 said 'HELLO'"),
        ((VERSION, "MATCHSTATE:1:0::|:r60"), ProtocolError, "answered 'MATCHSTATE:1:0::.:r60' to"),
        ((VERSION,), RunError, "player 0 hung up"),
    ],
)
def test_what_a_bot_should_not_say_is_named(said, error, why):
    with Dealer(GAME, wait=10) as dealer:
        # In the first hand player 1 is in the last position, so it acts first; here the bots change places.
        bots = [threading.Thread(target=talk, args=(dealer.ports[0], *said), daemon=True)]
        bots.append(threading.Thread(target=talk, args=(dealer.ports[1], VERSION), daemon=True))
        for bot in bots:
            bot.start()
        with pytest.raises(error, match=why):
            dealer.play(GAME.deal(jax.random.key(0), (2,)), first=0) if said[0] == "HELLO" else _second_hand(dealer)


def _second_hand(dealer):
    """Player 0 acts first in it."""
    dealer._connect()
    deal = GAME.deal(jax.random.key(0))
    hole, board = np.asarray(deal.hole), np.asarray(deal.board)
    dealer._hand(deal, hole, board, [1, 0], 0)


def test_a_bot_that_does_not_come_and_a_port_that_is_taken_are_named():
    with Dealer(GAME, wait=0.1) as dealer:
        with pytest.raises(RunError, match=r"player 0 did not connect to port \d+"):
            dealer.play(GAME.deal(jax.random.key(0), (1,)))
        with pytest.raises(RunError, match="cannot listen"):
            Dealer(GAME, ports=dealer.ports)
    with pytest.raises(ValueError, match="1 ports for 2 players"):
        Dealer(GAME, ports=(0,))
