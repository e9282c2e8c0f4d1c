"""Settings of the flops experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar, Literal

from jaxpoker.studies import shards

ALL = "all"
KEPT = ("none", "flop", "turn", "river")
NARROW = ("AA-99, AKs-ATs, KQs, KJs, QJs, JTs, AKo, AQo", "QQ-66, AQs-A9s, KQs-KTs, QJs, QTs, JTs, T9s, AQo, KQo")
USUAL = (
    "66+, A8s+, A5s-A4s, AJo+, K9s+, KQo, QTs+, JTs, 96s+, 85s+, 75s+, 65s, 54s",
    "QQ-22, AQs-A2s, ATo+, K5s+, KJo+, Q8s+, J8s+, T7s+, 96s+, 86s+, 75s+, 64s+, 53s+",
)


@dataclasses.dataclass(frozen=True)
class Config:
    """The spot, the flops, and how well each is to be solved."""

    pot: float = 20.0
    """Chips in the middle."""
    stack: float = 80.0
    """Chips behind, of both players."""
    oop: str = USUAL[0]
    """The range of the player out of position, as in "22+, AKs, A5s-A2s:0.5"."""
    ip: str = USUAL[1]
    """The range of the player in position."""
    menu: str = "50%"
    """Bets as in "33%, 75%, 2.5x, 150, e, a" (raises are 60% and all-in), or JSON: {street: {player: {bet, raise}}}."""
    max_raises: int | None = None
    """The most bets and raises of a street; no cap when left out."""
    add_all_in: float = 0.0
    """All-in is offered where it is at most so many times the pot."""
    force_all_in: float = 0.0
    """A bet is all-in where stack / pot after a call would be at most this."""
    all_in_share: float = 1.0
    """A bet of this share of the stack or more is all-in."""
    merge: float = 0.0
    """Sizes X > Y, in pots, are one where (1 + X) / (1 + Y) < 1 + this."""
    rake: float = 0.0
    """The house's share of the pot, as in 0.05."""
    rake_cap: float = 0.0
    """The most that it takes, in chips; 0 is no cap."""
    flops: str = "25"
    """A sample of so many that stands for all, or all 1,755 ("all"), or a list as in "Td9d6h, QsJh2h"."""
    shard: str = "1/1"
    """The part of the flops that this run does, as in 2/4; another run adds the parts up (--parts)."""
    parts: tuple[str, ...] = ()
    """Runs of scripts/run flops whose flops are taken over and not done again."""
    target: float = 0.5
    """Exploitability to reach on each flop, in % of the pot."""
    iterations: int = 1_000
    """The most iterations on a flop."""
    bits: Literal[32, 16] = 32
    """Of each number in the tables; 16 take half the memory."""
    at_once: int = 1
    """Flops that are solved at the same time, each on a device of its own where there are several."""
    keep: Literal["none", "flop", "turn", "river"] = "none"
    """Leaves a file of each flop with its strategies, down to this street."""
    memory_limit: float | None = None
    """The most memory in GB for the flops that are solved at the same time; what is free when left out."""
    seed: int = 0
    """Of the sample."""

    changeable: ClassVar[tuple[str, ...]] = ("at_once", "memory_limit")

    def __post_init__(self) -> None:
        for name in ("target", "iterations", "at_once", "memory_limit"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ValueError(f"--{name.replace('_', '-')} {value}: a number above 0")
        shards.part_of(self.shard)

    @property
    def part(self) -> tuple[int, int]:
        """Which part, from 0 on, of how many."""
        return shards.part_of(self.shard)

    @property
    def solving(self) -> dict[str, Any]:
        """All settings that change what is found on a flop."""
        aside = ("flops", "shard", "parts", "at_once", "keep", "memory_limit", "seed")
        return {name: value for name, value in dataclasses.asdict(self).items() if name not in aside}
