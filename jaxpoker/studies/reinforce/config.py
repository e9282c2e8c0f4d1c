"""Settings of the reinforce experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

from jaxpoker.runs.config import require_at_least, require_part_of_one
from jaxpoker.studies.gradient_settings import GradientSettings


@dataclasses.dataclass(frozen=True)
class Config(GradientSettings):
    """The game, how much of it is played, and how it is learned from."""

    game: Literal["chicago", "kuhn", "leduc"] = "chicago"
    """What is learned."""
    sizes: tuple[int, ...] = (2,)
    """Chicago: players at the first table, at the second and so on, and again from the first."""
    target: int = 50
    """Chicago: points that open the circle in training; matches are of the usual game, to 50."""
    winner_bonus: float = 0.25
    """Chicago: what winning a game pays, beside the points / target."""
    sorts_hand: bool = True
    """--no-sorts-hand: the network sees the cards of a Chicago hand as they lie, not in order of rank."""
    discount: float = 0.99
    """From one decision of a seat to its next."""
    pool_share: float = 0.0
    """Part of the tables where past selves are the opponents."""
    evaluation_deals: int = 100
    """Of a short evaluation, against each rival from both seats."""
    final_deals: int = 500
    """At the end heads-up, against each rival from both seats; with more players as many games."""

    extendable: ClassVar[tuple[str, ...]] = ("final_deals",)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, evaluation_deals=2, final_deals=2)
        require_part_of_one(self, "pool_share", "discount")
        if not self.sizes:
            raise ValueError("--sizes is empty: say how many play, 2 to 6, as in --sizes 2 4")
