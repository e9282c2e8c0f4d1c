"""One seat of any game, against fixed opponents, as a gymnax environment (gymnax 1.0 or newer).

    env = OneSeat(jaxpoker.make("leduc"), opponent)
    observation, state = env.reset(key, env.default_params)
    observation, state, reward, terminated, truncated, info = env.step(key, state, action, env.default_params)

An episode is one game. The opponents act inside ``reset`` and ``step`` until it is the learner's turn again, and
what the learner is paid meanwhile counts as the reward of its last action. A game may be over before the learner's
first turn (everybody folds to the big blind): the learner then takes one action, which does nothing, to be paid.

``env.legal_action_mask(state)`` is what the learner may do next. The mask in ``info`` is that of the game which the
step was part of: where that has ended, all actions, while ``state`` and ``observation`` are of the next game.

An opponent is a function ``policy(game, state, key) -> action``, which is shown the whole state and may look at no
more than ``game.observe(state, state.current_player)``, or a Player: anything with ``init_memory``, ``new_hand`` and
``act(params, memory, game, state, key) -> (action for game.act, memory)``. The Player's ``params`` are part of the
environment's parameters, so that they may change from step to step without compiling anew.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from gymnax.environments import environment, spaces

from jaxpoker import core

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
        if seat is not None and not 0 <= seat < game.num_players:
            raise ValueError(f"seat {seat} is not at the table: seats are 0 to {game.num_players - 1}")
        if not (hasattr(opponent, "act") or callable(opponent)):
            raise TypeError(f"an opponent is a Player or a function policy(game, state, key), not {opponent!r}")
        self.game = game
        self.opponent = opponent
        self.opponent_params = opponent_params
        self.seat = seat

    @property
    def default_params(self) -> OneSeatParams:
        return OneSeatParams(opponent=self.opponent_params)

    def reset_env(self, key: Array, params: OneSeatParams) -> tuple[Array, OneSeatState]:
        deal_key, seat_key, opponents_key = jax.random.split(key, 3)
        game_state = self.game.init(deal_key)
        seat = jax.random.randint(seat_key, (), 0, self.game.num_players) if self.seat is None else self.seat
        seat = jnp.asarray(seat, jnp.int32)
        memory = self._fresh_memory(params)
        game_state, memory, paid = self._opponents_act(opponents_key, game_state, seat, memory, params)
        state = OneSeatState(jnp.int32(0), game_state, seat, memory, paid)
        return self.game.observe(game_state, seat), state

    def step_env(
        self, key: Array, state: OneSeatState, action: int | float | Array, params: OneSeatParams
    ) -> tuple[Array, OneSeatState, Array, Array, dict[Any, Any]]:
        game_state = self.game.step(state.game_state, jnp.asarray(action))
        reward = state.unpaid + game_state.rewards[state.seat]
        game_state, memory, paid = self._opponents_act(key, game_state, state.seat, state.memory, params)
        state = OneSeatState(state.time + 1, game_state, state.seat, memory, jnp.float32(0))
        observation = self.game.observe(game_state, state.seat)
        info = {"legal_action_mask": game_state.legal_action_mask}
        return observation, state, reward + paid, game_state.terminated, info

    def _opponents_act(
        self, key: Array, game_state: Any, seat: Array, memory: Any, params: OneSeatParams
    ) -> tuple[Any, Any, Array]:
        """Plays on to the learner's next turn or the end; returns state, memory and what the learner was paid."""

        def not_yet(carry: tuple[Any, Any, Array, Array]) -> Array:
            game_state = carry[0]
            return ~core.is_over(game_state) & (game_state.current_player != seat)

        def act(carry: tuple[Any, Any, Array, Array]) -> tuple[Any, Any, Array, Array]:
            game_state, memory, paid, key = carry
            key, act_key = jax.random.split(key)
            game_state, memory = self._opponent_acts(act_key, game_state, memory, params)
            return game_state, memory, paid + game_state.rewards[seat], key

        game_state, memory, paid, _ = jax.lax.while_loop(not_yet, act, (game_state, memory, jnp.float32(0), key))
        return game_state, memory, paid

    def _opponent_acts(self, key: Array, game_state: Any, memory: Any, params: OneSeatParams) -> tuple[Any, Any]:
        if not hasattr(self.opponent, "act"):
            return self.game.step(game_state, self.opponent(self.game, game_state, key)), memory
        player = game_state.current_player
        own = jax.tree.map(lambda m: m[player], memory)
        action, own = self.opponent.act(params.opponent, own, self.game, game_state, key)
        return self.game.act(game_state, action), jax.tree.map(lambda m, new: m.at[player].set(new), memory, own)

    def _fresh_memory(self, params: OneSeatParams) -> Any:
        if not hasattr(self.opponent, "act"):
            return ()
        memory = self.opponent.new_hand(self.opponent.init_memory(params.opponent))
        return jax.tree.map(lambda m: jnp.broadcast_to(m, (self.game.num_players, *jnp.shape(m))), memory)

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
