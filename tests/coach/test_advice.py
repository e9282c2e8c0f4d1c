"""Advice as a record, in words and as JSON; and that it knows no more than the hero."""

import json
import re

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import coach, ranges
from jaxpoker.coach import advice as records
from jaxpoker.coach import explanation, wording

KEY = jax.random.key(2)
FLOP_SPOT = [25, 25, 37]  # the big blind leads into the button's raised pot


@pytest.fixture(scope="module")
def advice(blueprint_coach, spot):
    return blueprint_coach.advise(spot("KcQd", FLOP_SPOT, "Kd7s2d5c9h"), 0, KEY, taken=1)


# --- no leak ----------------------------------------------------------------------------------


def test_advice_is_the_same_whatever_the_opponent_holds_and_whatever_is_to_come(blueprint_coach, spot, advice):
    for villain, to_come in (("3c4d", "5c9h"), ("KhKs", "2h2c"), ("AdJd", "3dTd")):
        other = blueprint_coach.advise(spot("KcQd", FLOP_SPOT, f"Kd7s2d{to_come}", villain), 0, KEY, taken=1)
        assert other == advice  # to the last bit


def test_another_key_is_another_sample(blueprint_coach, spot, advice):
    other = blueprint_coach.advise(spot("KcQd", FLOP_SPOT, "Kd7s2d5c9h"), 0, jax.random.key(3))
    assert other.equity == advice.equity  # exact
    assert other.choices != advice.choices


# --- the record -------------------------------------------------------------------------------


def test_the_situation_is_what_the_hero_sees(advice):
    here = advice.situation
    assert (here.street, here.hand, here.board, here.made) == ("flop", "KcQd", "Kd7s2d", "pair of kings")
    assert (here.position, here.in_position) == ("BTN", True)
    assert (here.pot, here.to_call, here.stack, here.villain_stack) == (8.7, 3.7, 97.5, 93.8)
    assert here.spr == pytest.approx(93.8 / 8.7, rel=1e-5)


def test_pot_odds_and_edge_follow(advice):
    assert advice.required_equity == pytest.approx(3.7 / (8.7 + 3.7))
    assert advice.edge == pytest.approx(advice.equity - advice.required_equity)
    assert 0.5 < advice.equity < 0.95


def test_choices_are_the_legal_actions_best_first(advice):
    names = {choice.name for choice in advice.choices}
    assert {"fold", "check/call", "1/2 pot", "3/4 pot", "pot", "all-in"} <= names
    evs = [choice.ev for choice in advice.choices]
    assert evs == sorted(evs, reverse=True) and advice.recommended.ev == evs[0]
    assert advice.recommended.behind == 0
    for choice in advice.choices:
        assert choice.behind == pytest.approx(evs[0] - choice.ev, abs=1e-4)


def test_what_was_taken_costs_what_it_is_behind(advice):
    assert advice.taken.name == "check/call"
    assert advice.ev_lost == pytest.approx(advice.recommended.ev - advice.taken.ev, abs=1e-4)


def test_more_batches_make_smaller_errors(blueprint_coach, spot, advice):
    wider = blueprint_coach.advise(spot("KcQd", FLOP_SPOT, "Kd7s2d5c9h"), 0, KEY, batches=4)
    assert wider.rollouts == 4 * advice.rollouts
    error = {choice.name: choice.standard_error for choice in advice.choices}
    ratios = [choice.standard_error / error[choice.name] for choice in wider.choices if choice.standard_error]
    assert 0.4 < np.mean(ratios) < 0.6


def test_the_range_may_be_said(blueprint_coach, spot, advice):
    state = spot("KcQd", FLOP_SPOT, "Kd7s2d5c9h")
    tight = blueprint_coach.advise(state, 0, KEY, against="AA, KK, AK, 77, 22")
    assert tight.equity < 0.3 < advice.equity and tight.against == "AA, KK, AK, 77, 22"
    with pytest.raises(ValueError, match="block them all"):
        blueprint_coach.advise(state, 0, KEY, against="KcQd")
    with pytest.raises(ValueError, match="unknown rank"):
        blueprint_coach.advise(state, 0, KEY, against="XX")


def test_the_range_is_told_by_class(blueprint_coach, spot):
    tight = blueprint_coach.advise(spot("KcQd", FLOP_SPOT, "Kd7s2d5c9h"), 0, KEY, against="KK, QJs")
    of_class = dict(zip(ranges.CLASS_NAMES, tight.villain_classes, strict=True))
    assert tight.villain_hands == 1 + 3  # two kings are known, and a queen
    assert {name: weight for name, weight in of_class.items() if weight} == {"KK": 1 / 6, "QJs": 3 / 4}


def test_there_is_no_advice_out_of_turn(blueprint_coach, spot):
    with pytest.raises(ValueError, match="seat 1 is not to act"):
        blueprint_coach.advise(spot("AhKh"), 1, KEY)


def test_an_action_that_was_not_legal_cannot_have_been_taken(blueprint_coach, spot):
    with pytest.raises(ValueError, match="action 0 was not legal"):
        blueprint_coach.advise(spot("KcQd", [25, 25, 0], "Kd7s2d5c9h"), 0, KEY, taken=0)


def test_a_coach_is_for_two_and_needs_rollouts(model):
    with pytest.raises(ValueError, match="6 players"):
        coach.Coach(jaxpoker.make("holdem", num_players=6), model("call"), model("call"))
    with pytest.raises(ValueError, match="1 rollouts"):
        coach.Coach(jaxpoker.make("holdem"), model("call"), model("call"), num_rollouts=1)


# --- words ------------------------------------------------------------------------------------


def test_the_text_has_four_levels_with_their_numbers(advice):
    said = coach.text(advice)
    assert re.findall(r"^\d\. (\w+)", said, flags=re.MULTILINE) == list(explanation.LEVELS)
    for fact in (f"{advice.equity:.1%}", f"{advice.required_equity:.1%}", advice.recommended.label, "(recommended)"):
        assert fact in said
    assert advice.baseline in said and "Medium SPR (10.8)" in said and "You have position" in said


def test_the_worked_example_of_equity_and_pot_odds(advice):
    """68% equity where 25% are needed is an edge of 43%."""
    example = advice._replace(equity=0.68, required_equity=0.25, edge=0.43)
    lines = coach.levels(example)["Equity"]
    assert lines[0].startswith("Your equity: 68.0%")
    assert lines[1].startswith("Pot odds: 25.0%") and lines[2] == "Equity edge: +43.0%"


def test_the_worked_example_of_rollouts(advice):
    half, call, fold, jam = (
        advice.choices[0]._replace(label=label, name=name, ev=ev, standard_error=error)
        for label, name, ev, error in (
            ("Raise to 6 BB", "1/2 pot", 0.5, 0.1),
            ("Call 2 BB", "check/call", 0.3, 0.1),
            ("Fold", "fold", 0.0, 0.0),
            ("All-in, 100 BB", "all-in", -0.2, 0.4),
        )
    )
    example = advice._replace(choices=(half, call, fold, jam))
    lines = coach.levels(example)["Rollouts"]
    assert [" ".join(line.split()) for line in lines[:4]] == [
        "Raise to 6 BB +0.50 ± 0.10 BB (recommended)",
        "Call 2 BB +0.30 ± 0.10 BB",
        "Fold 0.00 BB",
        "All-in, 100 BB −0.20 ± 0.40 BB",
    ]
    assert coach.levels(example)["Recommended"][0] == "Raise to 6 BB (1/2 pot)"


def test_a_review_says_what_the_action_taken_lost(advice):
    behind = advice.taken._replace(label="Call 3.7 BB", behind=0.75, behind_error=0.25, action=1)
    best = advice.recommended._replace(action=7)
    said = coach.levels(advice._replace(taken=behind, choices=(best, *advice.choices[1:])))["Recommended"]
    assert said[-1] == "You took Call 3.7 BB: 0.75 ± 0.25 BB worse"
    said = coach.levels(advice._replace(taken=best, choices=(best, *advice.choices[1:])))["Recommended"]
    assert said[-1].startswith("You took it")


@pytest.mark.parametrize("spr, word", [(2.1, "Low SPR (2.1)"), (8.0, "Medium SPR (8.0)"), (33.0, "High SPR (33.0)")])
def test_the_notes_know_low_from_high_stack_to_pot_ratios(advice, spr, word):
    assert records.spr_note(advice.situation._replace(spr=spr)).startswith(word)


def test_json_has_everything_and_is_plain(advice):
    plain = json.loads(json.dumps(coach.as_json(advice), allow_nan=False))
    assert plain["situation"]["hand"] == "KcQd"
    assert plain["recommended"]["label"] == advice.recommended.label
    assert plain["ev_lost"] == pytest.approx(advice.ev_lost)
    assert len(plain["choices"]) == len(advice.choices) and plain["text"] == coach.text(advice)


def test_actions_are_called_as_players_call_them(game, spot):
    spot_of = jax.jit(game.facing)
    facing = jax.device_get(spot_of(spot("AhKh", FLOP_SPOT)))
    labels = {to: wording.label_at(facing, to) for to in (-1, 37, 74, 975)}
    assert labels == {-1: "Fold", 37: "Call 3.7 BB", 74: "Raise to 7.4 BB", 975: "All-in, 97.5 BB"}
    free = jax.device_get(spot_of(spot("AhKh", [25, 25, 0])))
    assert [wording.label_at(free, to) for to in (0, 25)] == ["Check", "Bet 2.5 BB"]
    assert [wording.signed(number) for number in (0.5, -1.234, 0.001, -0.001)] == ["+0.50", "−1.23", "0.00", "0.00"]
