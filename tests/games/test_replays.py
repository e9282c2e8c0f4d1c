"""Spots written down: a chosen deal and chosen actions."""

import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.games import chicago, holdem, kuhn, leduc, state_after


def test_leduc_by_the_names_of_its_actions():
    game = jaxpoker.make("leduc")
    deal = leduc.Deal.of("Kh Qs", "Js")
    state = state_after(game, deal, "raise, call, call")
    assert game.text(state) == "Kh Qs | raise call | Js | call | seat 1 to act"
    assert state_after(game, deal, [2, "call", 1]).table == state.table


def test_holdem_by_chips_and_by_names():
    game = jaxpoker.make("holdem", stack=100, small_blind=1, big_blind=2)
    deal = holdem.Deal.of(["AhKh", "QsQd"], "Qh7h2c3d4d")
    state = state_after(game, deal, [6, "check/call", "check/call", 5], button=1)
    assert (int(state.street), int(state.pot), int(state.current_player)) == (1, 17, 0)
    assert state.bets.tolist() == [0, 5]
    assert cards.text(state.board) == "Qh7h2c"


def test_what_is_not_legal_is_refused_with_what_is():
    leduc_game, holdem_game = jaxpoker.make("leduc"), jaxpoker.make("holdem")
    deal = leduc.Deal.of("Kh Qs")
    with pytest.raises(ValueError, match="choice 1, 'fold', is not legal: seat 0 may call, raise"):
        state_after(leduc_game, deal, "fold")
    with pytest.raises(ValueError, match="choice 3, 2, is not legal: seat 0 may fold, call"):
        state_after(leduc_game, deal, [2, 2, 2])
    with pytest.raises(ValueError, match="unknown action 'bet': seat 0 may call, raise"):
        state_after(leduc_game, deal, "bet")
    with pytest.raises(ValueError, match="choice 3, 'call': the game is over"):
        state_after(leduc_game, deal, "raise, fold, call")
    with pytest.raises(ValueError, match=r"choice 1, 3, is not legal: .*any chips from 4 to 200"):
        state_after(holdem_game, holdem.Deal.of(["", ""]), [3])
    with pytest.raises(ValueError, match="have no names: choices are numbers, 0 to 68"):
        state_after(jaxpoker.make("chicago"), chicago.Deal.of([""] * 4), "play")


def test_kuhn_to_the_end():
    state = state_after(jaxpoker.make("kuhn"), kuhn.Deal.of("K Q"), "bet, bet")
    assert state.rewards.tolist() == [2, -2]
