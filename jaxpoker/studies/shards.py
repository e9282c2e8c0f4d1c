"""Parts of a long run over all flops: "2/4" is the second of four, and other runs do the others."""

from __future__ import annotations

import re

MOST = 1_755  # classes of flops


def part_of(shard: str) -> tuple[int, int]:
    """Which part, from 0 on, of how many; ``ValueError`` for text that is none."""
    numbers = re.fullmatch(r"(\d+)/(\d+)", shard)
    if numbers is None or not 1 <= int(numbers[1]) <= int(numbers[2]) <= MOST:
        raise ValueError(f"--shard {shard}: a part of all, such as 1/4, 2/4, 3/4 and 4/4")
    return int(numbers[1]) - 1, int(numbers[2])
