"""The public cards of hold'em in their order, flop, turn, river, up to the names of suits.

    flops = public_cards.flops()                    # 1,755 classes of the 22,100 flops
    deal = public_cards.after(flops.cards[0])       # its turns, and the rivers after each

The order matters to whoever sees the cards: a turn is played before the river is known. So a class here is a sequence:
there are 1,755 flops, 63,193 with a turn and 2,554,656 with a river. (The 134,459 classes of five cards do not know
which of them came last. They say who wins, not how it was played.)

The suits that a flop leaves alike are a group: the orders of suits that turn the flop into itself. Turns that they turn
into each other are one class, which counts as often as it has cards. The orders that keep the turn too do the same to
the rivers. Let V(i) be what is summed over classes, each times its number of cards. The sum over all cards is then the
mean of V over the group: hand i is worth on an exchanged board what the exchanged hand is worth on this one.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity.boards import ALL_SUIT_ORDERS
from jaxpoker.solvers.abstraction import isomorphism
from jaxpoker.solvers.abstraction.isomorphism import Classes

MOST_TURNS, MOST_RIVERS = 49, 48  # that are left after a flop, after a turn
ORDERS = len(ALL_SUIT_ORDERS)


class Runouts(NamedTuple):
    """The turns and rivers after a flop; rows beyond ``num_turns`` and ``num_rivers`` repeat a card and count 0 times.

    A group of suit orders has ``num_orders`` of them first; the others are not read.
    """

    flop: np.ndarray  # [3] int32
    orders: np.ndarray  # [24] int32 into ALL_SUIT_ORDERS: those that keep the flop
    num_orders: np.ndarray  # [] int32
    turns: np.ndarray  # [49] int32 cards
    turn_times: np.ndarray  # [49] float32: how many cards are like this one
    num_turns: np.ndarray  # [] int32
    turn_orders: np.ndarray  # [49, 24] int32: those that keep the flop and the turn
    num_turn_orders: np.ndarray  # [49] int32
    rivers: np.ndarray  # [49, 48] int32 cards
    river_times: np.ndarray  # [49, 48] float32
    num_rivers: np.ndarray  # [49] int32

    def boards(self) -> np.ndarray:
        """``[sum of num_rivers, 5]`` int32: every class of rivers, turn after turn."""
        found = [
            (*self.flop, self.turns[t], river)
            for t in range(int(self.num_turns))
            for river in self.rivers[t, : self.num_rivers[t]]
        ]
        return np.array(found, np.int32)


def flops() -> Classes:
    """The classes of flops: ``cards`` [1755, 3] and ``times`` [1755] that there is a flop like this."""
    return isomorphism.classes(3)


@functools.cache
def renamed_cards() -> np.ndarray:
    """[24, 52] int32: what each card becomes under each order of suits."""
    card = np.arange(NUM_CARDS)
    return np.array([np.asarray(suits)[card // 13] * 13 + card % 13 for suits in ALL_SUIT_ORDERS], np.int32)


def after(flop: np.ndarray) -> Runouts:
    """The runouts of a flop of three card ids."""
    renamed, known = renamed_cards(), np.sort(np.asarray(flop, np.int32))
    orders = np.flatnonzero((np.sort(renamed[:, known], axis=1) == known).all(axis=1))
    turns, turn_times = _cards(orders, known)
    turn_orders, num_turn_orders = np.zeros((MOST_TURNS, ORDERS), np.int32), np.ones(MOST_TURNS, np.int32)
    rivers, river_times = np.zeros((MOST_TURNS, MOST_RIVERS), np.int32), np.zeros((MOST_TURNS, MOST_RIVERS), np.float32)
    num_rivers = np.zeros(MOST_TURNS, np.int32)
    for t, turn in enumerate(turns):
        kept = orders[renamed[orders, turn] == turn]
        turn_orders[t, : len(kept)], num_turn_orders[t] = kept, len(kept)
        found, times = _cards(kept, np.append(known, turn))
        rivers[t], num_rivers[t] = _padded(found, MOST_RIVERS), len(found)
        river_times[t, : len(found)] = times
    return Runouts(
        np.asarray(flop, np.int32),
        _padded(orders, ORDERS),
        np.asarray(len(orders), np.int32),
        _padded(turns, MOST_TURNS),
        np.append(turn_times, np.zeros(MOST_TURNS - len(turns))).astype(np.float32),
        np.asarray(len(turns), np.int32),
        turn_orders,
        num_turn_orders,
        rivers,
        river_times,
        num_rivers,
    )


def _cards(orders: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A card of each class that ``orders`` leave of those that are not ``known``, and how many cards it has."""
    free = np.setdiff1d(np.arange(NUM_CARDS), known)
    first = renamed_cards()[orders][:, free].min(axis=0)
    cards, times = np.unique(first, return_counts=True)
    return cards.astype(np.int32), times


def _padded(values: np.ndarray, size: int) -> np.ndarray:
    """``[size]`` int32: the values, then the first of them again."""
    return np.concatenate([values, np.repeat(values[:1], size - len(values))]).astype(np.int32)
