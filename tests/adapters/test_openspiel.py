"""Games here as games of OpenSpiel: its own test of games, its solvers and its measures run on them."""

import copy
import subprocess
import sys

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability
from open_spiel.python.policy import TabularPolicy

import jaxpoker
from jaxpoker.adapters import openspiel


@pytest.fixture(scope="module")
def kuhn():
    return openspiel.as_game(jaxpoker.make("kuhn"))


@pytest.fixture(scope="module")
def leduc():
    return openspiel.as_game(jaxpoker.make("leduc"))


@pytest.mark.parametrize(
    ("game", "deals"),
    [
        (jaxpoker.make("kuhn"), None),
        (jaxpoker.make("kuhn", num_players=3), None),
        (jaxpoker.make("leduc"), None),
        (jaxpoker.make("holdem"), 20),
    ],
    ids=["kuhn", "kuhn for three", "leduc", "holdem"],
)
def test_openspiels_own_test_of_games_passes(game, deals):
    theirs = openspiel.as_game(game, deals)
    pyspiel.random_sim_test(theirs, 5, True, False)  # True: states survive being written and read, too


@pytest.mark.parametrize(("name", "published"), [("kuhn", 0.4583333333), ("leduc", 2.3736111111)])
def test_uniform_play_is_as_exploitable_as_published(name, published, request):
    theirs = request.getfixturevalue(name)
    assert exploitability.exploitability(theirs, TabularPolicy(theirs)) == pytest.approx(published, abs=1e-9)


def test_three_players_lose_what_they_lose_in_openspiels_kuhn():
    ours, theirs = openspiel.as_game(jaxpoker.make("kuhn", num_players=3)), pyspiel.load_game("kuhn_poker(players=3)")
    lost = [exploitability.nash_conv(game, TabularPolicy(game)) for game in (ours, theirs)]
    assert lost[0] == pytest.approx(lost[1], abs=1e-9)


def test_openspiels_cfr_solves_our_kuhn_step_by_step_as_its_own(kuhn):
    solvers = [cfr.CFRSolver(game) for game in (kuhn, pyspiel.load_game("kuhn_poker"))]
    for solver in solvers:
        for _ in range(30):
            solver.evaluate_and_update_policy()
    ours, theirs = (exploitability.nash_conv(solver._game, solver.average_policy()) for solver in solvers)
    assert ours == pytest.approx(theirs, abs=1e-9) and ours < 0.2


def test_leduc_has_its_936_information_sets_and_its_public_card_between_the_rounds(leduc):
    states = list(openspiel.decisions(leduc))
    assert len(states) == 936
    assert len({state.information_state_string() for state in states}) == 936
    state = leduc.new_initial_state()
    assert len(state.chance_outcomes()) == 30
    for action in (0, 1, 1):  # cards, check, check
        state.apply_action(action)
    assert state.is_chance_node() and len(state.chance_outcomes()) == 4
    seen = {state.child(card).information_state_string(0) for card, _ in state.chance_outcomes()}
    assert len(seen) == 4


def test_a_hand_shows_no_card_before_it_is_dealt(leduc):
    state = leduc.new_initial_state()
    assert not any(state.observation_tensor(0)) and not any(state.information_state_tensor(1))
    state.apply_action(0)
    before = state.observation_tensor(0)[8:14]  # the public card
    assert not any(before)


def test_a_copy_of_a_state_is_a_state_of_its_own(kuhn):
    state = kuhn.new_initial_state()
    state.apply_action(3)
    copied = copy.deepcopy(state)
    copied.apply_action(1)
    assert state.history() == [3] and copied.history() == [3, 1]
    assert state.current_player() == 0 and copied.current_player() == 1


def test_games_with_drawn_deals_are_worth_what_these_deals_are_worth():
    game = jaxpoker.make("kuhn")
    few = openspiel.as_game(game, 4, seed=1)
    value = expected_game_score.policy_value(few.new_initial_state(), [TabularPolicy(few)] * 2)
    cards = few.rules.root.cards[0]
    seats = np.stack([np.asarray(game.hand_index(cards, seat)) for seat in (0, 1)])
    # Uniform play in Kuhn: who has the higher card wins 1, 1 or 2 chips, or the other folds.
    sign = np.where(seats[0] > seats[1], 1, -1)
    expected = (sign * (1 / 4 + 2 / 8 + 2 / 4) + (1 / 4 - 1 / 8)).mean()
    assert value[0] == pytest.approx(expected, abs=1e-9)


def test_a_game_whose_cards_are_not_listed_asks_for_a_number_of_deals():
    with pytest.raises(ValueError, match=r"holdem.*deals=1_000"):
        openspiel.as_game(jaxpoker.make("holdem"))
    with pytest.raises(ValueError, match="deals = 0"):
        openspiel.as_game(jaxpoker.make("holdem"), 0)


def test_a_process_that_used_it_ends_as_others_do():
    code = "import jaxpoker; from jaxpoker.adapters import openspiel; openspiel.as_game(jaxpoker.make('kuhn'))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
