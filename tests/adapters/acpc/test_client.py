"""A bot answers a dealer's lines as its player would act at the same table."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.adapters.acpc.client import Bot
from jaxpoker.adapters.acpc.table import ProtocolError
from jaxpoker.games import holdem, state_after

GAME = jaxpoker.make("holdem", stack=2_000, small_blind=50, big_blind=100)


def test_it_answers_when_it_is_its_turn_and_not_else():
    bot = Bot(players.entrant("min-raise", GAME), GAME)
    first = "MATCHSTATE:1:0::|AhKd"
    assert bot.answer(f"{first}\r\n") == f"{first}:r200"
    assert bot.answer("MATCHSTATE:1:0:r200:|AhKd") is None
    assert bot.answer("MATCHSTATE:1:0:r200c/:|AhKd/Qh7h2c") is None  # position 0 acts first after the flop
    later = "MATCHSTATE:1:0:r200c/r400:|AhKd/Qh7h2c"
    assert bot.answer(later) == f"{later}:r600"
    assert bot.answer("MATCHSTATE:0:1::AhKd|") is None  # the next hand


def test_its_player_sees_its_cards_and_the_board(by_cards):
    for position, hole in ((1, ["", "AhKd"]), (0, ["AhKd", ""])):
        deal = holdem.Deal.of(hole, "Qh7h2c", jax.random.key(0))
        state = state_after(GAME, deal, [300, 300, 0] if position else [300, 300], button=1)
        choice, _ = by_cards(1).player.act(np.int32(1), (), GAME, state, jax.random.key(0))
        line = f"MATCHSTATE:{position}:5:r300c/{'c' * position}:{'|'.join(hole)}/Qh7h2c"
        word = Bot(by_cards(1), GAME).answer(line).rsplit(":", 1)[1]
        to = int(GAME.nearest_legal(state, choice))
        assert word == ("c" if to == 0 else "f" if to < 0 else f"r{300 + to}")


def test_a_table_of_another_size_is_refused():
    with pytest.raises(ProtocolError, match="3 hands: the game has 2 players"):
        Bot(players.entrant("call", GAME), GAME).answer("MATCHSTATE:1:0::|AhKd|")
