"""The Gymnasium adapter: its own checks, and many tables against one."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import RecordEpisodeStatistics
from gymnasium.wrappers import vector as vector_wrappers

import jaxpoker
from jaxpoker import players
from jaxpoker.adapters.gymnasium import OneSeatEnv, OneSeatVectorEnv
from jaxpoker.games.leduc import CALL, FOLD, RAISE

KUHN, LEDUC = jaxpoker.make("kuhn"), jaxpoker.make("leduc")


@pytest.mark.parametrize("game", [KUHN, LEDUC, jaxpoker.make("holdem", num_players=3)], ids=lambda game: game.name)
def test_gymnasiums_check_of_environments_passes(game):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(infinity|Box|spec).*")  # what a seat sees has no given limits
        check_env(OneSeatEnv(game, players.make("random", game)), skip_render_check=True)


def test_one_table_plays_whole_games():
    env = RecordEpisodeStatistics(OneSeatEnv(LEDUC, players.make("random", LEDUC), seat=0))
    observation, info = env.reset(seed=3)
    won = 0.0
    for _ in range(10):
        action = env.action_space.sample(info["action_mask"])
        assert info["action_mask"][action]
        observation, reward, over, cut, info = env.step(action)
        assert observation in env.observation_space and not cut
        won += reward
        if over:
            break
    assert over and info["episode"]["r"] == won and abs(won) in (1, 3, 5, 7, 9, 11, 13, 0)


def test_an_illegal_action_ends_the_game_and_costs():
    env = OneSeatEnv(LEDUC, players.make("random", LEDUC), seat=0)
    env.reset(seed=0)
    assert env.step(FOLD)[1:3] == (-13.0, True)  # there is nothing to fold to


def test_a_step_before_the_first_reset_is_refused():
    for env in (OneSeatEnv(KUHN, players.make("random", KUHN)), OneSeatVectorEnv(KUHN, lambda *_: 0, 2)):
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP], ids=lambda mode: mode.name)
def test_many_tables_go_on_as_gymnasiums_own_do(mode):
    """Raising into a player who always calls: every game has the same length at our tables and at Gymnasium's."""

    def calls(game, state, key):
        return CALL

    ours = OneSeatVectorEnv(LEDUC, calls, 3, seat=0, autoreset_mode=mode)
    theirs = gymnasium.vector.SyncVectorEnv([lambda: OneSeatEnv(LEDUC, calls, seat=0)] * 3, autoreset_mode=mode)
    for envs in (ours, theirs):
        envs.reset(seed=0)
    for _ in range(7):
        (seen, rewards, over, cut, info), (seen_2, rewards_2, over_2, cut_2, info_2) = (
            envs.step(np.full(3, RAISE)) for envs in (ours, theirs)
        )
        assert (seen.shape, seen.dtype, rewards.dtype) == (seen_2.shape, seen_2.dtype, rewards_2.dtype)
        np.testing.assert_array_equal(over, over_2)
        np.testing.assert_array_equal(cut, cut_2)
        np.testing.assert_array_equal(seen[:, 14:], seen_2[:, 14:])  # the betting
        assert set(np.abs(rewards)) | set(np.abs(rewards_2)) <= {0, 7}
        assert set(info) == set(info_2)
        if "final_obs" in info:
            np.testing.assert_array_equal(info["final_obs"][:, 14:], np.stack(info_2["final_obs"])[:, 14:])
            np.testing.assert_array_equal(info["_final_obs"], info_2["_final_obs"])
        np.testing.assert_array_equal(info["action_mask"], info_2["action_mask"])


def test_a_thousand_tables_pay_what_a_random_game_is_worth():
    envs = vector_wrappers.RecordEpisodeStatistics(OneSeatVectorEnv(KUHN, players.make("random", KUHN), 1_000, seat=0))
    envs.reset(seed=1)
    rng = np.random.default_rng(0)
    paid = []
    for _ in range(20):
        _, rewards, over, _, _ = envs.step(rng.integers(0, 2, 1_000))
        paid += rewards[over].tolist()
    assert len(paid) > 10_000
    # Both at random: 1/8 is what the first seat expects.
    assert np.mean(paid) == pytest.approx(0.125, abs=5 * np.std(paid) / np.sqrt(len(paid)))


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="num_envs = 0"):
        OneSeatVectorEnv(KUHN, lambda *_: 0, 0)
    with pytest.raises(ValueError, match="autoreset_mode"):
        OneSeatVectorEnv(KUHN, lambda *_: 0, 2, autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(ValueError, match="one seed"):
        OneSeatVectorEnv(KUHN, lambda *_: 0, 2).reset(seed=[1, 2])
