"""One seat as a gymnax environment."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core, players
from jaxpoker.adapters.gymnax import OneSeat
from jaxpoker.games.kuhn import BET, PASS, Kuhn
from jaxpoker.games.leduc import CALL, FOLD, RAISE, Leduc

TABLES = 32


def at_random(game, state, key):
    return core.random_action(key, state.legal_action_mask)


class Stubborn(NamedTuple):
    """A Player that does what its params say where that is legal, and calls elsewhere."""

    init_memory: object = lambda params: ()
    new_hand: object = lambda memory: memory
    act: object = lambda params, memory, game, state, key: (
        jnp.where(core.is_legal(state.legal_action_mask, params), params, CALL),
        memory,
    )


LEDUC = OneSeat(Leduc(), Stubborn(), opponent_params=np.int32(CALL))
reset_leduc = jax.jit(jax.vmap(LEDUC.reset, in_axes=(0, None)))
step_leduc = jax.jit(jax.vmap(LEDUC.step, in_axes=(0, 0, None, None)))


def keys(seed):
    return jax.random.split(jax.random.key(seed), TABLES)


@pytest.mark.parametrize("game", [Kuhn(), Kuhn(4), Leduc()], ids=repr)
def test_spaces_and_shapes(game):
    env = OneSeat(game, at_random)
    observation, state = jax.eval_shape(env.reset, jax.random.key(0))
    assert env.num_actions == env.action_space(env.default_params).n == game.num_actions
    assert observation.shape == env.observation_space(env.default_params).shape == (game.observation_size,)
    assert env.name == game.name and bool(env.action_space().contains(0))
    assert jax.eval_shape(env.legal_action_mask, state).shape == (game.num_actions,)


def test_against_a_random_player_kuhn_is_worth_what_random_play_is():
    env, tables, turns = OneSeat(Kuhn(), at_random), 512, 200

    def turn(state, key):
        action_key, step_key = jax.random.split(key)
        action = core.random_action(action_key, jax.vmap(env.legal_action_mask)(state))
        step = jax.vmap(env.step, in_axes=(0, 0, 0, None))
        _, after, reward, over, truncated, _ = step(
            jax.random.split(step_key, tables), state, action, env.default_params
        )
        return after, (state.seat, reward, over, truncated)

    @jax.jit
    def run(key):
        _, state = jax.vmap(env.reset, in_axes=(0, None))(jax.random.split(key, tables), env.default_params)
        return jax.lax.scan(turn, state, jax.random.split(key, turns))[1]

    seat, reward, over, truncated = map(np.asarray, run(jax.random.key(0)))
    assert not truncated.any() and not reward[~over].any()
    assert set(np.unique(seat)) == {0, 1}
    for player, value in ((0, 1 / 8), (1, -1 / 8)):
        games = reward[over & (seat == player)]
        assert len(games) > 20_000
        assert abs(games.mean() - value) < 4 * 1.4 / np.sqrt(len(games))


def test_the_learner_is_paid_when_the_opponent_acts_last():
    """Its raise is folded to by an opponent who folds when it can, in this game and in the next."""
    params = LEDUC.default_params.replace(opponent=np.int32(FOLD))
    _, state = reset_leduc(keys(0), params)
    assert set(np.unique(state.seat)) == {0, 1}
    for again in range(2):
        _, state, reward, terminated, truncated, _ = step_leduc(keys(again), state, RAISE, params)
        assert (np.asarray(reward) == 1).all() and np.asarray(terminated).all() and not np.asarray(truncated).any()


def test_the_learner_pays_for_an_illegal_action():
    params = LEDUC.default_params
    _, state = reset_leduc(keys(0), params)
    _, _, reward, terminated, _, _ = step_leduc(keys(1), state, 5, params)
    assert (np.asarray(reward) == -13).all() and np.asarray(terminated).all()


def test_the_mask_of_the_state_is_the_next_games_and_that_of_info_the_ended_ones():
    params = LEDUC.default_params
    _, state = reset_leduc(keys(0), params)
    _, state, _, terminated, _, info = step_leduc(keys(1), state, 5, params)
    assert np.asarray(terminated).all() and np.asarray(info["legal_action_mask"]).all()
    mask = np.asarray(LEDUC.legal_action_mask(state))
    np.testing.assert_array_equal(mask, np.broadcast_to([False, True, True], mask.shape))  # nothing to fold to


def test_a_game_that_ends_before_the_learners_turn_is_paid_at_its_first_step():
    # An opponent who acts illegally at once loses 2 chips before the learner at seat 1 has moved.
    env = OneSeat(Kuhn(), lambda game, state, key: jnp.int32(7), seat=1)
    _, state = env.reset(jax.random.key(0))
    for again in range(3):
        assert state.seat == 1 and state.game_state.terminated and env.legal_action_mask(state).all()
        _, state, reward, terminated, truncated, _ = env.step(jax.random.key(again), state, PASS)
        assert reward == 2 and terminated and not truncated


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
    step = jax.jit(env.step_env)
    _, state = env.reset(jax.random.key(0))
    assert state.memory.tolist() == [1, 1, 0] and state.game_state.turn == 2 and state.game_state.bets == 0
    _, after, reward, terminated, _ = step(jax.random.key(1), state, BET, env.default_params)
    assert terminated and after.game_state.bets == 0b11100  # both opponents act for the second time and call
    assert after.memory.tolist() == [2, 2, 0]
    params = env.default_params.replace(opponent=jnp.int32(3))
    _, after, reward, terminated, _ = step(jax.random.key(1), state, BET, params)
    assert terminated and after.game_state.bets == 0b100 and reward == 2  # both fold
    _, fresh = env.reset(jax.random.key(2))
    assert fresh.memory.tolist() == [1, 1, 0]


def test_the_learner_sees_its_own_card_only():
    params = LEDUC.default_params
    observation, state = reset_leduc(keys(0), params)
    by_hand = jax.jit(jax.vmap(Leduc().observe))(state.game_state, state.seat)
    np.testing.assert_array_equal(observation, by_hand)
    assert (np.asarray(observation)[np.arange(TABLES), state.seat] == 1).all()
    np.testing.assert_array_equal(state.game_state.current_player, state.seat)
    asked = jax.jit(jax.vmap(lambda state: LEDUC.observe(jax.random.key(0), state, None, params)))
    np.testing.assert_array_equal(asked(state), observation)


def test_time_limit_truncates():
    params = LEDUC.default_params.replace(max_steps_in_episode=1)
    _, state = reset_leduc(keys(0), params)
    _, _, _, terminated, truncated, _ = step_leduc(keys(1), state, CALL, params)
    assert np.asarray(truncated).all() and not np.asarray(terminated).any()


def test_wrong_seats_and_opponents_are_named():
    with pytest.raises(ValueError, match="seat 2 is not at the table: seats are 0 to 1"):
        OneSeat(Kuhn(), at_random, seat=2)
    with pytest.raises(TypeError, match="an opponent is a Player or a function"):
        OneSeat(Kuhn(), 3)


@pytest.mark.thorough
def test_the_big_blind_is_paid_for_a_walk():
    game = jaxpoker.make("holdem")
    env = OneSeat(game, players.make("check-fold", game))
    params = env.default_params

    @jax.jit
    def first_step(keys):
        _, state = jax.vmap(env.reset_env, in_axes=(0, None))(keys, params)
        _, _, reward, terminated, _ = jax.vmap(env.step_env, in_axes=(0, 0, None, None))(keys, state, 0, params)
        return state.game_state.terminated, reward, terminated

    walk, reward, terminated = map(np.asarray, first_step(jax.random.split(jax.random.key(0), 8)))
    assert 0 < walk.sum() < 8  # the small blind has folded before the learner's turn
    assert terminated[walk].all() and (reward[walk] == 0.5).all()
