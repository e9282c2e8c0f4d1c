"""One seat of any game, against fixed opponents, as a gymnax environment (gymnax 1.0 or newer).

    env = OneSeat(jaxpoker.make("leduc"), opponent)
    observation, state = env.reset(key, env.default_params)
    observation, state, reward, terminated, truncated, info = env.step(key, state, action, env.default_params)

An episode is one game; ``one_seat`` says what happens at the table, and what an opponent is. A Player's ``params`` are
part of the environment's parameters, so that they may change from step to step without compiling anew.

``env.legal_action_mask(state)`` is what the learner may do next. The mask in ``info`` is that of the game which the
step was part of: where that has ended, all actions, while ``state`` and ``observation`` are of the next game.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from gymnax.environments import environment, spaces

from jaxpoker.adapters.one_seat import Seated, Seating, opponent_and_params

Array = jax.Array


@struct.dataclass
class OneSeatState(environment.EnvState):
    time: Array  # [] int32, the learner's actions
    game_state: Any
    seat: Array  # [] int32, the learner's
    memory: Any  # of the players, with a leading axis [players]; () when the opponent is a function
    unpaid: Array  # [] float32, paid before the learner's first turn


@struct.dataclass
class OneSeatParams(environment.EnvParams):
    max_steps_in_episode: int = 1_000
    opponent: Any = ()  # a Player's params


class OneSeat(environment.Environment[OneSeatState, OneSeatParams]):
    """``seat`` is where the learner sits; None draws it anew for every game."""

    def __init__(self, game: Any, opponent: Any, opponent_params: Any = (), seat: int | None = None) -> None:
        opponent, its_params = opponent_and_params(opponent)
        self.seating = Seating(game, opponent, seat)
        self.game = game
        self.opponent_params = its_params if its_params != () else opponent_params

    @property
    def default_params(self) -> OneSeatParams:
        return OneSeatParams(opponent=self.opponent_params)

    def reset_env(self, key: Array, params: OneSeatParams) -> tuple[Array, OneSeatState]:
        return self._seen(jnp.int32(0), self.seating.reset(key, params.opponent))

    def step_env(
        self, key: Array, state: OneSeatState, action: int | float | Array, params: OneSeatParams
    ) -> tuple[Array, OneSeatState, Array, Array, dict[Any, Any]]:
        before = Seated(state.game_state, state.seat, state.memory, state.unpaid)
        seated, reward = self.seating.step(key, before, jnp.asarray(action), params.opponent)
        observation, state = self._seen(state.time + 1, seated)
        info = {"legal_action_mask": seated.game_state.legal_action_mask}
        return observation, state, reward, seated.game_state.terminated, info

    def _seen(self, time: Array, seated: Seated) -> tuple[Array, OneSeatState]:
        state = OneSeatState(time, seated.game_state, seated.seat, seated.memory, seated.unpaid)
        return self.seating.observe(seated), state

    def legal_action_mask(self, state: OneSeatState) -> Array:
        """``[actions]`` bool: what the learner may do. All True when the game is over."""
        return state.game_state.legal_action_mask

    def get_obs(self, state: OneSeatState, params: OneSeatParams | None = None, key: Array | None = None) -> Array:
        return self.game.observe(state.game_state, state.seat)

    def is_terminated(self, state: OneSeatState, params: OneSeatParams) -> Array:
        return state.game_state.terminated

    def is_truncated(self, state: OneSeatState, params: OneSeatParams) -> Array:
        return state.game_state.truncated | (state.time >= params.max_steps_in_episode)

    @property
    def name(self) -> str:
        return self.game.name

    @property
    def num_actions(self) -> int:
        return self.game.num_actions

    def action_space(self, params: OneSeatParams | None = None) -> spaces.Discrete:
        return spaces.Discrete(self.game.num_actions)

    def observation_space(self, params: OneSeatParams | None = None) -> spaces.Box:
        return spaces.Box(-jnp.inf, jnp.inf, (self.game.observation_size,), jnp.float32)
