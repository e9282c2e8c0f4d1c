"""VPIP, PFR, AF, WSD and WSDW of hands counted by hand."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, statistics
from jaxpoker.games.holdem.table import Deal

ACES_AND_KINGS = ("AcAd", "KcKd")  # seat 0 wins
KINGS_AND_ACES = ("KcKd", "AcAd")  # seat 1 wins
DRY = "2h5s7c9dJh"
SPLIT = ("2c3d", "2d3c")
BROADWAY = "AhKsQcJdTh"


@pytest.fixture(scope="module")
def count():
    """``count(hole cards, board, actions, stacks)``: the counts [players] of one hand, blinds 1/2, button in seat 0."""
    compiled = {}

    def of_one_hand(hole, board, actions, stacks=None):
        seats = len(hole)
        if seats not in compiled:
            game = jaxpoker.make("holdem", num_players=seats)
            start = jax.jit(lambda hole, board, stacks: game.start(Deal.of(hole, board), stacks=stacks))
            act = jax.jit(lambda state, to: (game.count_action(state, to), game.act(state, to)))
            compiled[seats] = start, act, jax.jit(game.count_hand)
        start, act, of_hand = compiled[seats]
        dealt = np.array([cards.parse(hand) for hand in hole])
        state = start(dealt, cards.parse(board), np.array(stacks or [200] * seats))
        by_seat = [statistics.Counts(*[0.0] * 13)] * seats
        for to in actions:
            assert not state.terminated
            seat = int(state.current_player)
            acted, state = act(state, np.int32(to))
            by_seat[seat] = jax.tree.map(lambda a, b: a + float(b), by_seat[seat], acted)
        assert state.terminated and not state.illegal
        ended = of_hand(state)
        return [jax.tree.map(lambda a, b, i=i: a + float(b[i]), by_seat[i], ended) for i in range(seats)]

    return of_one_hand


def counted(**what):
    """Counts of one hand with everything else at zero."""
    return statistics.Counts(**{**dict.fromkeys(statistics.Counts._fields, 0.0), "hands": 1.0, **what})


def test_a_walk_is_nobodys_voluntary_hand(count):
    assert count(ACES_AND_KINGS, DRY, [-1]) == [counted(folds=1), counted()]


def test_a_limp_is_voluntary_and_a_checked_big_blind_is_not(count):
    shown = {"flops": 1, "showdowns": 1}
    assert count(ACES_AND_KINGS, DRY, [2, 2, 0, 0, 0, 0, 0, 0]) == [
        counted(**shown, voluntary=1, calls=1, checks=3, showdowns_won=1),
        counted(**shown, checks=4),
    ]


def test_raise_call_bet_fold(count):
    assert count(ACES_AND_KINGS, DRY, [6, 6, 0, 8, -1]) == [
        counted(voluntary=1, preflop_raises=1, raises=2, aggressive=1, flops=1),
        counted(voluntary=1, calls=1, checks=1, folds=1, flops=1),
    ]


def test_postflop_bets_and_raises_against_calls(count):
    flop, turn, river = [4, 12, 12], [0, 20, 20], [0, 0]
    hero, villain = count(KINGS_AND_ACES, DRY, [2, 2, *flop, *turn, *river])
    shown = {"flops": 1, "showdowns": 1}
    assert hero == counted(**shown, voluntary=1, calls=1, raises=2, checks=1, aggressive=2)
    assert villain == counted(**shown, calls=2, raises=1, checks=3, aggressive=1, passive=2, showdowns_won=1)
    assert statistics.profile(villain).af == 0.5
    assert statistics.profile(hero).af is None  # no calls after the flop


def test_preflop_calls_and_raises_do_not_count_for_af_and_count_once_a_hand(count):
    hero, villain = count(ACES_AND_KINGS, DRY, [6, 14, 30, 60, 60, 0, 10, -1])
    assert hero == counted(voluntary=1, preflop_raises=1, raises=3, calls=1, aggressive=1, flops=1)
    assert villain == counted(voluntary=1, preflop_raises=1, raises=2, checks=1, folds=1, flops=1)


def test_all_in_before_the_flop_sees_the_flop_and_the_showdown(count):
    shown = {"flops": 1, "showdowns": 1, "voluntary": 1, "all_ins": 1}
    assert count(KINGS_AND_ACES, DRY, [200, 200]) == [
        counted(**shown, preflop_raises=1, raises=1),
        counted(**shown, calls=1, showdowns_won=1),
    ]


def test_a_split_is_half_a_win(count):
    hero, villain = count(SPLIT, BROADWAY, [2, 2, 0, 0, 0, 0, 0, 0])
    assert hero.showdowns_won == villain.showdowns_won == 0.5
    assert statistics.profile(hero).wsdw == 0.5


@pytest.mark.parametrize("call", [50, 200], ids=["to the stack", "to the price"])
def test_chips_that_come_back_uncalled_are_no_win(count, call):
    """200 against a stack of 50 that calls and wins: 150 chips come back, and that is no showdown won."""
    hero, villain = count(KINGS_AND_ACES, DRY, [200, call], stacks=(200, 50))
    assert (hero.showdowns, hero.showdowns_won, hero.raises, hero.all_ins) == (1, 0, 1, 1)
    assert (villain.showdowns, villain.showdowns_won, villain.calls, villain.all_ins) == (1, 1, 1, 1)


def test_a_hand_that_everyone_else_folds_is_no_showdown(count):
    hero, villain = count(ACES_AND_KINGS, DRY, [20, -1])
    assert hero.showdowns == hero.showdowns_won == villain.showdowns == hero.flops == 0
    assert villain.voluntary == 0


def test_blinds_that_are_all_in_show_without_an_action(count):
    shown = {"flops": 1, "showdowns": 1}
    assert count(ACES_AND_KINGS, DRY, [], stacks=(1, 2)) == [counted(**shown, showdowns_won=1), counted(**shown)]


def test_who_folds_before_the_flop_does_not_see_it_and_who_folds_later_does(count):
    # Seat 0 folds, the blinds see a flop; the small blind folds to a bet on the turn.
    button, small, big = count(("AcAd", "KcKd", "QcQd"), DRY, [-1, 2, 2, 0, 0, 0, 5, -1])
    assert button == counted(folds=1)
    assert small == counted(voluntary=1, calls=1, checks=2, folds=1, flops=1)
    assert big == counted(checks=2, raises=1, aggressive=1, flops=1)


def test_the_best_hand_wins_the_showdown_whoever_takes_the_side_pot(count):
    # Aces are all-in for 20; kings take the side pot from queens.
    aces, kings, queens = count(("AcAd", "KcKd", "QcQd"), DRY, [20, 60, 60, 0, 0, 0, 0, 0, 0], stacks=(20, 200, 200))
    assert (aces.showdowns, kings.showdowns, queens.showdowns) == (1, 1, 1)
    assert (aces.showdowns_won, kings.showdowns_won, queens.showdowns_won) == (1, 0, 0)


def test_an_empty_seat_plays_no_hand(count):
    button, small, empty = count(("AcAd", "KcKd", "QcQd"), DRY, [2, 2, 0, 0, 0, 0, 0, 0], stacks=(200, 200, 0))
    assert empty == counted(hands=0)
    assert (button.hands, small.hands) == (1, 1)


def test_the_profile_of_several_hands(count):
    hands = [
        count(ACES_AND_KINGS, DRY, [-1]),  # folds
        count(ACES_AND_KINGS, DRY, [2, 2, 0, 0, 0, 0, 0, 0]),  # limps and wins
        count(ACES_AND_KINGS, DRY, [6, 6, 0, 8, -1]),  # raises, bets
        count(KINGS_AND_ACES, DRY, [200, 200]),  # loses all-in
    ]
    total = jax.tree.map(lambda *values: np.float64(sum(values)), *[hero for hero, _ in hands])
    profile = statistics.profile(total)
    assert profile == statistics.PlayerProfile(
        hands=4, vpip=3 / 4, pfr=2 / 4, af=None, wsd=2 / 3, wsdw=1 / 2,
        fold=1 / 8, check=3 / 8, call=1 / 8, raise_=3 / 8, all_in=1 / 8,
    )  # fmt: skip


def test_nothing_counted_is_no_number():
    profile = statistics.profile(statistics.Counts(*[np.float64(0)] * 13))
    assert profile == statistics.PlayerProfile(0, *[None] * 10)
