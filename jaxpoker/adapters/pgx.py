"""Any game as an environment of pgx version 2, for code that was written for ``pgx.make(...)``.

    env = PgxEnv(jaxpoker.make("leduc"))
    step = jax.vmap(pgx.experimental.auto_reset(env.step, env.init))

Players are seats: where pgx draws who is dealt in first, seat 0 of Kuhn and Leduc always is.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pgx
from flax import struct

from jaxpoker import core
from jaxpoker.games import pictures

Array = jax.Array


@struct.dataclass
class PgxState(pgx.State):
    """pgx's fields around a state of the game."""

    current_player: Array  # [] int32
    observation: Array  # [observation_size] float32, what the current player sees
    rewards: Array  # [players] float32
    terminated: Array  # [] bool
    truncated: Array  # [] bool
    legal_action_mask: Array  # [actions] bool
    _step_count: Array  # [] int32
    _game_state: Any
    _name: str = struct.field(pytree_node=False)

    @property
    def game_state(self) -> Any:
        """The state of the game itself."""
        return self._game_state

    def to_svg(self, *, color_theme: str | None = None, scale: float | None = None) -> str:
        """The table, or the first tables of a batch; there is one theme of colours."""
        return pictures.svg(self._game_state, scale=scale or 1.0)

    def save_svg(self, filename: Any, *, color_theme: str | None = None, scale: float | None = None) -> None:
        """Writes ``to_svg``; the name ends with ``.svg``."""
        pictures.save(self._game_state, filename, scale=scale or 1.0)

    @property
    def env_id(self) -> str:
        return self._name


class PgxEnv(pgx.Env):
    """A game with pgx's methods. Illegal actions cost what they cost in the game, not pgx's -1."""

    def __init__(self, game: core.Game) -> None:
        super().__init__()
        self.game = game

    def init(self, key: Array) -> PgxState:
        return self._wrap(self.game.init(key), jnp.int32(0))

    def step(self, state: PgxState, action: Array, key: Array | None = None) -> PgxState:
        stepped = self._wrap(self.game.step(state.game_state, action), state._step_count + 1)
        unchanged = state.replace(rewards=jnp.zeros_like(state.rewards))
        return core.select(core.is_over(state), unchanged, stepped)

    def observe(self, state: PgxState, player_id: Array | int | None = None) -> Array:
        return self._observe(state, state.current_player if player_id is None else player_id)

    def _wrap(self, state: Any, step_count: Array) -> PgxState:
        return PgxState(
            current_player=state.current_player,
            observation=self.game.observe(state, state.current_player),
            rewards=state.rewards,
            terminated=state.terminated,
            truncated=state.truncated,
            legal_action_mask=state.legal_action_mask,
            _step_count=step_count,
            _game_state=state,
            _name=self.game.name,
        )

    def _init(self, key: Array) -> PgxState:
        return self.init(key)

    def _step(self, state: PgxState, action: Array, key: Array | None = None) -> PgxState:
        return self.step(state, action, key)

    def _observe(self, state: PgxState, player_id: Array | int) -> Array:
        return self.game.observe(state.game_state, player_id)

    @property
    def id(self) -> str:
        return self.game.name

    @property
    def version(self) -> str:
        return "v1"

    @property
    def num_players(self) -> int:
        return self.game.num_players

    @property
    def num_actions(self) -> int:
        return self.game.num_actions

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return (self.game.observation_size,)
