"""From a line of the blueprint to a spot: pot, stacks, and what both players hold after that betting.

    spot = from_blueprint(blueprint.load_shipped(), "r25c/cr33%c/", "Ks 7h 3d 9h", menu="66%, a")

A player's weight of a hand is the probability that its strategy takes all its actions of the line with that hand
(Bayes with all hands equally likely before the cards are dealt). The buckets are those of the hand on the board of each
street; hands that the board blocks are out. The largest weight of a range is 1. Chips are the blueprint's.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.solvers.abstraction import OPEN_CARDS, CardAbstraction
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.tree import DECISION, lines
from jaxpoker.solvers.tree.chips import chips_at

BUTTON, BIG_BLIND = 0, 1  # seats of the blueprint: after the flop the big blind is out of position


def from_blueprint(solved: Blueprint, line: str, board: str, menu: Any, **more: Any) -> Spot:
    """The spot after a betting line of ``tree/lines.py`` on ``board``; ``more`` are other fields of ``Spot``."""
    opened = cards.parse(board) if isinstance(board, str) else np.asarray(board, np.int32)
    tree, node = solved.tree, lines.node_of(solved.tree, line)
    street = int(tree.street[node])
    if not OPEN_CARDS[street]:
        raise ValueError(f"after {line!r} the hand is on the {STREETS[street]}: a spot begins on a later street")
    if len(opened) != OPEN_CARDS[street]:
        raise ValueError(
            f"after {line!r} the hand is on the {STREETS[street]}: the board has {OPEN_CARDS[street]} cards, "
            f"not {len(opened)}"
        )
    held = _ranges(solved, node, opened)
    for seat, name in ((BIG_BLIND, "big blind"), (BUTTON, "button")):
        if not held[seat].any():
            raise ValueError(f"the blueprint's {name} never plays {line!r} on {cards.text(opened)} with any hand")
    chips = chips_at(tree)
    before, made = chips.before[node], chips.bets[node]
    assert tree.stakes is not None
    behind = tree.stakes.starting - before - made
    oop_first = [BIG_BLIND, BUTTON]
    return Spot(
        board=opened.tolist(),
        pot=float(before.sum()),
        stacks=tuple(float(behind[seat]) for seat in oop_first),
        bets=tuple(float(made[seat]) for seat in oop_first),
        to_act=oop_first.index(int(tree.player[node])),
        oop=held[BIG_BLIND],
        ip=held[BUTTON],
        menu=menu,
        **more,
    )


def _ranges(solved: Blueprint, node: int, board: np.ndarray) -> np.ndarray:
    """``[2, 1326]`` float32 by seat: the weight of each hand after the line to ``node``."""
    tree = solved.tree
    buckets = _buckets(solved.abstraction, board)
    live = ~np.isin(ranges.COMBOS, board).any(axis=1)
    weights = np.tile(live.astype(np.float64), (2, 1))
    for here, after in itertools.pairwise(tree.path(node)):
        if tree.kind[here] == DECISION:
            played = solved.at(here)[:, tree.action[after]]
            weights[tree.player[here]] *= played[buckets[tree.street[here]]]
    most = weights.max(axis=1, keepdims=True)
    return (weights / np.where(most > 0, most, 1)).astype(np.float32)


def _buckets(abstraction: CardAbstraction, board: np.ndarray) -> np.ndarray:
    """``[4, 1326]``: by street; those of streets after the board mean nothing."""
    cards.require_distinct(board=board)
    free = [card for card in range(cards.NUM_CARDS) if card not in board]
    whole = np.array([*board.tolist(), *free][:5], np.int32)
    return np.asarray(_of_board(abstraction, abstraction.tables, whole))


@functools.partial(jax.jit, static_argnums=0)
def _of_board(abstraction: CardAbstraction, tables: Any, board: Any) -> jax.Array:
    return abstraction.of_board(tables, board)
