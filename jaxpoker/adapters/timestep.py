"""Any game as time steps in the manner of dm_env, but as pure functions.

    env = TimeStepEnv(jaxpoker.make("leduc"))
    state, first = env.reset(key)
    state, time_step = env.step(state, action)

A time step is what the player to move gets to know, along with the rewards of all players for the last action.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker import core

Array = jax.Array

FIRST, MID, LAST = 0, 1, 2  # dm_env's step types


class TimeStep(NamedTuple):
    """One table; a batch has leading axes. Where dm_env has None, at FIRST, the reward is 0 and the discount 1."""

    step_type: Array  # [] int32: FIRST, MID or LAST
    reward: Array  # [players] float32, for the action that led here
    discount: Array  # [] float32: 0 when the game has ended, 1 otherwise, so also when it was cut short
    observation: Array  # [observation_size] float32, of the current player
    legal_action_mask: Array  # [actions] bool
    current_player: Array  # [] int32

    def first(self) -> Array:
        return self.step_type == FIRST

    def mid(self) -> Array:
        return self.step_type == MID

    def last(self) -> Array:
        return self.step_type == LAST


@dataclass(frozen=True)
class TimeStepEnv:
    """A game as ``reset`` and ``step``; a step after LAST changes nothing, pays nothing and is LAST again."""

    game: core.Game

    def reset(self, key: Array) -> tuple[Any, TimeStep]:
        return self.start(self.game.deal(key))

    def start(self, deal: Any) -> tuple[Any, TimeStep]:
        """``reset`` with a chosen deal."""
        state = self.game.start(deal)
        return state, self._time_step(state, jnp.int32(FIRST))

    def step(self, state: Any, action: Array) -> tuple[Any, TimeStep]:
        state = self.game.step(state, action)
        return state, self._time_step(state, jnp.where(core.is_over(state), LAST, MID))

    def _time_step(self, state: Any, step_type: Array) -> TimeStep:
        return TimeStep(
            step_type=step_type,
            reward=state.rewards,
            discount=1.0 - state.terminated.astype(jnp.float32),
            observation=self.game.observe(state, state.current_player),
            legal_action_mask=state.legal_action_mask,
            current_player=state.current_player,
        )
