"""Lines of the protocol against PokerKit's."""

import warnings

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker.adapters.acpc.table import Hand, MatchState, ProtocolError, read
from jaxpoker.games import holdem

GAME = jaxpoker.make("holdem", stack=2_000, small_blind=50, big_blind=100)


def lines_of(hand, hole, board, position, choices):
    """What a position is told at the start and after each choice."""
    told = [hand.line(position, 7, hole, board)]
    for to in choices:
        hand.act(to)
        told.append(hand.line(position, 7, hole, board))
    return told


@pytest.mark.parametrize(
    "choices",
    [[300, 300, 0, 0, 100, 300, 300, 0, 400, 1200, -1], [2000, 2000], [100, 100] + [0] * 6, [-1]],
    ids=["bets on all streets", "all-in", "checked down", "fold"],
)
def test_lines_are_pokerkits(choices):
    deal = holdem.Deal.of(["AhKd", "7c7d"], "Qh7h2c3d4s")
    hole, board = np.asarray(deal.hole), np.asarray(deal.board)
    state = GAME.start(deal, button=1)
    for to in choices:
        state = GAME.act(state, np.int32(to))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (record,) = holdem.histories.to_histories(state)
        for position in (0, 1):
            theirs = [line.strip() for way, line in record.to_acpc_protocol(position, 7) if way == "S->"]
            ours = lines_of(Hand(GAME, deal), hole, board, position, choices)
            # PokerKit tells a position what it sees before every action, as we do after every one.
            assert theirs == [line for line in ours if line in theirs], (theirs, ours)


def test_a_line_is_read_and_a_hand_follows_it():
    told = read("MATCHSTATE:1:31:r300c/cr600:|JdTc/6dJc9c\r\n")
    assert told == MatchState(1, 31, "r300c/cr600", ("", "JdTc"), "6dJc9c")
    hand = Hand(GAME, GAME.deal(jax.random.key(0)))
    hand.follow(told.betting)
    assert (hand.betting, hand.now.player, hand.now.street, hand.put_in) == (told.betting, 0, 1, [300, 600])
    hand.follow("r300c/cr600r1500f")
    assert hand.over and hand.stacks == [2_600, 1_400]


@pytest.mark.parametrize("line", ["", "hello", "MATCHSTATE:1:31", "MATCHSTATE:x:0::|", "#GAMEOVER"])
def test_other_lines_are_refused(line):
    with pytest.raises(ProtocolError, match="no line of the ACPC"):
        read(line)


@pytest.mark.parametrize(
    ("betting", "why"),
    [
        ("r150", "cannot go to 150"),
        ("x", "'x' after ''"),
        ("cc", "do not end where"),
        ("/c", "'/c' after ''"),
        ("cf", "cannot go to -1"),
    ],
)
def test_betting_that_cannot_be_is_refused(betting, why):
    with pytest.raises(ProtocolError, match=why):
        Hand(GAME, GAME.deal(jax.random.key(0))).follow(betting)
    hand = Hand(GAME, GAME.deal(jax.random.key(0)))
    hand.act(300)
    with pytest.raises(ProtocolError, match="does not go on from 'r300'"):
        hand.follow("c")
    with pytest.raises(ProtocolError, match="no action"):
        hand.to_of("b3")
    with pytest.raises(ProtocolError, match="have none"):
        Hand(jaxpoker.make("holdem", ante=1), None)
