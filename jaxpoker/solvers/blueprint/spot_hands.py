"""What hands do in a spot of a blueprint, found on any betting tree: a line is said in big blinds and parts of the pot.

    spot = spot_hands.find(solved, ["raise 2.5", "call", "check", "bet 50"], "Qh7h2c")
    spot.folds("KsQd")                 # None, if the tree has no such line

Each raise or bet is the nearest size that the tree has there, all-in only where there is no other. Sizes before the
flop are big blinds; after it they are percents of the pot.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from jaxpoker.games import bets
from jaxpoker.solvers.blueprint.blueprint import Blueprint
from jaxpoker.solvers.blueprint.charts import situation
from jaxpoker.solvers.tree import DECISION, NONE, Tree
from jaxpoker.solvers.tree.chips import chips_at


@dataclasses.dataclass(frozen=True)
class Spot:
    """A decision and the board there."""

    blueprint: Blueprint
    node: int
    board: str

    @property
    def text(self) -> str:
        """ "BTN raises to 25, BB calls 15 | BB checks on Qh7h2c"."""
        said = situation(self.blueprint.tree, self.node)
        return f"{said} on {self.board}" if self.board else said

    def mix(self, hand: str) -> np.ndarray:
        """``[actions]``: what the hand does."""
        of_hand: np.ndarray = self.blueprint.at(self.node)[self.blueprint.bucket(hand, self.board)]
        return of_hand

    def folds(self, hand: str) -> float:
        return float(self.mix(hand)[bets.FOLD])

    def bets(self, hand: str) -> float:
        """How often the hand bets or raises, all-in included."""
        return float(self.mix(hand)[bets.FIRST_SIZE :].sum())


def find(blueprint: Blueprint, line: Sequence[str], board: str = "") -> Spot | None:
    """The decision after ``line``, a list of "check", "call", "raise 2.5" and "bet 50"; None where there is none."""
    tree, node = blueprint.tree, 0
    following = tree.following()
    for move in line:
        action = _action_of(tree, node, move)
        node = NONE if action is None else int(following[node, action])
        if node < 0 or tree.kind[node] != DECISION:
            return None
    return Spot(blueprint, node, board)


def _action_of(tree: Tree, node: int, move: str) -> int | None:
    """The legal action that ``move`` says, or None."""
    word, _, size = move.partition(" ")
    chips, seat = chips_at(tree), int(tree.player[node])
    price, own = int(chips.price[node]), int(chips.bets[node, seat])
    if word in ("check", "call"):
        return bets.CALL if (word == "check") == (price == own) else None
    legal = np.flatnonzero(tree.legal(node))
    raises = [action for action in legal.tolist() if action >= bets.FIRST_SIZE]
    smaller = [action for action in raises if tree.to[node, action] - price < int(chips.behind[node])]
    if not raises or (word == "bet") != (price == 0):
        return None
    if tree.street[node] == 0:
        wanted = float(size) * tree.game.big_blind  # type: ignore[attr-defined]  # hold'em has one
    else:
        wanted = price + float(size) / 100 * (int(chips.pot[node]) + price - own)
    return min(smaller or raises, key=lambda action: abs(int(tree.to[node, action]) - wanted))
