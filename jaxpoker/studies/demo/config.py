"""Settings of the demonstration: flags and their help texts."""

from __future__ import annotations

from dataclasses import dataclass

from jaxpoker.runs.config import require_at_least


@dataclass(frozen=True)
class Options:
    """What the demonstration takes."""

    seed: int = 0
    """Of everything random."""
    tables: int = 4_096
    """Tables of each match, with eight deals each, every one played from both seats."""

    def __post_init__(self) -> None:
        require_at_least(self, tables=2)
