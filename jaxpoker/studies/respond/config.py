"""Settings of the respond experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

from jaxpoker.games import bets
from jaxpoker.runs.config import require_at_least, require_learning_rate


@dataclasses.dataclass(frozen=True)
class Config:
    """Whom to beat, at which game, and how it is learned."""

    to: str = "blueprint"
    """Whom to beat: a player's name, the folder of a run, or in Kuhn and Leduc also call, noisy, scattered or a
    strategy.csv."""
    game: Literal["holdem", "leduc", "kuhn"] = "holdem"
    """At which game."""
    learner: Literal["ppo", "dqn"] = "ppo"
    """How the response is learned."""
    minutes: float = 3.0
    """Time for learning; judging at the end comes on top. A resumed run may be given more."""
    updates: int = 0
    """Stop after so many updates even if there is time left, so that a run can be repeated exactly; 0: no such end."""
    stack: float = 0.0
    """Hold'em: both stacks in big blinds; 0: those that a blueprint was solved for, 100 against others."""
    menu: str = "33%, 75%, 150%, 300%, a"
    """Hold'em: the bets that the response may make."""
    tables: int = 2_048
    """Games side by side; the learner has one seat of each."""
    learning_rate: tuple[float, float] = (1e-3, 2e-4)
    """Adam's, at first and when it has fallen."""
    falls_over: int = 1_500
    """Updates over which learning rate and exploration fall; they stay from then on."""
    validate_every: int = 40
    """Updates between two validations. The network of the best one is kept."""
    validation_hands: int = 32_768
    """Hold'em: hands of a validation, always the same deals."""
    final_hands: int = 400_000
    """Hold'em: hands of the test at the end, on deals that neither learning nor validation saw."""
    seed: int = 0
    """Of everything random."""

    extendable: ClassVar[tuple[str, ...]] = ("minutes", "updates", "final_hands")

    def __post_init__(self) -> None:
        require_at_least(self, updates=0, stack=0, tables=2, falls_over=1, validate_every=1)
        require_at_least(self, validation_hands=64, final_hands=64)
        require_learning_rate(self)
        if not self.minutes > 0:
            raise ValueError(f"--minutes {self.minutes}: more than 0")
        if not self.to.strip():
            raise ValueError("--to is empty: name a player, such as blueprint, or the folder of a run")
        if min(self.learning_rate) <= 0:
            raise ValueError(f"--learning-rate {self.learning_rate}: both above 0")
        if self.tables % 2:
            raise ValueError(f"--tables {self.tables}: an even number, so that both seats are played alike")
        if not bets.parse(self.menu).may_call:
            raise ValueError(f"--menu {self.menu!r}: one with which the response may check and call, such as '75%, a'")
