"""Bots in threads, and a dealer on loopback."""

import threading

import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import players
from jaxpoker.adapters.acpc import client
from jaxpoker.adapters.acpc.dealer import Dealer


def _by_cards(params, memory, game, state, key):
    """Folds, calls and raises by its cards and the street, always alike: no chance in it."""
    here, own = game.facing(state), state.hole[state.current_player]
    mix = (own[0] * 7 + own[1] * 13 + state.street * 5 + state.num_acted * 3 + params) % 10
    raised = jnp.minimum(here.min_raise_to * jnp.maximum(mix - 5, 1), here.max_raise_to)
    to = jnp.where((mix > 6) & here.may_raise, raised, here.own_bet + here.to_call)
    return jnp.where((mix < 2) & here.may_fold, -1, to), memory


@pytest.fixture(scope="session")
def by_cards():
    """A bot without chance for each number."""
    player = players.Player("by cards", _by_cards)
    return lambda number: players.Entrant(player, np.int32(number))


@pytest.fixture
def dealt():
    """``dealt(game, bots, deals)``: what each won, chips ``[hands, players]``, and how many hands each bot counted."""

    def play(game, bots, deals):
        counted, threads = {}, []
        with Dealer(game, wait=120) as dealer:
            for number, (bot, port) in enumerate(zip(bots, dealer.ports, strict=True)):

                def run(number=number, bot=bot, port=port):
                    counted[number] = client.play(bot, ("127.0.0.1", port), game, wait=120)

                threads.append(threading.Thread(target=run, daemon=True))
                threads[-1].start()
            won = dealer.play(deals)
        for thread in threads:
            thread.join(60)
        return won, counted

    return play
