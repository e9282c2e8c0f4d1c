"""Settings of the gauntlet experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar

from jaxpoker.runs.config import require_at_least

EQUILIBRIUM = "equilibrium"  # of push/fold


@dataclasses.dataclass(frozen=True)
class Config:
    """The player, its game and its opponents, and how narrow the intervals are to be."""

    player: str = "blueprint"
    """Who is tested: blueprint, ppo, dqn, tag, ..., the folder of a run, or equilibrium, which plays push/fold."""
    stack: float | None = None
    """Both stacks in big blinds; when left out those that a solved strategy is for, else 100, of push/fold 10."""
    menu: str = ""
    """Bets that opponents are held to, as in "33%, 75%, a" or push/fold; any number of chips when left out."""
    against: tuple[str, ...] = ()
    """Opponents by name; all exploiters and all rule players when left out."""
    half_width: float = 40.0
    """Half width of each 95% interval that is to be reached, in mBB/hand; a resumed run may have another one."""
    hands: int = 2_000_000
    """The most hands against each opponent; a resumed run may have another number."""
    tables: int = 1_024
    """Tables of a round, side by side, with 8 deals each from both seats."""
    seed: int = 0
    """Of the deals and of all that players do by chance."""

    changeable: ClassVar[tuple[str, ...]] = ("half_width", "hands")

    def __post_init__(self) -> None:
        require_at_least(self, hands=1, tables=2)
        for name in ("half_width", "stack"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ValueError(f"--{name.replace('_', '-')} {value}: a number above 0")
        if self.player == EQUILIBRIUM and self.menu not in ("", "push/fold"):
            raise ValueError(f"--menu {self.menu!r}: the equilibrium is of push/fold, leave the menu out")
