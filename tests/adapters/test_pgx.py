"""The pgx adapter, used as pgx's own environments are."""

import jax
import jax.numpy as jnp
import numpy as np
import pgx
import pytest
from pgx._src import api_test
from pgx.experimental import act_randomly, auto_reset

import jaxpoker
from jaxpoker import core
from jaxpoker.adapters.pgx import PgxEnv
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import CALL, FOLD, RAISE, Leduc

GAMES = [Kuhn(), Kuhn(3), Leduc()]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_has_what_pgx_code_uses(game):
    env = PgxEnv(game)
    assert isinstance(env, pgx.Env)
    assert (env.num_players, env.num_actions) == (game.num_players, game.num_actions)
    assert env.observation_shape == (game.observation_size,)
    assert (env.id, env.version) == (game.name, "v1")
    key = jax.random.key(0)
    state, theirs = jax.eval_shape(env.init, key), jax.eval_shape(pgx.make("leduc_holdem").init, key)
    assert isinstance(state, pgx.State) and state.env_id == game.name
    for field in ("current_player", "rewards", "terminated", "truncated", "legal_action_mask", "_step_count"):
        ours, their_field = getattr(state, field), getattr(theirs, field)
        assert (ours.dtype, ours.ndim) == (their_field.dtype, their_field.ndim), field


def test_observations_are_the_current_players_unless_another_is_asked_for():
    env = PgxEnv(Leduc())

    @jax.jit
    def views(key):
        state = env.step(env.init(key), RAISE)
        by_seat = [Leduc().observe(state.game_state, seat) for seat in (0, 1)]
        return state.observation, env.observe(state), env.observe(state, 0), by_seat

    own, asked, of_first, by_seat = views(jax.random.key(0))
    np.testing.assert_array_equal(own, by_seat[1])
    np.testing.assert_array_equal(asked, by_seat[1])
    np.testing.assert_array_equal(of_first, by_seat[0])
    assert (by_seat[0] != by_seat[1]).any()


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_auto_reset_plays_the_games_of_the_native_step(game):
    env, tables, turns = PgxEnv(game), 64, 200
    step = jax.vmap(auto_reset(env.step, env.init))

    def turn(carry, key):
        state, native = carry
        action_key, step_key = jax.random.split(key)
        action = act_randomly(action_key, state.legal_action_mask)
        after = step(state, action, jax.random.split(step_key, tables))
        native = jax.vmap(game.step)(native, action)
        seen = {
            "rewards": (after.rewards, native.rewards),
            "over": (after.terminated, native.terminated),
            "player": (after.current_player, jnp.where(native.terminated, 0, native.current_player)),
            "mask": (after.legal_action_mask, native.terminated[:, None] | native.legal_action_mask),
        }
        native = jax.vmap(core.select)(native.terminated, after.game_state, native)  # go on with the same deal
        return (after, native), (seen, after._step_count, after.observation)

    @jax.jit
    def run(key):
        state = jax.vmap(env.init)(jax.random.split(key, tables))
        (last, _), seen = jax.lax.scan(turn, (state, state.game_state), jax.random.split(key, turns))
        return jax.vmap(lambda s: game.observe(s, s.current_player))(last.game_state), seen

    views, (seen, counts, observations) = run(jax.random.key(1))

    for name in ("rewards", "over", "player"):
        np.testing.assert_array_equal(*seen[name], err_msg=name)
    over = np.asarray(seen["over"][0])
    np.testing.assert_array_equal(np.asarray(seen["mask"][0])[~over], np.asarray(seen["mask"][1])[~over])
    rewards = np.asarray(seen["rewards"][0])
    assert over.sum() > 1000 and np.abs(rewards[over]).sum() > 1000 and not rewards[~over].any()
    assert not rewards.sum(axis=-1).any()
    assert (np.asarray(counts)[over] == 0).all() and (np.asarray(counts)[~over] > 0).all()
    np.testing.assert_array_equal(observations[-1], views)


def test_a_state_that_auto_reset_marks_as_over_does_not_move_by_itself():
    """auto_reset hands out the first state of a new game with the old game's terminated and rewards."""
    env = PgxEnv(Leduc())
    step = jax.jit(auto_reset(env.step, env.init))
    state = step(jax.jit(env.init)(jax.random.key(0)), RAISE, jax.random.key(1))
    state = step(state, FOLD, jax.random.key(2))
    assert state.terminated and state.rewards.tolist() == [1, -1] and state._step_count == 0
    assert state.legal_action_mask.tolist() == [False, True, True]
    still = jax.jit(env.step)(state, CALL)
    assert still.terminated and still.rewards.tolist() == [0, 0]
    assert int(still.game_state.table) == int(state.game_state.table)
    moved = step(state, RAISE, jax.random.key(3))
    assert not moved.terminated and moved._step_count == 1 and moved.current_player == 1


def test_illegal_actions_cost_what_they_cost_in_the_game():
    env = PgxEnv(Leduc())
    state = jax.jit(lambda key: env.step(env.init(key), FOLD))(jax.random.key(0))
    assert state.terminated and state.rewards.tolist() == [-13, 13] and state.legal_action_mask.all()


@pytest.mark.parametrize("game", [Kuhn(), Leduc(), jaxpoker.make("holdem")], ids=lambda game: game.name)
def test_pgxs_own_test_of_environments_passes(game, monkeypatch):
    monkeypatch.setattr(api_test, "get_args", lambda _: (game.name,))  # it knows the names of pgx's own games alone
    api_test.api_test_batch(PgxEnv(game), 2)
    # pgx's random actions of a single table fail on this jax, with pgx's own games, too.
    monkeypatch.setattr(api_test, "act_randomly", jax.jit(core.random_action))
    api_test.api_test_single(PgxEnv(game), 2)


def test_pictures_are_saved_as_pgx_saves_them(tmp_path):
    env = PgxEnv(Leduc())
    state = jax.vmap(env.init)(jax.random.split(jax.random.key(0), 3))
    state.save_svg(tmp_path / "tables.svg", color_theme="dark", scale=0.5)
    assert (tmp_path / "tables.svg").read_text() == state.to_svg(scale=0.5)
    assert state._repr_html_().count("seat 0") == 3
