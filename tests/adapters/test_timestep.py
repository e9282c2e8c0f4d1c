"""Time steps in the manner of dm_env."""

import jax
import numpy as np
import pytest

from jaxpoker import core
from jaxpoker.adapters.timestep import FIRST, LAST, MID, TimeStepEnv
from jaxpoker.games.kuhn import BET, PASS, Kuhn
from jaxpoker.games.leduc import Leduc


def test_a_game_of_kuhn_as_time_steps():
    env = TimeStepEnv(Kuhn())
    state, first = env.reset(jax.random.key(3))
    assert first.first() and first.reward.tolist() == [0, 0] and first.discount == 1 and first.current_player == 0
    np.testing.assert_array_equal(first.observation, Kuhn().observe(state, 0))
    state, mid = env.step(state, BET)
    assert mid.mid() and mid.reward.tolist() == [0, 0] and mid.discount == 1 and mid.current_player == 1
    np.testing.assert_array_equal(mid.observation, Kuhn().observe(state, 1))
    state, last = env.step(state, PASS)
    assert last.last() and last.reward.tolist() == [1, -1] and last.discount == 0
    _, again = env.step(state, BET)
    assert again.last() and again.reward.tolist() == [0, 0] and again.discount == 0


@pytest.mark.parametrize("game", [Kuhn(3), Leduc()], ids=repr)
def test_many_tables_in_one_scan_pay_what_the_game_pays(game):
    env, tables = TimeStepEnv(game), 256

    def turn(carry, key):
        state, mask = carry
        state, time_step = jax.vmap(env.step)(state, core.random_action(key, mask))
        return (state, time_step.legal_action_mask), (time_step, state.rewards)

    @jax.jit
    def play(key):
        state, first = jax.vmap(env.reset)(jax.random.split(key, tables))
        keys = jax.random.split(key, 10)
        return first, jax.lax.scan(turn, (state, first.legal_action_mask), keys)[1]

    first, (steps, rewards) = play(jax.random.key(0))
    assert (np.asarray(first.step_type) == FIRST).all()
    np.testing.assert_array_equal(steps.reward, rewards)
    kinds, paid = np.asarray(steps.step_type), np.asarray(steps.reward)
    assert set(np.unique(kinds)) == {MID, LAST} and (kinds[-1] == LAST).all()
    assert (np.diff(kinds, axis=0) >= 0).all()  # once LAST, always LAST
    first_last = (kinds == LAST) & (np.cumsum(kinds == LAST, axis=0) == 1)
    assert not paid[~first_last].any() and np.abs(paid[first_last]).sum() > tables / 2
    np.testing.assert_array_equal(steps.discount, (kinds == MID).astype(np.float32))
    assert not paid.sum(axis=-1).any()
