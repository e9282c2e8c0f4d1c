"""Settings of policy gradients, as experiments take them: what REINFORCE and PPO have in common."""

from __future__ import annotations

import dataclasses
from typing import Any

from jaxpoker.runs.config import require_at_least, require_learning_rate, require_part_of_one


@dataclasses.dataclass(frozen=True)
class GradientSettings:
    """How much is played, and how it is learned from; an experiment's config is a subclass with its own defaults."""

    updates: int = 200
    """Each: a segment of all tables, and steps along the gradients of its minibatches."""
    tables: int = 512
    """Games side by side."""
    turns: int = 32
    """Of each table in a segment."""
    learning_rate: tuple[float, float] = (3e-4, 3e-4)
    """Adam's, of the first update and of the last."""
    trace: float = 1.0
    """λ of generalised advantages; 1: plain returns."""
    value_weight: float = 0.5
    """Of the value loss."""
    entropy_weight: tuple[float, float] = (0.01, 0.01)
    """Of the entropy bonus, in the first update and in the last."""
    max_gradient: float = 1.0
    """Norm beyond which gradients are cut."""
    reward_scale: float = 1.0
    """What rewards are multiplied by before they are learned from."""
    normalises: bool = False
    """Advantages are brought to mean 0 and deviation 1."""
    clip: float = 0.0
    """ε of PPO's clipped ratio; 0: plain REINFORCE."""
    epochs: int = 1
    """Times that a segment is learned from."""
    minibatches: int = 1
    """Of an epoch."""
    snapshots: int = 4
    """Past selves that are kept; taken evenly, the oldest at the end is from half-way."""
    average_over: int = 1
    """The policy is the running mean of the parameters over so many of the last updates."""
    evaluate_every: int = 50
    """Updates between two short evaluations."""
    seed: int = 0
    """Of everything random."""

    def __post_init__(self) -> None:
        require_at_least(self, evaluate_every=1, snapshots=1)
        require_part_of_one(self, "trace")
        require_learning_rate(self)

    @property
    def of_learner(self) -> dict[str, Any]:
        """The fields of a learner that they set."""
        own = {field.name for field in dataclasses.fields(GradientSettings)} - {"evaluate_every", "seed"}
        values = {name: getattr(self, name) for name in own}
        return {**values, "clip": self.clip or None, "snapshot_every": max(self.updates // (2 * self.snapshots), 1)}
