"""Settings of the lbr experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

from jaxpoker.runs.config import require_at_least
from jaxpoker.solvers.response import settings


@dataclasses.dataclass(frozen=True)
class Config:
    """Whom the responder plays, what it may bet, and how sure the result is to be."""

    player: str = "blueprint"
    """A player by name, or the folder of a run that made one. It needs a policy."""
    game: Literal["holdem", "leduc"] = "holdem"
    """Heads-up hold'em, with drawn deals; or Leduc, with all deals and no luck."""
    setting: tuple[str, ...] = tuple(settings.SETTINGS)
    """What the responder may do: tree, fold-call, late or any; several of them are measured one beside the other."""
    half_width: float = 100.0
    """Deals are drawn until the 95% intervals of all settings are ± this at the most, in mBB/hand."""
    max_deals: int = 8_000
    """The most deals of a setting, if that is not reached before."""
    deals: int = 8
    """Of each setting in a round; a run is saved and can be stopped between two rounds."""
    walks: int = 16
    """Lines that are drawn on a deal in each seat; more of them make a deal less noisy and slower."""
    stack: int = 100
    """Big blinds of both players. A blueprint is measured at its own stacks and blinds instead."""
    seed: int = 0
    """Of the deals and of the lines drawn."""

    def __post_init__(self) -> None:
        for name in dict.fromkeys(self.setting):
            settings.of_name(name)
        if not self.setting or len(set(self.setting)) < len(self.setting):
            raise ValueError(f"--setting {' '.join(self.setting)}: name one or more of {', '.join(settings.SETTINGS)}")
        if not (math.isfinite(self.half_width) and self.half_width > 0):
            raise ValueError(f"--half-width {self.half_width}: a number of mBB/hand above 0")
        require_at_least(self, deals=2, walks=1, stack=1, max_deals=2 * self.deals)

    @property
    def rounds(self) -> int:
        """The most rounds."""
        return -(-self.max_deals // self.deals)
