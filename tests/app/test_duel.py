"""A session against an opponent: what may be done when, what is shown, and how it is counted."""

import json
import threading

import jax
import numpy as np
import pokerkit
import pytest

from jaxpoker import cards, ranges
from jaxpoker.app import hand_history, opponents, views
from jaxpoker.app.dealer import BOT, HERO, Dealer
from jaxpoker.app.duel import Duel, Refusal
from jaxpoker.app.room import GAME
from jaxpoker.games.holdem.histories import UNKNOWN


def turn(duel: Duel) -> int:
    return int(duel.look.turn)


def call_down(duel: Duel) -> None:
    """Checks and calls to the end of the hand."""
    while not duel.over:
        duel.act(duel.hand, turn(duel), 1)


def seen(duel: Duel) -> str:
    return json.dumps(views.table(duel), allow_nan=False)


# --- abuse ------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [-1, 3, 9, 1_000])
def test_an_action_that_is_not_legal_is_refused_and_nothing_moves(duel, action):
    before = seen(duel)
    with pytest.raises(Refusal, match="is not legal here: legal are 0, 1, 2") as refusal:
        duel.act(1, 0, action)
    assert refusal.value.status == 422 and seen(duel) == before


def test_a_second_click_comes_too_late(duel):
    duel.act(1, 0, 1)
    before = seen(duel)
    with pytest.raises(Refusal, match="turn 0 of hand 1 is past") as refusal:
        duel.act(1, 0, 1)
    assert refusal.value.status == 409 and seen(duel) == before


def test_of_many_clicks_at_once_one_counts(duel):
    refused = []

    def click():
        try:
            duel.act(1, 0, 1)
        except Refusal as refusal:
            refused.append(refusal.status)

    clicks = [threading.Thread(target=click) for _ in range(8)]
    for each in clicks:
        each.start()
    for each in clicks:
        each.join()
    assert refused == [409] * 7 and len(duel.decisions) == 1


def test_a_hand_that_is_past_or_to_come_cannot_be_played(duel):
    for hand in (0, 2):
        with pytest.raises(Refusal, match=f"hand {hand} is not the one being played") as refusal:
            duel.act(hand, 0, 1)
        assert refusal.value.status == 409


def test_nobody_acts_in_a_hand_that_is_over(duel):
    duel.act(1, 0, 0)
    with pytest.raises(Refusal, match="hand 1 is over"):
        duel.act(1, turn(duel), 1)


def test_the_next_hand_comes_when_this_one_is_over_and_once(duel):
    with pytest.raises(Refusal, match="hand 1 is not over"):
        duel.next_hand(1)
    duel.act(1, 0, 0)
    duel.next_hand(1)
    with pytest.raises(Refusal, match="hand 1 is not the one being played"):
        duel.next_hand(1)
    assert duel.hand == 2


def test_a_failure_on_the_way_leaves_the_session_as_it_was(duel, monkeypatch):
    before, key = seen(duel), duel._key

    def broken(*_):
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(duel.dealer, "answer", broken)
        duel.act(1, 0, 6)
    assert seen(duel) == before and duel._key is key and not duel.decisions
    duel.act(1, 0, 6)  # and it can go on
    assert len(duel.decisions) == 1


# --- what is shown ----------------------------------------------------------------------------


def test_the_opponents_cards_are_shown_at_a_showdown_and_never_before(random_dealer, any_action):
    duel, rng = Duel(random_dealer, jax.random.key(3)), np.random.default_rng(3)
    showdowns = folds = 0
    for _ in range(30):
        while True:
            view, hidden = views.table(duel), cards.text(duel.look.hole[BOT])
            shown = view["seats"]["bot"]["cards"]
            if not duel.look.showdown:
                # Neither where cards stand nor anywhere else in what is sent; a board cannot hold them.
                assert shown is None and view["seats"]["bot"]["made"] is None
                sent = json.dumps(view)
                assert hidden not in sent and not any(f'"{hidden[i : i + 2]}"' in sent for i in (0, 2))
            if duel.over:
                break
            duel.act(duel.hand, turn(duel), any_action(duel, rng))
        record = duel.history[-1]
        if duel.look.showdown:
            showdowns += 1
            assert "".join(view["seats"]["bot"]["cards"]) == hidden == record.hole[BOT]
        else:
            folds += 1
            assert record.hole[BOT] == UNKNOWN
        duel.next_hand(duel.hand)
    assert showdowns and folds


def test_the_view_names_all_nine_actions_and_what_is_legal(duel):
    view = views.table(duel)
    assert [action["name"] for action in view["actions"]] == [
        "fold", "check/call", "min raise", "1/4 pot", "1/3 pot", "1/2 pot", "3/4 pot", "pot", "all-in",
    ]  # fmt: skip
    labels = {action["id"]: action["label"] for action in view["actions"] if action["legal"]}
    assert labels == {
        0: "Fold",
        1: "Call 0.5 BB",
        2: "Raise to 2 BB",
        5: "Raise to 2 BB",
        6: "Raise to 2.5 BB",
        7: "Raise to 3 BB",
        8: "All-in, 100 BB",
    }
    assert (view["pot"], view["street"], view["your_turn"], view["over"]) == (1.5, "preflop", True, False)


def test_events_tell_the_hand_in_order_with_the_chips_of_the_moment(duel):
    duel.act(1, 0, 6)  # to 2.5 BB; called
    texts = [(event.kind, event.seat, event.text.split(":")[0]) for event in duel.events]
    assert texts == [
        ("hand", None, "Hand 1. You have the button."),
        ("action", HERO, "Raise to 2.5 BB"),
        ("action", BOT, "Call 1.5 BB"),
        ("street", None, "Flop"),
        ("action", BOT, "Check"),
    ]
    assert [event.pot for event in duel.events] == [15, 35, 50, 50, 50]
    assert [event.bets for event in duel.events][:4] == [(5, 10), (25, 10), (25, 25), (0, 0)]
    for event in duel.events:
        assert sum(event.stacks) + event.pot == 2_000
        assert len(event.board) == 2 * {"preflop": 0, "flop": 3}[event.street]


def test_an_all_in_deals_the_board_street_by_street_and_shows(duel):
    duel.act(1, 0, 8)
    kinds = [event.kind for event in duel.events]
    assert kinds == ["hand", "action", "action", "street", "street", "street", "showdown", "result"]
    assert [len(event.board) // 2 for event in duel.events[3:6]] == [3, 4, 5]


def test_the_button_moves(duel):
    for hand in range(1, 5):
        assert views.table(duel)["seats"]["you" if hand % 2 else "bot"]["button"]
        call_down(duel)
        duel.next_hand(hand)


# --- the score --------------------------------------------------------------------------------


def in_another_world(duel: Duel, hand: str) -> float:
    """The luck-adjusted result of the hand that is over, had the bot held ``hand`` and done the same."""
    other = cards.parse(hand)
    turns = [turn._replace(before=GAME.with_hand(turn.before, BOT, other)) for turn in duel._turns]
    return duel.dealer.luck_aside(turns, GAME.with_hand(duel.state, BOT, other))


def test_who_calls_down_a_caller_gets_what_the_cards_are_worth(duel):
    """A limp adds half a big blind on each side to the pot, of which the person wins its share; the board is luck."""
    for hand in range(1, 7):
        call_down(duel)
        won, adjusted = duel.result
        assert won in (-1, 0, 1)
        worth = preflop_equity(duel.look.hole[HERO]) - 0.5
        assert adjusted == pytest.approx(worth, abs=0.03)  # the bot cannot hold cards of the board
        duel.next_hand(hand)
    assert duel.score.hands == 6 and duel.score.adjusted_error < 2


def preflop_equity(hole: np.ndarray) -> float:
    return float(ranges.preflop_table().equity[ranges.CLASS_OF_COMBO[ranges.combo_index(*np.sort(hole)[::-1])]])


def test_the_score_adds_up(duel, any_action):
    rng = np.random.default_rng(0)
    results = []
    for hand in range(1, 13):
        while not duel.over:
            duel.act(hand, turn(duel), any_action(duel, rng))
        results.append(duel.result)
        duel.next_hand(hand)
    won, adjusted = np.asarray(results).T
    assert duel.score.won == pytest.approx(won.sum()) and duel.score.adjusted == pytest.approx(adjusted.sum())
    assert duel.score.adjusted_error == pytest.approx(adjusted.std(ddof=1) * np.sqrt(12))


@pytest.mark.thorough
def test_the_score_says_nothing_of_the_opponents_hand(random_dealer, any_action):
    """The luck-adjusted result is the same whatever the bot held: a folded hand stays its secret."""
    duel, rng = Duel(random_dealer, jax.random.key(5)), np.random.default_rng(5)
    folds = 0
    for hand in range(1, 13):
        while not duel.over:
            duel.act(hand, turn(duel), any_action(duel, rng))
        if not duel.look.showdown:
            folds += 1
            used = {*duel.look.hole[HERO].tolist(), *duel.look.board.tolist()}
            free = [card for card in range(cards.NUM_CARDS) if card not in used]
            for pair in (free[:2], free[-2:]):
                assert in_another_world(duel, cards.text(pair)) == pytest.approx(duel.result[1], abs=1e-5)
        duel.next_hand(hand)
    assert folds > 2


def test_against_one_who_does_not_tell_its_odds_the_score_is_not_adjusted():
    duel = Duel(Dealer(GAME, opponents.named("tag").model(GAME)), jax.random.key(1))
    duel.act(1, 0, 0)
    assert duel.result == (-0.5, None)
    assert views.table(duel)["score"] == {"hands": 1, "won": -0.5, "adjusted": None, "adjusted_error": None}


# --- hand histories ---------------------------------------------------------------------------


def end_in_pokerkit(text: str) -> pokerkit.State:
    *_, end = pokerkit.HandHistory.loads(text)
    return end


def test_pokerkit_plays_the_histories_to_the_same_stacks(random_dealer, any_action):
    duel, rng = Duel(random_dealer, jax.random.key(8)), np.random.default_rng(8)
    for hand in range(1, 41):
        while not duel.over:
            duel.act(hand, turn(duel), any_action(duel, rng))
        duel.next_hand(hand)
    assert {record.shown for record in duel.history} == {True, False}
    assert {len(record.board) for record in duel.history} >= {0, 10}
    for record in duel.history:
        end = end_in_pokerkit(hand_history.phh(record))
        assert not end.status  # the hand is over there, too
        assert list(end.stacks) == [record.finishing_stacks[seat] for seat in (1 - record.button, record.button)]
    read = list(pokerkit.HandHistory.loads_all(hand_history.phhs(list(duel.history))))
    assert [history.hand for history in read] == list(range(1, 41))


def test_names_cannot_break_out_of_a_history(dealer):
    duel = Duel(dealer, jax.random.key(8), ("You", "A'\n[2] B"))
    duel.act(1, 0, 0)
    history = pokerkit.HandHistory.loads(hand_history.phh(duel.history[-1]))
    assert history.players == ["A[2] B", "You"]


def test_only_so_many_hands_are_kept(duel):
    duel.history = type(duel.history)(maxlen=3)
    for hand in range(1, 6):
        call_down(duel)
        duel.next_hand(hand)
    assert [record.number for record in duel.history] == [3, 4, 5]
