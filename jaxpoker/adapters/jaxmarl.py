"""Any game as a ``MultiAgentEnv`` of JaxMARL, for its wrappers and its learners.

    env = TurnsEnv(jaxpoker.make("leduc"))
    observations, state = env.reset(key)
    observations, state, rewards, dones, info = env.step(key, state, {"agent_0": 1, "agent_1": env.wait})

Agents are seats, and all of them give an action at every step, as in JaxMARL's Hanabi: one acts, and the others
``wait``, the action after the game's own, which is all that ``get_avail_actions`` lets them do; whatever else they say
is not heard. JaxMARL's Q-learning is told so: ``manager.get_valid_actions = jax.vmap(env.get_avail_actions)``.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxmarl.environments import spaces
from jaxmarl.environments.multi_agent_env import MultiAgentEnv, State

from jaxpoker import core

Array = jax.Array


@struct.dataclass
class TableState(State):
    """JaxMARL's fields around a state of the game."""

    done: Array  # [] bool
    step: Array  # [] int32, actions of the game
    game_state: Any


class TurnsEnv(MultiAgentEnv):
    """A game with JaxMARL's methods."""

    def __init__(self, game: core.Game) -> None:
        super().__init__(game.num_players)
        self.game = game
        self.wait = game.num_actions  # the action of those whose turn it is not
        seen = spaces.Box(-jnp.inf, jnp.inf, (game.observation_size,), jnp.float32)
        self.observation_spaces = dict.fromkeys(self.agents, seen)
        self.action_spaces = {agent: spaces.Discrete(game.num_actions + 1) for agent in self.agents}

    def reset(self, key: Array) -> tuple[dict[str, Array], TableState]:
        """A new game."""
        state = TableState(done=jnp.zeros((), bool), step=jnp.int32(0), game_state=self.game.init(key))
        return self.get_obs(state), state

    def step_env(
        self, key: Array, state: TableState, actions: dict[str, Array]
    ) -> tuple[dict[str, Array], TableState, dict[str, Array], dict[str, Array], dict[str, Any]]:
        """The state after the action of the agent whose turn it is."""
        said = jnp.stack([jnp.asarray(actions[agent], jnp.int32) for agent in self.agents])
        after = self.game.step(state.game_state, said[state.game_state.current_player])
        over = core.is_over(after)
        state = TableState(done=over, step=state.step + 1, game_state=after)
        rewards = {agent: after.rewards[seat] for seat, agent in enumerate(self.agents)}
        dones = dict.fromkeys([*self.agents, "__all__"], over)
        return self.get_obs(state), state, rewards, dones, {}

    def get_obs(self, state: TableState) -> dict[str, Array]:
        """What each seat sees."""
        return {agent: self.game.observe(state.game_state, seat) for seat, agent in enumerate(self.agents)}

    def get_avail_actions(self, state: TableState) -> dict[str, Array]:
        """``[actions + 1]`` bool of each seat."""
        legal = jnp.append(state.game_state.legal_action_mask, False)
        wait = jnp.arange(self.wait + 1) == self.wait
        acts = state.game_state.current_player
        return {agent: jnp.where(seat == acts, legal, wait) for seat, agent in enumerate(self.agents)}

    @property
    def name(self) -> str:
        return self.game.name

    @property
    def agent_classes(self) -> dict[str, list[str]]:
        """All seats are alike."""
        return {"seats": list(self.agents)}
