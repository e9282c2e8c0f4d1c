"""The PettingZoo adapter: PettingZoo's own tests, and games against the game's own steps."""

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import jaxpoker
from jaxpoker.adapters.pettingzoo import TurnsEnv
from jaxpoker.games.leduc import CALL, FOLD, RAISE

GAMES = [
    jaxpoker.make("kuhn"),
    jaxpoker.make("kuhn", num_players=3),
    jaxpoker.make("leduc"),
    jaxpoker.make("holdem", num_players=6),
    pytest.param(jaxpoker.make("chicago"), marks=pytest.mark.thorough),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name} for {game.num_players}")
def test_pettingzoos_own_tests_pass(game):
    with warnings.catch_warnings():
        # It prefers arrays without a mask and with limits, and reminds of them.
        warnings.filterwarnings("ignore", category=UserWarning, module="pettingzoo")
        api_test(TurnsEnv(game), num_cycles=50)
        seed_test(lambda: TurnsEnv(game), num_cycles=20)


def test_a_hand_is_paid_as_the_game_pays_it():
    env = TurnsEnv(jaxpoker.make("leduc"), render_mode="ansi")
    env.reset(seed=1)
    for action in (RAISE, FOLD):
        observation = env.last()[0]
        assert observation["action_mask"][action]
        env.step(action)
    assert env.rewards == {"seat_0": 1.0, "seat_1": -1.0} and all(env.terminations.values())
    assert "paid [1.0, -1.0]" in env.render()


def test_only_the_seat_to_act_has_actions_and_no_seat_sees_the_others_card():
    env = TurnsEnv(jaxpoker.make("leduc"))
    env.reset(seed=1)
    first, second = (env.observe(agent) for agent in env.agents)
    assert first["action_mask"].tolist() == [0, 1, 1] and not second["action_mask"].any()
    assert first["observation"][2:8].sum() == 1 and second["observation"][2:8].sum() == 1
    assert not np.array_equal(first["observation"][2:8], second["observation"][2:8])


def test_an_illegal_action_costs_the_most_there_is():
    env = TurnsEnv(jaxpoker.make("leduc"))
    env.reset(seed=1)
    env.step(FOLD)
    assert env.rewards == {"seat_0": -13.0, "seat_1": 13.0}


def test_other_render_modes_are_refused():
    with pytest.raises(ValueError, match="'human'"):
        TurnsEnv(jaxpoker.make("kuhn"), render_mode="human")
    env = TurnsEnv(jaxpoker.make("leduc"))
    env.reset(seed=0)
    env.step(CALL)
    assert env.agent_selection == "seat_1"
