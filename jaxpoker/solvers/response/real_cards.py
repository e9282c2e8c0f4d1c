"""How much a blueprint loses to a best response that sees every card: exact real-card exploitability.

    found = real_cards.exploitability(solved, real_cards.all_flops(solved))
    found.exploitability                   # mBB/hand, exactly: over all boards, every hand for itself

The responder knows the blueprint, sees its two cards and the board as it comes, and bets what the tree has. The
blueprint plays by the bucket of its hand. At every decision the responder takes, for each of its hands, the action with
the highest counterfactual value: a sum over the blueprint's hands and over the cards to come. With v(p) the value of
the response in seat p,

    exploitability = (v(0) + v(1)) / 2,    half of NashConv, in thousandths of a big blind.

Nothing is sampled or approximated: nobody who plays the bets of the tree can win more. ``flop_sweep.py`` does one flop
with all its turns and rivers. This module adds up the 1,755 classes of flops, each as often as it has flops, and does
the betting before the flop, where the 169 classes of hands are all that there is. All-ins before the flop are worth
what ``equity.matchups`` counts, over all boards.

With a sample of flops (``draw``) the play after the flop is still exact. What the response does before the flop is
fitted on some flops and measured on the others, and the other way round. The mean of that is at most the exact figure:
a lower bound, with an interval. The response that is fitted on all drawn flops wins too much on them: in the mean an
upper bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import numpy as np

from jaxpoker import ranges
from jaxpoker.equity.matchups import matchups
from jaxpoker.games.holdem.table import PREFLOP
from jaxpoker.match import Estimate
from jaxpoker.ranges import CLASS_OF_COMBO, NUM_CLASSES, NUM_COMBOS
from jaxpoker.solvers.abstraction import isomorphism
from jaxpoker.solvers.abstraction.contract import digest
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.response import flop_sweep, public_cards, river_hands
from jaxpoker.solvers.response.flop_sweep import FlopSweep, Tables
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import CHANCE, DECISION

FLOPS = 22_100
FLOPS_OF_A_PAIR = math.comb(48, 3)  # that two hands leave
PAIRS = NUM_COMBOS * math.comb(50, 2)  # of hands that share no card
MILLI = 1_000


class Flops(NamedTuple):
    """What the response makes on each of n flops."""

    number: np.ndarray  # [n] int: the class of flops (``public_cards.flops``)
    times: np.ndarray  # [n] float64: how often it counts; they sum to 22,100
    values: np.ndarray  # [n, 169, 2 * starts] float64: of each class of hands at each start, for seat 0, then seat 1


class Answer(NamedTuple):
    """A response in one seat before the flop."""

    value: float  # big blinds per hand
    played: dict[int, np.ndarray]  # by node of its decisions [169] int: the action of each class of hands
    ends: float  # the part of the value that is won without a flop
    starts: np.ndarray  # [169, starts] bool: whether a class of hands comes to each start by its own actions


class Exploitability(NamedTuple):
    """The best response to a blueprint over all flops, in mBB/hand."""

    exploitability: float  # half of NashConv
    responses: tuple[float, float]  # what the response makes in each seat
    answers: tuple[Answer, Answer]
    by_flop: np.ndarray  # [n, 2]: what it makes in each seat when this flop comes, with hands that see a flop


class Sampled(NamedTuple):
    """Best responses to a blueprint on drawn flops, in mBB/hand."""

    exploitability: Estimate  # at least this in the mean: before the flop it was fitted on other flops
    fitted: float  # the same on the flops of the fit: at most this in the mean
    responses: tuple[Estimate, Estimate]
    whole: Exploitability  # fitted on all drawn flops


# --- flops --------------------------------------------------------------------------------------


def fingerprint(blueprint: Blueprint) -> str:
    """Letters and digits that differ for blueprints that play differently."""
    betting = blueprint.tree
    strategy = [np.asarray(of_street, np.float32) for of_street in blueprint.strategy]
    return digest(betting.children, betting.payoffs, blueprint.abstraction.fingerprint, *strategy)


def needs_flops(blueprint: Blueprint) -> bool:
    """Whether there is any betting after the flop."""
    return blueprint.tree.num_streets > 1


def values_on(blueprint: Blueprint, sweep: tuple[FlopSweep, Tables], number: int) -> np.ndarray:
    """``[169, 2 * starts]`` float64 of a class of flops; ``flop_sweep.of(blueprint)`` is the ``sweep``."""
    runouts = public_cards.after(public_cards.flops().cards[number])
    hands = river_hands.prepared(blueprint.abstraction, runouts)
    return by_class(np.asarray(sweep[0].values(sweep[1], hands)))


def all_flops(blueprint: Blueprint, progress: Callable[[int], None] = lambda done: None) -> Flops:
    """All classes of flops; ``progress`` is told how many are done. ``scripts/run exploit`` can stop and go on."""
    require_alike_suits(blueprint)
    sweep = flop_sweep.of(blueprint)
    found = []
    for number in range(len(public_cards.flops().cards)):
        found.append(values_on(blueprint, sweep, number))
        progress(number + 1)
    return whole(np.array(found))


def whole(values: np.ndarray) -> Flops:
    """Of values of all classes, in order."""
    times = public_cards.flops().times
    return Flops(np.arange(len(times)), times.astype(np.float64), values)


def draw(n: int, seed: int) -> np.ndarray:
    """``[n]`` classes of flops, dealt at random; some may come several times."""
    times = public_cards.flops().times
    return np.random.default_rng(seed).choice(len(times), n, p=times / FLOPS)


def by_class(values: np.ndarray) -> np.ndarray:
    """``[169, n]`` float64: the sums of ``[1326, n]`` over the hands of each class."""
    summed = np.zeros((NUM_CLASSES, values.shape[1]))
    np.add.at(summed, CLASS_OF_COMBO, values.astype(np.float64))
    return summed


def require_alike_suits(blueprint: Blueprint, boards: int = 8) -> None:
    """``ValueError`` unless buckets stay the same when suits are renamed, on some random boards."""
    known, rng = blueprint.abstraction, np.random.default_rng(0)
    look_up = jax.jit(jax.vmap(known.of_board, (None, 0)))
    dealt = np.stack([rng.permutation(52)[:5] for _ in range(boards)]).astype(np.int32)
    renamed = isomorphism.renamed_combos()
    orders = rng.integers(1, len(renamed), boards)
    moved = np.array([public_cards.renamed_cards()[order][board] for order, board in zip(orders, dealt, strict=True)])
    here, there = np.asarray(look_up(known.tables, dealt)), np.asarray(look_up(known.tables, moved))
    for board, order, buckets, others in zip(dealt, orders, here, there, strict=True):
        live = ~np.isin(ranges.COMBOS, board).any(axis=1)
        if (buckets != others[:, renamed[order]])[:, live].any():
            raise ValueError(
                f"{known.name} puts hands that differ by the names of suits into different buckets: an exact response "
                "needs buckets that do not depend on these names"
            )


# --- before the flop ----------------------------------------------------------------------------


def respond(blueprint: Blueprint, seat: int, later: np.ndarray, given: Answer | None = None) -> Answer:
    """The best response in ``seat``, or what is ``given`` as one, when starts of the flop are worth ``later`` ``[169,
    starts]`` to its classes of hands: sums over their hands, the other's hands and all flops.
    """
    betting = blueprint.tree
    counts = matchups()
    meet, beat = counts.combos.astype(np.float64), counts.combos * (2 * counts.equity - 1)
    chances = np.nonzero((betting.kind == CHANCE) & (betting.street == PREFLOP))[0].tolist()
    played: dict[int, np.ndarray] = {}
    starts = np.zeros((NUM_CLASSES, len(chances)), bool)

    def values(node: int, reach: np.ndarray) -> np.ndarray:
        """``[169, 2]``: what the node is worth, by ends before the flop and by flops."""
        if betting.kind[node] == CHANCE:
            of_flops = later[:, chances.index(node)]
            return np.stack([np.zeros(NUM_CLASSES), of_flops], axis=1)
        if betting.kind[node] != DECISION:
            pays = betting.payoffs_of(seat)[node, 2 * seat].astype(np.float64)  # when the responder wins
            settled = pays * ((meet if betting.is_fold(node) else beat) @ reach)
            return np.stack([settled, np.zeros(NUM_CLASSES)], axis=1)
        actions = np.nonzero(betting.legal(node))[0]
        after = [int(betting.children[node, action]) for action in actions]
        if betting.player[node] != seat:
            mix = blueprint.at(node)[blueprint.class_buckets].astype(np.float64)
            return np.sum([values(child, reach * mix[:, a]) for a, child in zip(actions, after, strict=True)], axis=0)
        found = np.array([values(child, reach) for child in after])  # [actions, 169, 2]
        best = found.sum(axis=2).argmax(axis=0) if given is None else np.searchsorted(actions, given.played[node])
        played[node] = actions[best]
        return found[best, np.arange(NUM_CLASSES)]

    def arrive(node: int, here: np.ndarray) -> None:
        """Marks the starts that hands ``here`` ``[169]`` come to."""
        if betting.kind[node] == CHANCE:
            starts[:, chances.index(node)] = here
        elif betting.kind[node] == DECISION:
            for action in np.nonzero(betting.legal(node))[0].tolist():
                goes = here & (played[node] == action) if betting.player[node] == seat else here
                arrive(int(betting.children[node, action]), goes)

    total = values(0, np.ones(NUM_CLASSES)).sum(axis=0) / PAIRS
    arrive(0, np.ones(NUM_CLASSES, bool))
    return Answer(float(total.sum()), played, float(total[0]), starts)


def _later(flops: Flops | None, seat: int) -> np.ndarray:
    """``[169, starts]``: the sum over all flops, for a pair of hands the mean over those that it leaves."""
    if flops is None:
        return np.zeros((NUM_CLASSES, 0))
    mine = np.split(flops.values, 2, axis=2)[seat]
    # In the order of the flops, so that the sum does not depend on who did which part of them.
    total = np.zeros(mine.shape[1:])
    for times, values in zip(flops.times, mine, strict=True):
        total += times * values
    return total / FLOPS_OF_A_PAIR


def exploitability(blueprint: Blueprint, flops: Flops | None = None) -> Exploitability:
    """The best responses in both seats; without ``flops`` only where nobody bets after the flop."""
    if flops is None and needs_flops(blueprint):
        raise ValueError("this tree is bet on after the flop: give the values of its flops (all_flops)")
    answers = [respond(blueprint, seat, _later(flops, seat)) for seat in PLAYERS]
    first, second = answers
    return Exploitability(
        (first.value + second.value) / 2 * MILLI,
        (first.value * MILLI, second.value * MILLI),
        (first, second),
        np.zeros((0, 2)) if flops is None else _by_flop(flops, answers),
    )


def _by_flop(flops: Flops, answers: Sequence[Answer]) -> np.ndarray:
    """``[n, 2]`` mBB/hand that each response makes on each flop, by hands that see a flop."""
    found = []
    for seat, answer in enumerate(answers):
        mine = np.split(flops.values, 2, axis=2)[seat]
        found.append((mine * answer.starts).sum(axis=(1, 2)) * FLOPS / FLOPS_OF_A_PAIR / PAIRS * MILLI)
    return np.stack(found, axis=1)


def sampled(blueprint: Blueprint, drawn: np.ndarray, values: np.ndarray) -> Sampled:
    """Of classes of flops ``drawn`` ``[n]`` with their ``values`` ``[n, 169, 2 * starts]``; at least four."""
    n = len(drawn)
    if n < 4:
        raise ValueError(f"{n} flops: take at least four, for a fit and an interval")

    def some(which: np.ndarray) -> Flops:
        return Flops(drawn[which], np.full(len(which), FLOPS / len(which)), values[which])

    halves = [np.arange(n)[first::2] for first in range(2)]
    samples = np.zeros((n, 2))
    for fit, other in (halves, halves[::-1]):
        answers = exploitability(blueprint, some(fit)).answers
        samples[other] = _by_flop(some(other), answers) + [answer.ends * MILLI for answer in answers]
    everything = exploitability(blueprint, some(np.arange(n)))
    return Sampled(
        Estimate.of(samples.mean(axis=1)),
        everything.exploitability,
        (Estimate.of(samples[:, 0]), Estimate.of(samples[:, 1])),
        everything,
    )
