"""Settings of the belief experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

from jaxpoker.models.belief import Sizes
from jaxpoker.runs.config import require_at_least, require_learning_rate, require_part_of_one


@dataclasses.dataclass(frozen=True)
class Config:
    """The game, the network, the search and how it is learned from."""

    game: Literal["kuhn", "leduc"] = "kuhn"
    """What is learned."""
    updates: int = 600
    """Each: a segment of all tables, a search at every information state, a step along the gradient."""
    tables: int = 1_024
    """Games side by side."""
    turns: int = 16
    """Of each table in a segment."""
    latent: int = 64
    """Floats of a belief."""
    heads: int = 4
    """Of the attention."""
    layers: int = 3
    """Of the transformer."""
    feed_forward: int = 256
    """Width between two layers."""
    probabilistic: bool = False
    """Latent steps are normal distributions, not points."""
    search: Literal["gumbel", "muzero", "stochastic", "rollout", "none"] = "gumbel"
    """none: targets are those of the policy gradient."""
    simulations: int = 16
    """Of a search."""
    depth: int = 2
    """Own decisions that a simulation looks ahead."""
    step: float = 10.0
    """Of mirror descent: how far values move a policy."""
    learning_rate: tuple[float, float] = (1e-3, 1e-4)
    """Adam's, of the first update and of the last."""
    trace: float = 1.0
    """λ of value targets; 1: Monte Carlo, 0: bootstrapped from the next decision."""
    policy_weight: float = 1.0
    """Of the policy loss."""
    value_weight: float = 1.0
    """Of the value loss; 0: no value head, a leaf of the search is worth 0."""
    transition_weight: float = 0.5
    """Of the transition loss."""
    range_weight: float = 0.1
    """Of the range loss."""
    magnet: tuple[float, float] = (0.5, 0.5)
    """Pull toward the averaged policy, in the first update and in the last."""
    entropy: tuple[float, float] = (0.1, 0.01)
    """Pull toward uniform play, likewise."""
    tremble: tuple[float, float] = (0.0, 0.0)
    """How often one seat at half of the tables plays any legal action, likewise."""
    reward_scale: float = 1.0
    """What rewards are multiplied by before they are learned from."""
    evenness: float = 0.5
    """Decisions at one information state count as their number to that power."""
    max_gradient: float = 1.0
    """Norm beyond which gradients are cut."""
    average_over: int = 100
    """The policy is the running mean of the parameters over so many of the last updates."""
    imitation: int = 0
    """Updates at the start that learn from games of the solved strategy."""
    evaluate_every: int = 50
    """Updates between two measurements by the exact best response."""
    final_hands: int = 100_000
    """Against each rival at the end."""
    speed_simulations: int = 50
    """Of the searches whose speed is measured at the end."""
    seed: int = 0
    """Of everything random."""

    extendable: ClassVar[tuple[str, ...]] = ("final_hands",)

    def __post_init__(self) -> None:
        require_at_least(self, latent=1, heads=1, layers=1, feed_forward=1, imitation=0)
        require_at_least(self, evaluate_every=1, final_hands=32, speed_simulations=1)
        require_part_of_one(self, "trace")
        require_learning_rate(self)
        if self.search == "stochastic" and not self.probabilistic:
            raise ValueError("--search stochastic: needs --probabilistic, for it draws what follows an action")

    @property
    def sizes(self) -> Sizes:
        return Sizes(self.latent, self.heads, self.layers, self.feed_forward, self.probabilistic)
