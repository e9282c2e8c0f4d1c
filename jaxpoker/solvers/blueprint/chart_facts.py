"""What an opening chart comes to: a few figures that tell whether a poker player believes it.

facts = chart_facts.opening(solved)
facts.plays                        # share of all hands that the button raises or limps
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxpoker import ranges
from jaxpoker.games import bets
from jaxpoker.solvers.blueprint.blueprint import Blueprint

WORST = 10  # offsuit hands by equity
PAIRS = tuple(name for name in ranges.CLASS_NAMES if len(name) == 2)
SUITED_ACES = tuple(name for name in ranges.CLASS_NAMES if name[0] == "A" and name.endswith("s"))


class OpeningFacts(NamedTuple):
    """Of the button's first decision."""

    plays: float  # share of all combos that raise or limp
    worst_fold: float  # mean share of folds of the WORST offsuit hands by equity
    least_played: float  # of pairs and suited aces, the smallest share that raises or limps
    least_played_hand: str
    order: float  # of all pairs (hand that folds more than half, hand that plays more than half), those whose equities
    # are in that order; 1 where all hands fold, or all play


def worst_offsuit() -> tuple[str, ...]:
    """The WORST offsuit hands by equity against a random hand, the worst one first."""
    equity = ranges.preflop_table().equity
    order = np.argsort(equity, kind="stable").tolist()
    return tuple(ranges.CLASS_NAMES[i] for i in order if ranges.CLASS_NAMES[i].endswith("o"))[:WORST]


def opening(blueprint: Blueprint) -> OpeningFacts:
    """The facts of ``blueprint``, whose first decision may be a fold."""
    mix, _ = blueprint.preflop_grid(0)
    folds = mix[:, bets.FOLD]  # [169]
    place = {name: i for i, name in enumerate(ranges.CLASS_NAMES)}
    strong = [place[name] for name in (*PAIRS, *SUITED_ACES)]
    least = strong[int(np.argmax(folds[strong]))]
    equity = ranges.preflop_table().equity
    folding, playing = equity[folds > 0.5], equity[folds < 0.5]
    ordered = float((folding[:, None] < playing).mean()) if len(folding) and len(playing) else 1.0
    return OpeningFacts(
        plays=1 - float(np.average(folds, weights=ranges.COMBOS_PER_CLASS)),
        worst_fold=float(folds[[place[name] for name in worst_offsuit()]].mean()),
        least_played=1 - float(folds[least]),
        least_played_hand=ranges.CLASS_NAMES[least],
        order=ordered,
    )
