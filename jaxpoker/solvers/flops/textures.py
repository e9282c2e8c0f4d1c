"""Kinds of flops and of the cards that come after them, as players speak of them, and samples of flops.

    textures.of_flop(cards.parse("Td9d6h"))        # {"suits": "two-tone", "pairing": "unpaired", ...}
    textures.of_card(flop, card)                   # "third of a suit", "pairs the board", ...
    textures.sample(25, seed=0)                    # numbers of flops among the 1,755 classes, each standing for 1/25

A sample is systematic: flops stand in the order of their textures, each as long as the flops of its class, and every
1/n-th of the line is taken from a random beginning. So each texture has its share, up to one flop, and means over the
sample are means over all flops with less noise than those of flops drawn one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxpoker.solvers.abstraction import isomorphism
from jaxpoker.solvers.abstraction.isomorphism import Classes

SUITS = ("rainbow", "two-tone", "monotone")
PAIRING = ("unpaired", "paired", "trips")
CONNECTION = ("straight possible", "two in a row", "disconnected")
HIGH_CARD = ("ace high", "king high", "queen high", "jack high", "ten high or lower")
TEXTURES = {"suits": SUITS, "pairing": PAIRING, "connection": CONNECTION, "high card": HIGH_CARD}

PAIRS, FOURTH, THIRD, STRAIGHT, OVERCARD, BLANK = (
    "pairs the board",
    "fourth of a suit",
    "third of a suit",
    "straight possible",
    "overcard",
    "no change",
)
CARD_CLASSES = (PAIRS, FOURTH, THIRD, STRAIGHT, OVERCARD, BLANK)
_ACE, _RANKS = 12, 13


def of_flop(flop: Sequence[int] | np.ndarray) -> dict[str, str]:
    """The textures of three cards, by kind."""
    ranks, suits = _parts(flop)
    distinct = len(set(ranks))
    if _straights(ranks):
        connection = CONNECTION[0]
    else:
        connection = CONNECTION[1] if _neighbours(ranks) else CONNECTION[2]
    return {
        "suits": {3: SUITS[0], 2: SUITS[1], 1: SUITS[2]}[len(set(suits))],
        "pairing": {3: PAIRING[0], 2: PAIRING[1], 1: PAIRING[2]}[distinct],
        "connection": connection,
        "high card": HIGH_CARD[min(_ACE - max(ranks), len(HIGH_CARD) - 1)],
    }


def of_card(board: Sequence[int] | np.ndarray, card: int) -> str:
    """What a turn or river ``card`` changes on ``board``: the first of ``CARD_CLASSES`` that is true of it."""
    ranks, suits = _parts(board)
    rank, suit = card % _RANKS, card // _RANKS
    if rank in ranks:
        return PAIRS
    alike = suits.count(suit) + 1
    if alike >= 4:
        return FOURTH
    if alike == 3:
        return THIRD
    if len(_straights([*ranks, rank])) > len(_straights(ranks)):
        return STRAIGHT
    return OVERCARD if rank > max(ranks) else BLANK


def _parts(board: Sequence[int] | np.ndarray) -> tuple[list[int], list[int]]:
    ids = [int(card) for card in board]
    return [card % _RANKS for card in ids], [card // _RANKS for card in ids]


def _straights(ranks: Sequence[int]) -> set[int]:
    """The lowest ranks of the straights that two cards in hand can make; the ace is also below the two."""
    there = {rank + 1 for rank in ranks} | ({0} if _ACE in ranks else set())
    return {low for low in range(_RANKS - 3) if len(there & set(range(low, low + 5))) >= 3}


def _neighbours(ranks: Sequence[int]) -> bool:
    there = {rank + 1 for rank in ranks} | ({0} if _ACE in ranks else set())
    return any(rank + 1 in there for rank in there)


# --- samples ------------------------------------------------------------------------------------


def classes() -> Classes:
    """The 1,755 classes of flops, and how many flops each has."""
    return isomorphism.classes(3)


def sample(number: int, seed: int = 0) -> np.ndarray:
    """``[number]`` classes of flops, each of which stands for as many flops; see the module's docstring."""
    flops = classes()
    if not 1 <= number <= len(flops.cards):
        raise ValueError(f"a sample of {number} flops: 1 to {len(flops.cards):,}")
    places = [
        (*(names.index(of_flop(flop)[kind]) for kind, names in TEXTURES.items()), -int(flop.sum()))
        for flop in flops.cards
    ]
    order = sorted(range(len(places)), key=places.__getitem__)
    ends = np.cumsum(flops.times[order]) / flops.times.sum()
    at = (np.arange(number) + np.random.default_rng(seed).random()) / number
    return np.array(order)[np.minimum(np.searchsorted(ends, at, side="right"), len(order) - 1)]


def number_of(flop: Sequence[int] | np.ndarray) -> int:
    """The class of a flop of three different cards."""
    return int(classes().class_of[int(isomorphism.number(np.asarray(flop)))])
