"""Settings of the ppo experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

from jaxpoker.runs.config import require_at_least, require_part_of_one
from jaxpoker.studies.gradient_settings import GradientSettings
from jaxpoker.studies.holdem_rivals import RULES


@dataclasses.dataclass(frozen=True)
class Config(GradientSettings):
    """The game, whom it is played against, and how it is learned."""

    game: Literal["holdem", "leduc"] = "holdem"
    """What is learned: hold'em with bets of any size against others, or Leduc poker in self-play."""
    opponents: tuple[str, ...] = ("random", "tag", "lag", "call")
    """Hold'em: whom to learn against, of random, tag, lag, call, min-raise and check-fold."""
    shares: tuple[float, ...] = (0.5, 3.0, 2.0, 0.5)
    """Hold'em: how often each of them is met, relative to the others."""
    past_share: float = 0.15
    """Hold'em: part of the hands that are played against past selves."""
    updates: int = 100
    tables: int = 2_048
    turns: int = 16
    learning_rate: tuple[float, float] = (5e-4, 1e-4)
    trace: float = 0.9
    entropy_weight: tuple[float, float] = (0.02, 0.003)
    reward_scale: float = 0.05
    normalises: bool = True
    clip: float = 0.2
    """ε of the clipped ratio."""
    epochs: int = 2
    minibatches: int = 8
    learned_share: float = 0.5
    """Part of all decisions that an epoch goes over: about half of them are the learner's own against others."""
    average_over: int = 20
    evaluation_hands: int = 4_000
    """Of a short evaluation, against each of random, tag, lag and call."""
    final_hands: int = 40_000
    """At the end, against each rival."""

    extendable: ClassVar[tuple[str, ...]] = ("final_hands",)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, evaluation_hands=1, final_hands=1)
        require_part_of_one(self, "past_share")
        if self.clip <= 0:
            raise ValueError(f"--clip {self.clip}: above 0, such as 0.2")
        if not self.opponents:
            raise ValueError(f"--opponents is empty: name some of {', '.join(RULES)}")
        unknown = [name for name in self.opponents if name not in RULES]
        if unknown:
            raise ValueError(f"--opponents {unknown[0]!r}: there are {', '.join(RULES)}")
        if len(self.shares) != len(self.opponents):
            raise ValueError(f"--shares {self.shares}: one each for {', '.join(self.opponents)}")
