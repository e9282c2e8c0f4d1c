"""One seat of any game, against fixed opponents, as environments of Gymnasium: one table, or many at once.

    env = OneSeatEnv(jaxpoker.make("leduc"), players.make("random", leduc))
    observation, info = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

    envs = OneSeatVectorEnv(leduc, opponent, num_envs=1_024)             # one compiled program steps all tables

An episode is one game; ``one_seat`` says what happens at the table, and what an opponent is. ``info["action_mask"]`` is
int8 ``[actions]``, as ``Discrete.sample`` takes it. An illegal action ends the game and costs what it costs there.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from jaxpoker import core
from jaxpoker.adapters.one_seat import Seated, Seating, opponent_and_params

Array = jax.Array


def _spaces(game: core.Game) -> tuple[spaces.Box, spaces.Discrete]:
    """Of observations and of actions."""
    return spaces.Box(-np.inf, np.inf, (game.observation_size,), np.float32), spaces.Discrete(game.num_actions)


def _key(random: np.random.Generator) -> Array:
    return jax.random.key(int(random.integers(2**32)))


class OneSeatEnv(gymnasium.Env[np.ndarray, np.integer[Any]]):
    """One table. ``seat`` is where the learner sits; None draws it anew for every game."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, game: core.Game, opponent: Any, seat: int | None = None) -> None:
        opponent, self._params = opponent_and_params(opponent)
        seating = Seating(game, opponent, seat)
        self.game = game
        self.observation_space, self.action_space = _spaces(game)
        self.state: Seated | None = None  # of the table; None before the first reset

        def seen(seated: Seated) -> tuple[Array, Array, Array]:
            return seating.observe(seated), seated.game_state.legal_action_mask, seated.game_state.terminated

        def reset(key: Array, params: Any) -> Any:
            seated = seating.reset(key, params)
            return seated, seen(seated)

        def step(key: Array, seated: Seated, action: Array, params: Any) -> Any:
            seated, reward = seating.step(key, seated, action, params)
            return seated, reward, seen(seated)

        self._reset, self._step = jax.jit(reset), jax.jit(step)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A new game."""
        super().reset(seed=seed)
        self.state, (observation, mask, _) = self._reset(_key(self.np_random), self._params)
        return np.array(observation), {"action_mask": np.array(mask, np.int8)}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The learner's next turn, or the end."""
        if self.state is None:
            raise gymnasium.error.ResetNeeded("no game is going on: call reset first")
        key = _key(self.np_random)
        self.state, reward, (observation, mask, over) = self._step(key, self.state, jnp.int32(action), self._params)
        return np.array(observation), float(reward), bool(over), False, {"action_mask": np.array(mask, np.int8)}


class OneSeatVectorEnv(gymnasium.vector.VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """``num_envs`` tables in one program.

    In the same step as a game ends the next one begins (``SAME_STEP``): its first observation is returned, the last one
    of the old game is ``info["final_obs"]``, with ``info["_final_obs"]`` where there is one. With ``NEXT_STEP`` the
    step after the end begins the next game, whatever the action, and pays nothing.
    """

    def __init__(
        self,
        game: core.Game,
        opponent: Any,
        num_envs: int,
        seat: int | None = None,
        autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs = {num_envs}: there is at least one table")
        modes = (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)
        if autoreset_mode not in modes:
            raise ValueError(f"autoreset_mode {autoreset_mode}: tables go on by {' or '.join(map(str, modes))}")
        opponent, self._params = opponent_and_params(opponent)
        seating = Seating(game, opponent, seat)
        self.game, self.num_envs = game, num_envs
        self.metadata = {"autoreset_mode": autoreset_mode}
        self.single_observation_space, self.single_action_space = _spaces(game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._tables: Seated | None = None
        self._ended = np.zeros(num_envs, bool)  # with the step before
        same_step = autoreset_mode == AutoresetMode.SAME_STEP

        def seen(tables: Seated) -> tuple[Array, Array]:
            return jax.vmap(seating.observe)(tables), jax.vmap(lambda t: t.game_state.legal_action_mask)(tables)

        def new(key: Array, params: Any) -> Seated:
            return jax.vmap(lambda k: seating.reset(k, params))(jax.random.split(key, num_envs))

        def reset(key: Array, params: Any) -> Any:
            tables = new(key, params)
            return tables, seen(tables)

        def step(key: Array, tables: Seated, had_ended: Array, actions: Array, params: Any) -> Any:
            new_key, step_key = jax.random.split(key)
            keys = jax.random.split(step_key, num_envs)
            fresh = new(new_key, params)
            after, rewards = jax.vmap(lambda k, t, a: seating.step(k, t, a, params))(keys, tables, actions)
            ended = core.is_over(after.game_state)
            if same_step:
                going_on = jax.vmap(core.select)(ended, fresh, after)
                return going_on, rewards, ended, seen(going_on), seen(after)
            going_on = jax.vmap(core.select)(had_ended, fresh, after)
            return going_on, jnp.where(had_ended, 0, rewards), ended & ~had_ended, seen(going_on), seen(after)

        self._reset, self._step = jax.jit(reset), jax.jit(step)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """New games at all tables; ``seed`` is one number for all of them."""
        if isinstance(seed, list):
            raise ValueError("a list of seeds: the tables are dealt together, so give one seed for all of them")
        super().reset(seed=seed)
        self._tables, (observations, masks) = self._reset(_key(self.np_random), self._params)
        self._ended = np.zeros(self.num_envs, bool)
        return np.array(observations), self._info(masks)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """All tables' next turn of the learner."""
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("no game is going on: call reset first")
        self._tables, rewards, ended, (observations, masks), (last, last_masks) = self._step(
            _key(self.np_random), self._tables, self._ended, jnp.asarray(actions, jnp.int32), self._params
        )
        self._ended = ended = np.array(ended)
        info = self._info(masks)
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP and ended.any():
            info["final_obs"], info["_final_obs"] = np.array(last), ended
            info["final_info"], info["_final_info"] = self._info(last_masks), ended
        return np.array(observations), np.array(rewards, np.float64), ended, np.zeros_like(ended), info

    def _info(self, masks: Array) -> dict[str, Any]:
        return {"action_mask": np.array(masks, np.int8), "_action_mask": np.ones(self.num_envs, bool)}
