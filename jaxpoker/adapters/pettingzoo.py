"""Any game as an environment of PettingZoo, where agents act in turn (AEC).

    env = TurnsEnv(jaxpoker.make("holdem", num_players=6))
    env.reset(seed=0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        over = terminated or truncated
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

Agents are seats. An observation is a dictionary of what the seat sees and its ``action_mask``, int8, which is all 0 for
those whose turn it is not. An illegal action ends the game and costs what it costs there.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from jaxpoker import core

Array = jax.Array


class TurnsEnv(AECEnv):
    """A game; ``state_of_game`` is its state. ``render`` gives the table as text, where the game has that."""

    def __init__(self, game: core.Game, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode {render_mode!r}: a table is shown as 'ansi', text")
        self.game, self.render_mode = game, render_mode
        self.metadata = {"name": f"jaxpoker_{game.name}", "render_modes": ["ansi"], "is_parallelizable": False}
        self.possible_agents = [f"seat_{seat}" for seat in range(game.num_players)]
        seen = {
            "observation": spaces.Box(-np.inf, np.inf, (game.observation_size,), np.float32),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(seen) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        self.agents: list[str] = []
        self.state_of_game: Any = None
        self._random: np.random.Generator | None = None
        seats = jnp.arange(game.num_players)

        def look(state: Any) -> tuple[Any, Array]:
            return state, jax.vmap(game.observe, in_axes=(None, 0))(state, seats)

        self._start = jax.jit(lambda key: look(game.init(key)))
        self._step = jax.jit(lambda state, action: look(game.step(state, action)))

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._take(*self._start(jax.random.key(int(self._random.integers(2**32)))))

    def step(self, action: Any) -> None:
        """The agent whose turn it is acts; None when its game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._take(*self._step(self.state_of_game, jnp.int32(action)))
        rewards = np.asarray(self.state_of_game.rewards).tolist()
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self._accumulate_rewards()

    def _take(self, state: Any, observations: Array) -> None:
        self.state_of_game, self._observations = state, np.asarray(observations)
        over, cut = bool(state.terminated), bool(state.truncated)
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, cut)
        self.agent_selection = self.possible_agents[int(state.current_player)]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What a seat sees, and what it may do."""
        mask = np.zeros(self.game.num_actions, np.int8)
        if agent == self.agent_selection:
            mask[:] = np.asarray(self.state_of_game.legal_action_mask)
        return {"observation": self._observations[self.possible_agents.index(agent)].copy(), "action_mask": mask}

    def render(self) -> str | None:
        """One table for people."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode='ansi'")
            return None
        text: str = self.game.text(self.state_of_game) if hasattr(self.game, "text") else str(self.state_of_game)
        return text

    def close(self) -> None:
        """Nothing is open."""
