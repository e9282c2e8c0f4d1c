"""Settings of the spot experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar, Literal

EXAMPLE_BOARD = "Ks7h3d9h"
EXAMPLE_RANGES = ("TT-22, AJs-A2s, KTs+, QTs+, JTs, T9s, 98s, 87s, 76s, KJo+, QJo", "22+, A2s+, KTs+, QTs+, J9s+, ATo+")
EXAMPLE_CHIPS = (100.0, 400.0)
SPOT = ("board", "pot", "stack", "stacks", "oop", "ip")  # fields that say which spot


@dataclasses.dataclass(frozen=True)
class Config:
    """The spot, and how well it is to be solved."""

    board: str = ""
    """Three to five cards, as in Ks7h3d9h; without any spot an example is solved."""
    pot: float | None = None
    """Chips in the middle, without the bets of this street."""
    stack: float | None = None
    """Chips behind, of both players."""
    stacks: tuple[float, float] | None = None
    """... of each, oop and ip, instead of --stack."""
    oop: str = ""
    """The range of the player out of position, as in "22+, AKs, A5s-A2s:0.5"."""
    ip: str = ""
    """The range of the player in position."""
    menu: str = "33%, 75%, a"
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
    bets: tuple[float, float] = (0.0, 0.0)
    """What oop and ip have bet on this street before the spot begins."""
    to_act: Literal["oop", "ip"] | None = None
    """Who acts first; who has bet less, else oop, when left out."""
    from_blueprint: str | None = None
    """Ranges, pot and stacks after this line of a blueprint, as in "r25c/cr33%c/", on --board."""
    blueprint: str | None = None
    """The folder or file of that blueprint; the one that comes with jaxpoker when left out."""
    target: float | None = None
    """Exploitability to reach, in % of the pot; 0.3 when neither this nor --iterations or --seconds is given."""
    iterations: int | None = None
    """The most iterations, of all sessions together."""
    seconds: float | None = None
    """The most seconds, of this session."""
    algorithm: Literal["dcfr", "dcfr t^2", "cfr", "cfr+", "linear", "pcfr+"] = "dcfr"
    """DCFR with averages by t^5, or t^2; vanilla CFR, CFR+, linear or predictive CFR+."""
    bits: Literal[32, 16] = 32
    """Of each number in the tables of a flop; 16 take half the memory."""
    symmetric: bool = True
    """Suits that can be exchanged are solved once."""
    memory_limit: float | None = None
    """The most memory in GB; what is free when left out."""
    seed: int = 0
    """Nothing is random here; every experiment has this flag."""

    changeable: ClassVar[tuple[str, ...]] = ("target", "iterations", "seconds", "memory_limit")

    def __post_init__(self) -> None:
        for name in ("target", "iterations", "seconds", "memory_limit"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ValueError(f"--{name.replace('_', '-')} {value}: a number above 0")
        if self.from_blueprint is None and self.blueprint is not None:
            raise ValueError("--blueprint: say which line of it with --from-blueprint")

    def resolved(self) -> Config:
        """With an example where no spot is given; half a spot is refused."""
        if self.from_blueprint is not None:
            given = [name for name in ("pot", "stack", "stacks", "oop", "ip") if getattr(self, name)]
            given += [name for name in ("bets", "to_act") if getattr(self, name) not in (None, (0.0, 0.0))]
            if given:
                raise ValueError(f"--{given[0].replace('_', '-')}: the line of --from-blueprint says it already")
            if not self.board:
                raise ValueError("--from-blueprint: give the open cards too, as in --board Ks7h3d9h")
            return self
        if not any(getattr(self, name) not in (None, "") for name in SPOT):
            pot, stack = EXAMPLE_CHIPS
            oop, ip = EXAMPLE_RANGES
            return dataclasses.replace(self, board=EXAMPLE_BOARD, pot=pot, stack=stack, oop=oop, ip=ip)
        for name in ("board", "pot", "oop", "ip", *(("stack",) if self.stacks is None else ())):
            if getattr(self, name) in (None, ""):
                raise ValueError(f"--{name} is missing: a spot has --board, --pot, --stack, --oop, --ip and --menu")
        return self
