"""The JaxMARL adapter under JaxMARL's own wrappers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxmarl.environments.multi_agent_env import MultiAgentEnv
from jaxmarl.wrappers.baselines import CTRolloutManager, LogWrapper

import jaxpoker
from jaxpoker import core
from jaxpoker.adapters.jaxmarl import TurnsEnv
from jaxpoker.games.leduc import FOLD, RAISE

LEDUC = jaxpoker.make("leduc")


def random_actions(env, key, state):
    legal = env.get_avail_actions(state)
    keys = jax.random.split(key, len(env.agents))
    return {agent: core.random_action(k, legal[agent]) for k, agent in zip(keys, env.agents, strict=True)}


@pytest.mark.parametrize("game", [LEDUC, jaxpoker.make("kuhn", num_players=3)], ids=repr)
def test_logged_games_pay_what_the_game_pays(game):
    env = LogWrapper(TurnsEnv(game))
    assert isinstance(env._env, MultiAgentEnv) and env.num_agents == game.num_players

    def turn(carry, key):
        _, state = carry
        act_key, step_key = jax.random.split(key)
        actions = random_actions(env, act_key, state.env_state)
        seen, state, rewards, dones, info = env.step(step_key, state, actions)
        return (seen, state), (rewards, dones["__all__"], info)

    @jax.jit
    @jax.vmap
    def play(key):
        return jax.lax.scan(turn, env.reset(key), jax.random.split(key, 100))[1]

    rewards, over, info = play(jax.random.split(jax.random.key(0), 50))
    over, paid = np.asarray(over), np.stack([np.asarray(r) for r in rewards.values()], axis=-1)
    assert over.sum() > 500 and not paid[~over].any() and np.abs(paid.sum(axis=-1)).max() < 1e-5
    logged = np.asarray(info["returned_episode_returns"])
    np.testing.assert_allclose(logged[over], paid[over], atol=1e-6)


def test_one_acts_and_the_others_wait():
    env = TurnsEnv(LEDUC)
    seen, state = env.reset(jax.random.key(0))
    legal = env.get_avail_actions(state)
    assert legal["agent_0"].tolist() == [False, True, True, False]
    assert legal["agent_1"].tolist() == [False, False, False, True]
    assert all(env.observation_space(agent).contains(seen[agent]) for agent in env.agents)
    _, state, _, dones, _ = env.step_env(jax.random.key(1), state, {"agent_0": RAISE, "agent_1": env.wait})
    assert not dones["__all__"] and state.step == 1
    _, state, rewards, dones, _ = env.step_env(jax.random.key(1), state, {"agent_0": env.wait, "agent_1": FOLD})
    assert dones == {"agent_0": True, "agent_1": True, "__all__": True}
    assert {agent: float(paid) for agent, paid in rewards.items()} == {"agent_0": 1.0, "agent_1": -1.0}


def test_jaxmarls_rollouts_for_q_learning_run():
    env = TurnsEnv(LEDUC)
    manager = CTRolloutManager(env, batch_size=8)
    manager.get_valid_actions = jax.vmap(env.get_avail_actions)  # it asks only environments that it knows by name
    seen, state = manager.batch_reset(jax.random.key(0))
    assert seen["agent_0"].shape == (8, LEDUC.observation_size + 2)  # it adds who it is
    actions = manager.batch_sample(jax.random.key(1), "agent_0")
    assert actions.shape == (8,)
    legal = manager.get_valid_actions(state)
    actions = {agent: jnp.argmax(legal[agent], axis=-1) for agent in env.agents}
    _, _, rewards, dones, _ = manager.batch_step(jax.random.key(2), state, actions)
    assert rewards["__all__"].shape == (8,) and not dones["__all__"].any()
