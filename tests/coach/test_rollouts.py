"""What actions are worth by rollouts: known answers, and the right order on spots that everybody knows."""

import jax
import numpy as np
import pytest

from jaxpoker import cards, equity, ranges
from jaxpoker.coach import levels, rollouts

KEY = jax.random.key(1)
CHECKED_DOWN = [10, 10, 0, 0, 0, 0]  # the button limps; then both check flop and turn
RIVER = "2c7d9hJsQc"
WORLDS = 250  # as many as the coach's rollouts here


def ev_of(advice) -> dict[str, float]:
    return {choice.name: choice.ev for choice in advice.choices}


# --- known answers ----------------------------------------------------------------------------


@pytest.mark.parametrize("hole, villain", [("JhTd", "random"), ("AhKh", "top 30%"), ("Qd2s", "22+, A2+, K9+")])
def test_a_river_bet_that_is_always_called_is_worth_what_enumeration_says(coach_against, spot, hole, villain):
    """e (pot + 2 bet) - bet, and e pot for a check."""
    state = spot(hole, [*CHECKED_DOWN, 0], RIVER)
    advice = coach_against("call").advise(state, 0, KEY, against=villain)
    share = equity.equity(hole, villain, board=RIVER, method="exact").equity
    assert advice.equity == pytest.approx(share, abs=1e-5)
    assert [choice.to for choice in sorted(advice.choices, key=lambda c: c.to)] == [0, 10, 15, 20, 990]
    for choice in advice.choices:
        bet = choice.to / 10
        exact = share * (2 + 2 * bet) - bet
        assert choice.standard_error > 0
        assert abs(choice.ev - exact) < 3 * choice.standard_error, choice.label


def test_a_river_call_is_worth_what_enumeration_says(coach_against, spot):
    """Facing 2 into 2 big blinds: e 6 - 2; a fold is worth 0 although 1 big blind of ours is in the pot."""
    state = spot("Jh3d", [*CHECKED_DOWN, 20], RIVER)
    advice = coach_against("call").advise(state, 0, KEY, against="top 50%")
    share = equity.equity("Jh3d", "top 50%", board=RIVER, method="exact").equity
    by_name = {choice.name: choice for choice in advice.choices}
    assert (by_name["fold"].ev, by_name["fold"].standard_error) == (0, 0)
    call = by_name["check/call"]
    assert abs(call.ev - (share * 6 - 2)) < 3 * call.standard_error
    assert advice.required_equity == pytest.approx(2 / 6)
    assert advice.edge == pytest.approx(share - 2 / 6, abs=1e-5)


def test_all_in_before_the_flop_pays_the_share_of_the_pot_without_luck(coach_against, spot):
    advice = coach_against("call").advise(spot("AhAd"), 0, KEY, against="KK")
    share = float(equity.matchups().equity[ranges.CLASS_NAMES.index("AA"), ranges.CLASS_NAMES.index("KK")])
    all_in = next(choice for choice in advice.choices if choice.name == "all-in")
    assert all_in.ev == pytest.approx(share * 200 - 99.5, abs=1e-3)
    assert all_in.standard_error == pytest.approx(0, abs=1e-4)


def test_who_always_folds_loses_the_pot_to_any_bet(coach_against, spot):
    advice = coach_against("check-fold").advise(spot("3h2h", [*CHECKED_DOWN, 0], RIVER), 0, KEY, against="random")
    for choice in advice.choices:
        if choice.to > 0:
            assert (choice.ev, choice.folds) == (2, 1)


def test_what_a_short_stack_cannot_win_or_lose_is_not_counted(coach_against, spot):
    caller = coach_against("call")
    called = caller.advise(spot("AhKh", [1000], button=1, stacks=(60, 1000)), 0, KEY, against="random")
    assert levels(called)["Equity"][1] == "Pot odds: 41.7% (calling 5 BB to win 7 BB needs that much)"
    raised = caller.advise(spot("AhAd", stacks=(1000, 60)), 0, KEY, against="random")
    assert raised.recommended.name == "all-in"
    assert raised.notes[3].endswith("as a pure bluff it breaks even at 79%.")  # 5.5 BB more, to win 1.5


# --- the right order --------------------------------------------------------------------------

# Opponent, hand, actions, board, its range, and actions from better to worse.
SPOTS = {
    "the nuts bet into a caller": (
        "call",
        "KhTd",
        [*CHECKED_DOWN, 0],
        RIVER,
        "random",
        ["all-in", "pot", "check/call"],
    ),
    "air checks to a caller": ("call", "4h3s", [*CHECKED_DOWN, 0], RIVER, "random", ["check/call", "pot", "all-in"]),
    "the nuts raise a bet": ("call", "KhTd", [*CHECKED_DOWN, 20], RIVER, "random", ["all-in", "check/call", "fold"]),
    "air folds to a bet": ("call", "4h3s", [*CHECKED_DOWN, 20], RIVER, "top 50%", ["fold", "check/call", "all-in"]),
    "aces before the flop": ("call", "AhAd", [], RIVER, "random", ["all-in", "pot", "check/call", "fold"]),
    "seven-deuce and a jam": ("call", "7h2d", [10, 1000], RIVER, "top 10%", ["fold", "check/call"]),
    "aces and a jam": ("call", "AhAd", [10, 1000], RIVER, "top 10%", ["check/call", "fold"]),
    "a set against a caller": ("call", "9c9d", [25, 25, 0], RIVER, "top 50%", ["all-in", "1/2 pot", "check/call"]),
    "a bluff into a folder": ("check-fold", "4h3s", [*CHECKED_DOWN, 0], RIVER, "random", ["pot", "check/call"]),
    "any two bet the flop": ("check-fold", "7h3s", [25, 25, 0], RIVER, "random", ["pot", "check/call"]),
}


@pytest.mark.parametrize("name", SPOTS)
def test_actions_stand_in_the_right_order(name, coach_against, spot):
    opponent, hole, actions, board, villain, order = SPOTS[name]
    evs = ev_of(coach_against(opponent).advise(spot(hole, actions, board), 0, KEY, against=villain))
    values = [evs[action] for action in order]
    assert values == sorted(values, reverse=True) and len(set(values)) == len(values), evs


@pytest.mark.parametrize(
    "hole, actions, order",
    [
        ("AhAd", [], ["3/4 pot", "fold"]),  # opens aces
        ("7h2d", [10, 1000], ["fold", "check/call"]),  # folds seven-deuce to a jam
        ("AhAd", [10, 1000], ["check/call", "fold"]),  # calls it with aces
        ("KhTd", [*CHECKED_DOWN, 0], ["pot", "check/call"]),  # bets the nuts
    ],
)
def test_against_the_blueprint_too(blueprint_coach, spot, hole, actions, order):
    evs = ev_of(blueprint_coach.advise(spot(hole, actions, RIVER), 0, KEY))
    values = [evs[action] for action in order]
    assert values == sorted(values, reverse=True) and len(set(values)) == len(values), evs


# --- worlds -----------------------------------------------------------------------------------


def test_worlds_keep_what_the_hero_sees_and_draw_the_rest(spot):
    state = spot("AhKh", [25, 25, 0], RIVER)
    weights = ranges.parse("QQ, JTs:0.5")
    worlds, _ = rollouts._worlds(state, 0, weights, KEY, WORLDS)
    hole, board = np.asarray(worlds.deal.hole), np.asarray(worlds.deal.board)
    assert (hole[:, 0] == cards.parse("AhKh")).all() and (board[:, :3] == cards.parse(RIVER)[:3]).all()
    seven = np.sort(np.concatenate([hole.reshape(-1, 4), board], axis=1), axis=1)
    assert (np.diff(seven, axis=1) > 0).all()  # no card twice
    found = np.bincount(ranges.combo_index(hole[:, 1, 0], hole[:, 1, 1]), minlength=ranges.NUM_COMBOS)
    known = np.isin(ranges.COMBOS, [*cards.parse("AhKh"), *cards.parse(RIVER)[:3]]).any(axis=1)
    expected = np.where(known, 0, weights)
    expected = expected / expected.sum() * WORLDS
    assert (np.abs(found - expected) <= 1).all()  # each as often as its weight says, rounded
    to_come = np.bincount(board[:, 3:].reshape(-1), minlength=52)
    assert (to_come > 0).sum() == 52 - 5 and np.asarray(worlds.deal.strengths).shape == (2, WORLDS)


def test_worlds_are_the_same_whatever_is_hidden(spot):
    states = [spot("AhKh", [25, 25, 0], *hidden) for hidden in (("2c7d9hJsQc", "3c4d"), ("2c7d9hAsAd", "QdQs"))]
    one, other = (rollouts._worlds(state, 0, ranges.parse("random"), KEY, WORLDS)[0] for state in states)
    np.testing.assert_array_equal(one.deal.hole, other.deal.hole)
    np.testing.assert_array_equal(one.deal.board, other.deal.board)


def test_who_asks_for_win_probabilities_finds_them_in_the_deal(spot):
    state = spot("AhKh", [25, 25, 0], RIVER)
    worlds, _ = rollouts._worlds(state, 0, ranges.parse("QQ"), KEY, WORLDS)
    worlds = rollouts._with_wins(worlds, KEY, 200)
    wins = np.asarray(worlds.deal.win_probability)  # [worlds, seats, streets]
    assert wins.shape == (WORLDS, 2, 4)
    for seat, hand in enumerate(("AhKh", "QQ")):
        exact = equity.equity(hand, "random").equity
        np.testing.assert_allclose(wins[:, seat, 0], exact, atol=1e-4)
    board = cards.text(worlds.deal.board[7])
    hero = equity.equity("AhKh", "random", board=board, method="exact").equity
    assert wins[7, 0, 3] == pytest.approx(hero, abs=1e-4)


# --- the same deal once more ------------------------------------------------------------------
