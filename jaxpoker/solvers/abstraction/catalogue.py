"""The card abstractions by name.

``rank_based`` is the coarse one: a list of hands before the flop, and after it the category of the best five cards so
far. ``rank_history`` has these buckets of all streets so far. ``equity`` groups hands by how much of the pot they win
on the boards to come.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from jaxpoker.games.holdem.table import STREETS
from jaxpoker.solvers.abstraction import equity_buckets
from jaxpoker.solvers.abstraction.contract import CardAbstraction, NumBuckets
from jaxpoker.solvers.abstraction.rank_based import RankBased
from jaxpoker.solvers.abstraction.rank_history import RankHistory


def make(name: str, num_buckets: Iterable[int] | None = None, **options: Any) -> CardAbstraction:
    """The abstraction of that name: "rank_based", "rank_history", or "equity" with its options (``equity_buckets``)."""
    sizes = None if num_buckets is None else _four_sizes(num_buckets)
    if name == "rank_based":
        if options:
            raise ValueError(f"rank_based buckets have no option {next(iter(options))!r}: their lists are fixed")
        if sizes is not None and sizes != RankBased.num_buckets:
            shown, fixed = ("/".join(map(str, each)) for each in (sizes, RankBased.num_buckets))
            raise ValueError(f"num_buckets {shown}: rank_based has {fixed}; for other numbers take 'equity'")
        return RankBased()
    if name == "rank_history":
        known = RankHistory()
        if options or sizes not in (None, known.num_buckets):
            numbers = "/".join(map(str, known.num_buckets))
            raise ValueError(f"rank_history has no options, and as many buckets as there are histories: {numbers}")
        return known
    if name == "equity":
        return equity_buckets.make(**options) if sizes is None else equity_buckets.make(sizes, **options)
    raise ValueError(f"unknown card abstraction {name!r}: choose 'rank_based', 'rank_history' or 'equity'")


def packed(abstraction: CardAbstraction) -> bytes | None:
    """What a file has to hold, so that nobody needs minutes to make these buckets; None where that takes a moment."""
    return equity_buckets.packed(abstraction) if isinstance(abstraction, equity_buckets.EquityBuckets) else None


def unpacked(name: str, num_buckets: Iterable[int], content: bytes) -> CardAbstraction:
    """The abstraction that ``packed`` made ``content`` of; ``ValueError`` if it is damaged."""
    if name != "equity":
        raise ValueError(f"{name!r} buckets are not kept in files")
    return equity_buckets.unpacked(_four_sizes(num_buckets), content)


def _four_sizes(num_buckets: Iterable[int]) -> NumBuckets:
    sizes = tuple(num_buckets)
    if len(sizes) != len(STREETS) or any(not isinstance(n, int | np.integer) or n < 1 for n in sizes):
        raise ValueError(f"num_buckets {sizes}: give four numbers, preflop, flop, turn and river, each 1 or more")
    return int(sizes[0]), int(sizes[1]), int(sizes[2]), int(sizes[3])
