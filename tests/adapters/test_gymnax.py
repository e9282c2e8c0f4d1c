"""One seat as a gymnax environment."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.adapters.gymnax import OneSeat
from jaxpoker.games.kuhn import BET, PASS, Kuhn
from jaxpoker.games.leduc import CALL, FOLD, RAISE, Leduc


def at_random(game, state, key):
    return core.random_action(key, state.legal_action_mask)


def always(action):
    return lambda game, state, key: jnp.int32(action)


@pytest.mark.parametrize("game", [Kuhn(), Kuhn(4), Leduc()], ids=repr)
def test_spaces_and_shapes(game):
    env = OneSeat(game, at_random)
    observation, state = env.reset(jax.random.key(0))
    assert env.num_actions == env.action_space(env.default_params).n == game.num_actions
    assert observation.shape == env.observation_space(env.default_params).shape == (game.observation_size,)
    assert env.name == game.name and bool(env.action_space().contains(0))
    np.testing.assert_array_equal(observation, env.get_obs(state))
    assert env.legal_action_mask(state).shape == (game.num_actions,)


def play(env, tables, turns, policy):
    """Everything a learner with ``policy(key, observation, mask)`` gets, ``[turns, tables]``."""
    params = env.default_params

    def turn(carry, key):
        observation, state = carry
        action_key, step_key = jax.random.split(key)
        action = policy(action_key, observation, jax.vmap(env.legal_action_mask)(state))
        keys = jax.random.split(step_key, tables)
        observation, state, reward, terminated, truncated, _ = jax.vmap(env.step, in_axes=(0, 0, 0, None))(
            keys, state, action, params
        )
        return (observation, state), (reward, terminated, truncated, state.seat)

    @jax.jit
    def run(key):
        carry = jax.vmap(env.reset, in_axes=(0, None))(jax.random.split(key, tables), params)
        _, out = jax.lax.scan(turn, carry, jax.random.split(key, turns))
        return carry[1], out

    return run(jax.random.key(0))


def legal(key, observation, mask):
    return core.random_action(key, mask)


def test_against_a_random_player_kuhn_is_worth_what_random_play_is():
    for seat, value in ((0, 1 / 8), (1, -1 / 8), (None, 0)):
        _, (reward, over, truncated, seats) = play(OneSeat(Kuhn(), at_random, seat=seat), 512, 100, legal)
        games = np.asarray(over).sum()
        assert games > 20_000 and not np.asarray(truncated).any()
        assert abs(np.asarray(reward).sum() / games - value) < 4 * 1.4 / np.sqrt(games)
        assert not np.asarray(reward)[~np.asarray(over)].any()
        assert set(np.unique(seats)) == ({0, 1} if seat is None else {seat})


def test_the_learner_is_paid_when_the_opponent_acts_last():
    # The learner bets first and the opponent folds: one chip, in the same step.
    _, (reward, over, _, _) = play(OneSeat(Kuhn(), always(PASS), seat=0), 8, 20, lambda k, o, mask: mask[:, 0] * BET)
    assert np.asarray(over).all() and (np.asarray(reward) == 1).all()
    # In Leduc a raise is folded to by an opponent who always folds when it can.
    folder = lambda game, state, key: jnp.where(state.legal_action_mask[FOLD], FOLD, CALL)  # noqa: E731
    _, (reward, over, _, _) = play(OneSeat(Leduc(), folder), 8, 20, lambda k, o, mask: mask[:, CALL] * RAISE)
    assert np.asarray(over).all() and (np.asarray(reward) == 1).all()


def test_the_learner_pays_for_an_illegal_action():
    _, (reward, over, _, _) = play(OneSeat(Leduc(), at_random, seat=0), 8, 3, lambda k, o, mask: mask[:, CALL] * 5)
    assert np.asarray(over).all() and (np.asarray(reward) == -13).all()


def test_a_game_that_ends_before_the_learners_turn_is_paid_at_its_first_step():
    # An opponent who acts illegally at once loses 2 chips before the learner at seat 1 has moved.
    env = OneSeat(Kuhn(), always(7), seat=1)
    _, state = env.reset(jax.random.key(0))
    assert state.game_state.terminated and env.legal_action_mask(state).all()
    _, _, reward, terminated, truncated, _ = env.step(jax.random.key(1), state, PASS)
    assert reward == 2 and terminated and not truncated
    _, (reward, over, _, _) = play(env, 8, 10, legal)
    assert (np.asarray(reward) == 2).all() and np.asarray(over).all()


class Counter(NamedTuple):
    """A Player that bets every n-th time it acts within a hand; n is its params."""

    init_memory: object = lambda params: jnp.int32(7)
    new_hand: object = lambda memory: jnp.int32(0)
    act: object = lambda params, memory, game, state, key: (
        jnp.where((memory + 1) % params == 0, BET, PASS),
        memory + 1,
    )


def test_a_player_keeps_its_memory_for_a_game_and_its_params_may_change():
    env = OneSeat(Kuhn(3), Counter(), opponent_params=jnp.int32(2), seat=2)
    _, state = env.reset(jax.random.key(0))
    assert state.memory.tolist() == [1, 1, 0] and state.game_state.turn == 2 and state.game_state.bets == 0
    _, after, reward, terminated, _ = env.step_env(jax.random.key(1), state, BET, env.default_params)
    assert terminated and after.game_state.bets == 0b11100  # both opponents act for the second time and call
    assert after.memory.tolist() == [2, 2, 0]
    params = env.default_params.replace(opponent=jnp.int32(3))
    _, after, reward, terminated, _ = env.step_env(jax.random.key(1), state, BET, params)
    assert terminated and after.game_state.bets == 0b100 and reward == 2  # both fold
    _, fresh = env.reset(jax.random.key(2))
    assert fresh.memory.tolist() == [1, 1, 0]


def test_the_learner_sees_its_own_card_only():
    env = OneSeat(Leduc(), at_random)
    for key in jax.random.split(jax.random.key(0), 8):
        observation, state = env.reset(key)
        np.testing.assert_array_equal(observation, Leduc().observe(state.game_state, state.seat))
        assert observation[int(state.seat)] == 1
        assert state.game_state.current_player == state.seat


def test_time_limit_truncates():
    env = OneSeat(Leduc(), always(CALL), seat=0)
    params = env.default_params.replace(max_steps_in_episode=1)
    _, state = env.reset(jax.random.key(0), params)
    _, _, _, terminated, truncated, _ = env.step(jax.random.key(0), state, CALL, params)
    assert truncated and not terminated


def test_wrong_seats_and_opponents_are_named():
    with pytest.raises(ValueError, match="seat 2 is not at the table: seats are 0 to 1"):
        OneSeat(Kuhn(), at_random, seat=2)
    with pytest.raises(TypeError, match="an opponent is a Player or a function"):
        OneSeat(Kuhn(), 3)


def test_the_big_blind_is_paid_for_a_walk():
    def folder(game, state, key):
        return jnp.where(state.legal_action_mask[0], 0, 1)

    env = OneSeat(jaxpoker.make("holdem"), folder)
    walks = 0
    for key in jax.random.split(jax.random.key(0), 8):
        _, state = env.reset(key)
        if state.game_state.terminated:  # the small blind has folded before the learner's turn
            _, _, reward, terminated, _, _ = env.step(key, state, 0)
            assert reward > 0 and terminated
            walks += 1
    assert 0 < walks < 8
