"""Litmus tests of a blueprint: facts that any good strategy of heads-up hold'em shows, spot by spot.

    for test in litmus.tests(solved):
        print(test.passed, test.claim, test.found)

They say directions, no figures of a solver: aces do not fold, a nut flush draw folds less than no pair and no draw. The
hands, the boards and the lines are hand-picked; a line is found on any tree (``spot_hands.py``), and a tree without it
skips the claim. Facts that are true of deep stacks alone are skipped below ``DEEP`` big blinds.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jaxpoker import ranges
from jaxpoker.games import bets
from jaxpoker.solvers.abstraction.equity_buckets import preflop_means
from jaxpoker.solvers.blueprint import chart_facts, spot_hands
from jaxpoker.solvers.blueprint.blueprint import Blueprint
from jaxpoker.solvers.blueprint.charts import situation
from jaxpoker.solvers.blueprint.spot_hands import Spot

SELDOM = 0.01  # where a hand comes less often by its own actions, its strategy is not worth a test
TOLERANCE = 0.01  # of a probability
MOST_GROUPS = 6  # of buckets by strength
DEEP = 15  # big blinds
FEW_BLINDS = 2.2  # a raise to fewer big blinds is answered with more hands

FLOP, RIVER, STRAIGHT, PAIRED = "Qh7h2c", "Qh7h2c9s3d", "Qh7h2c9s8d", "Qh7h2c7s3d"
RAISED = ("raise 2.5", "call")  # before the flop
TO_THE_RIVER = (*RAISED, "check", "bet 33", "call", "check", "check")
MISSED = ("AhKh", "Jh8h", "Th8h", "6h5h", "5h4h")  # flush draws of FLOP that miss on RIVER
AIR = ("Jc5d", "Tc4d", "8c4s", "Jd6s")  # neither pair nor draw on FLOP, and no pair on RIVER


class Litmus(NamedTuple):
    """A claim, and whether it holds."""

    claim: str
    passed: bool
    found: str


def tests(blueprint: Blueprint) -> list[Litmus]:
    """All that the tree of ``blueprint`` has a line for."""
    return [test for test in (*before_the_flop(blueprint), *after_the_flop(blueprint)) if test is not None]


def summary(found: Sequence[Litmus]) -> str:
    """ "20 of 21 poker facts hold"."""
    return f"{sum(test.passed for test in found)} of {len(found)} poker facts hold"


# --- before the flop --------------------------------------------------------------------------


def before_the_flop(blueprint: Blueprint) -> list[Litmus | None]:
    """Who opens, who defends, and that the best hands never fold."""
    game = blueprint.game
    deep = game.stack >= DEEP * game.big_blind
    raised = spot_hands.find(blueprint, ["raise 2.5"])
    return [
        never_folds(blueprint, "AA"),
        never_folds(blueprint, "KK"),
        stronger_hands_open(blueprint),
        _more(
            "ace-king suited raises first in more than seven-deuce offsuit",
            spot_hands.find(blueprint, []),
            "bets",
            "AhKh",
            "7h2d",
        ),
        *(_opening(blueprint) if deep else ()),
        _more("facing a raise, king-queen offsuit folds less than seven-deuce", raised, "folds", "7h2d", "KhQd"),
        *(_big_blind(blueprint, raised) if deep and raised is not None else ()),
    ]


def never_folds(blueprint: Blueprint, hand: str) -> Litmus | None:
    """At no preflop decision that a pair such as "AA" reaches by its own play at least ``SELDOM``."""
    tree, place = blueprint.tree, ranges.CLASS_NAMES.index(hand)
    folds: dict[int, float] = {}
    for node in tree.decisions(street=0).tolist():
        if tree.children[node, bets.FOLD] >= 0:
            mix, reach = blueprint.preflop_grid(node)
            if reach[place] >= SELDOM:
                folds[node] = float(mix[place, bets.FOLD])
    if not folds:
        return None
    worst = max(folds, key=folds.__getitem__)
    name = {"AA": "aces", "KK": "kings"}[hand]
    found = f"{folds[worst]:.1%} at most ({situation(tree, worst)})"
    return Litmus(f"{name} never fold before the flop", folds[worst] <= TOLERANCE, found)


def stronger_hands_open(blueprint: Blueprint) -> Litmus:
    """At the first decision, by raising or limping: buckets by their equity against any hand, in groups where they are
    many.

    That order need not be the one of their names: rank-based "weak" hands, aces and suited kings, win more than
    "medium" ones.
    """
    bucket_of = blueprint.class_buckets
    combos = np.bincount(bucket_of, ranges.COMBOS_PER_CLASS)  # [buckets]
    used = np.nonzero(combos)[0]
    order = used[np.argsort(preflop_means(bucket_of, len(combos))[used], kind="stable")]
    playing = 1 - blueprint.at(0)[:, bets.FOLD]  # [buckets]
    groups = np.array_split(order, min(len(order), MOST_GROUPS))
    shares = [float(np.average(playing[group], weights=combos[group])) for group in groups]
    passed = all(more >= less - TOLERANCE for less, more in itertools.pairwise(shares))
    found = f"{', '.join(f'{share:.0%}' for share in shares)} from the weakest to the strongest"
    return Litmus("stronger hands open no less", passed, found)


def _opening(blueprint: Blueprint) -> list[Litmus]:
    """What ``chart_facts`` says of the button."""
    facts = chart_facts.opening(blueprint)
    return [
        Litmus(
            "the button raises or limps every pair and suited ace",
            facts.least_played >= 0.95,
            f"{facts.least_played_hand} least, {facts.least_played:.0%}",
        ),
        Litmus(
            f"the button folds the {chart_facts.WORST} worst offsuit hands at least half of the time",
            facts.worst_fold >= 0.5,
            f"{facts.worst_fold:.0%} ({', '.join(chart_facts.worst_offsuit())})",
        ),
        Litmus("the button raises or limps 70 to 95% of all hands", 0.70 <= facts.plays <= 0.95, f"{facts.plays:.0%}"),
        Litmus(
            "the hands that the button folds are weaker than those it plays",
            facts.order >= 0.85,
            f"of {facts.order:.0%} of all pairs of hands",
        ),
    ]


def _big_blind(blueprint: Blueprint, raised: Spot) -> list[Litmus]:
    """How often the big blind folds and raises again, over all hands."""
    tree = blueprint.tree
    mix = np.average(blueprint.preflop_grid(raised.node)[0], axis=0, weights=ranges.COMBOS_PER_CLASS)  # [actions]
    raise_to = tree.to[tree.parent[raised.node], tree.action[raised.node]] / blueprint.game.big_blind
    least, most = (0.25, 0.50) if raise_to >= FEW_BLINDS else (0.10, 0.40)
    folds, raises = float(mix[bets.FOLD]), float(mix[bets.FIRST_SIZE :].sum())
    to = f"a raise to {raise_to:g} big blinds"
    return [
        Litmus(f"the big blind folds {least:.0%} to {most:.0%} to {to}", least <= folds <= most, f"{folds:.0%}"),
        Litmus(f"the big blind raises again 8 to 25% against {to}", 0.08 <= raises <= 0.25, f"{raises:.0%}"),
    ]


# --- after the flop ---------------------------------------------------------------------------


def after_the_flop(blueprint: Blueprint) -> list[Litmus | None]:
    """Draws, pairs, sets and bluffs, where the button has raised and the big blind has called."""
    to_bet = spot_hands.find(blueprint, [*RAISED, "check"], FLOP)
    facing = spot_hands.find(blueprint, [*RAISED, "check", "bet 75"], FLOP)

    def river(board: str, *line: str) -> Spot | None:
        return spot_hands.find(blueprint, [*TO_THE_RIVER, *line], board)

    last, facing_last, pot = ("check",), ("check", "bet 75"), ("check", "bet 100")
    return [
        _different(blueprint, "a nut flush draw is not taken for no pair and no draw", "AhKh", AIR[0]),
        _different(blueprint, "top pair is not taken for bottom pair", "KsQd", "5s2s"),
        _more("facing a bet, a nut flush draw folds less than no pair and no draw", facing, "folds", AIR, "AhKh"),
        _at_least("facing a bet, top pair folds no more than bottom pair", facing, "folds", "5s2s", "KsQd"),
        _more("facing a bet, top pair folds less than no pair and no draw", facing, "folds", AIR, "KsQd"),
        _at_least("facing a bet, a set folds no more than one pair", facing, "folds", "8s7c", "7s7d"),
        _more("facing a bet, a set raises more than no pair and no draw", facing, "bets", "7s7d", AIR),
        _sometimes("sets are among the bets on the flop", to_bet, "7s7d"),
        _sometimes("bluffs are among the bets on the flop", to_bet, AIR),
        _never("the nuts never fold to a bet on the river", river(RIVER, *facing_last), "QcQs"),
        _more("on the river the nuts bet more than second pair", river(RIVER, *last), "bets", "QcQs", "9d8d"),
        _more(
            "facing the pot on the river, a straight folds less than a missed draw",
            river(STRAIGHT, *pot),
            "folds",
            "5h4h",
            "JsTs",
        ),
        _more(
            "facing a bet on the river, a full house raises more than one pair",
            river(PAIRED, *facing_last),
            "bets",
            "QcQs",
            "KsQd",
        ),
        _sometimes("missed draws are among the bets on the river", river(RIVER, *last), MISSED),
        _more(
            "facing a bet on the river, no pair folds more than top pair",
            river(RIVER, *facing_last),
            "folds",
            AIR,
            "KsQd",
        ),
    ]


# --- kinds of claims --------------------------------------------------------------------------


Hands = str | tuple[str, ...]  # of several hands the mean counts


def _share(spot: Spot, does: str, hands: Hands) -> float:
    each = (hands,) if isinstance(hands, str) else hands
    of_hand = spot.folds if does == "folds" else spot.bets
    return float(np.mean([of_hand(hand) for hand in each]))


def _named(hands: Hands) -> str:
    return hands if isinstance(hands, str) else "/".join(hands)


def _more(claim: str, spot: Spot | None, does: str, more: Hands, less: Hands) -> Litmus | None:
    """The hands ``more`` do it more often than the hands ``less``."""
    if spot is None:
        return None
    high, low = _share(spot, does, more), _share(spot, does, less)
    found = f"{_named(more)} {does} {high:.0%}, {_named(less)} {low:.0%} ({spot.text})"
    return Litmus(claim, high > low, found)


def _at_least(claim: str, spot: Spot | None, does: str, more: Hands, less: Hands) -> Litmus | None:
    """... or as often."""
    test = _more(claim, spot, does, more, less)
    if spot is None or test is None:
        return None
    return test._replace(passed=_share(spot, does, more) >= _share(spot, does, less) - TOLERANCE)


def _sometimes(claim: str, spot: Spot | None, hands: Hands) -> Litmus | None:
    """The hands bet, be it seldom."""
    if spot is None:
        return None
    share = _share(spot, "bets", hands)
    return Litmus(claim, share > TOLERANCE, f"{_named(hands)} bets {share:.1%} ({spot.text})")


def _never(claim: str, spot: Spot | None, hand: str) -> Litmus | None:
    """The hand does not fold."""
    if spot is None:
        return None
    share = spot.folds(hand)
    return Litmus(claim, share <= TOLERANCE, f"{hand} folds {share:.1%} ({spot.text})")


def _different(blueprint: Blueprint, claim: str, one: str, other: str) -> Litmus | None:
    """Two hands on the ``FLOP`` are in different buckets, if anybody bets there."""
    if not len(blueprint.tree.decisions(street=1)):
        return None
    buckets = [blueprint.bucket(hand, FLOP) for hand in (one, other)]
    return Litmus(
        claim, buckets[0] != buckets[1], f"{one} and {other} on {FLOP}: buckets {buckets[0]} and {buckets[1]}"
    )
