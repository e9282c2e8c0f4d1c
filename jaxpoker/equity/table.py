"""Who may hold what: the players' ranges without the hands that known cards block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.ranges import COMBOS


class Table(NamedTuple):
    """The players' ranges and the cards on the table."""

    weights: list[np.ndarray]  # per player [1326], 0 where blocked
    is_random: list[bool]  # per player: were all weights the same before cards blocked some?
    board: list[int]
    dead: list[int]

    @property
    def missing(self) -> int:
        """Cards that are still to come."""
        return 5 - len(self.board)

    def combos(self, player: int) -> np.ndarray:
        """Numbers of the combos that the player may hold."""
        return np.flatnonzero(self.weights[player])

    @property
    def sizes(self) -> list[int]:
        """How many combos each player may hold."""
        return [self.combos(i).size for i in range(len(self.weights))]


def set_table(players: Sequence[str | np.ndarray], board: list[int], dead: list[int]) -> Table:
    """The players' weights without the combos that known cards block: board, dead cards and others' only hands."""
    known = sorted({*board, *dead})
    weights, is_random = [], []
    for number, player in enumerate(players, 1):
        named = ranges.as_weights(player)
        free = _without(named, known)
        if not free.any():
            shown = repr(player) if isinstance(player, str) else f"the range of player {number}"
            why = f"{cards.text(known)} on the board or dead" if named.any() else "all its weights are 0"
            raise ValueError(f"no hand of {shown} is left: {why}")
        weights.append(free)
        is_random.append(bool(np.all(named == named[0])))
    settled: set[int] = set()
    while fresh := [i for i, w in enumerate(weights) if np.count_nonzero(w) == 1 and i not in settled]:
        one = fresh[0]
        settled.add(one)
        only = COMBOS[np.flatnonzero(weights[one])[0]].tolist()
        for i, w in enumerate(weights):
            if i != one:
                weights[i] = _without(w, only)
                if not weights[i].any():
                    raise ValueError(
                        f"players {one + 1} and {i + 1} cannot both be dealt in: {cards.text(only)} is taken"
                    )
    return Table(weights, is_random, board, dead)


def _without(weights: np.ndarray, ids: list[int]) -> np.ndarray:
    """Weights [1326], 0 where a combo has one of the cards."""
    return np.where(np.isin(COMBOS, ids).any(axis=1), 0, weights)
