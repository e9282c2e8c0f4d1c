"""Litmus tests of a blueprint: facts that any good strategy of hold'em shows before the flop."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from jaxpoker import ranges
from jaxpoker.games import bets
from jaxpoker.solvers.abstraction.equity_buckets import preflop_means
from jaxpoker.solvers.blueprint.blueprint import Blueprint
from jaxpoker.solvers.blueprint.charts import situation

SELDOM = 0.01  # where aces come less often by their own actions, their strategy is not worth a test
TOLERANCE = 0.01  # of a probability
MOST_GROUPS = 6  # of buckets by strength


class Litmus(NamedTuple):
    """A claim, and whether it holds."""

    claim: str
    passed: bool
    found: str


def tests(blueprint: Blueprint) -> list[Litmus]:
    """All of them."""
    return [aces_never_fold(blueprint), stronger_hands_raise(blueprint)]


def aces_never_fold(blueprint: Blueprint) -> Litmus:
    """At no preflop decision to which aces come."""
    tree, aces = blueprint.tree, ranges.CLASS_NAMES.index("AA")
    folds: dict[int, float] = {}
    for node in tree.decisions(street=0).tolist():
        if tree.children[node, bets.FOLD] >= 0:
            mix, reach = blueprint.preflop_grid(node)
            if reach[aces] > SELDOM:
                folds[node] = float(mix[aces, bets.FOLD])
    worst = max(folds, key=folds.__getitem__)
    found = f"{folds[worst]:.1%} at most ({situation(tree, worst)})"
    return Litmus("aces never fold before the flop", folds[worst] <= TOLERANCE, found)


def stronger_hands_raise(blueprint: Blueprint) -> Litmus:
    """At the first decision: buckets by their equity against any hand, in groups where they are many.

    That order need not be the one of their names: rank-based "weak" hands, aces and suited kings, win more than
    "medium" ones.
    """
    bucket_of = blueprint.class_buckets
    combos = np.bincount(bucket_of, ranges.COMBOS_PER_CLASS)  # [buckets]
    used = np.nonzero(combos)[0]
    order = used[np.argsort(preflop_means(bucket_of, len(combos))[used], kind="stable")]
    raising = blueprint.at(0)[:, bets.FIRST_SIZE :].sum(axis=1)  # [buckets]
    groups = np.array_split(order, min(len(order), MOST_GROUPS))
    shares = [float(np.average(raising[group], weights=combos[group])) for group in groups]
    passed = all(more >= less - TOLERANCE for less, more in itertools.pairwise(shares))
    found = f"{', '.join(f'{share:.0%}' for share in shares)} from the weakest to the strongest"
    return Litmus("stronger hands open no less", passed, found)
