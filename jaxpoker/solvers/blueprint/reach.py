"""How often a decision of a blueprint is reached: by chance and by both players' play.

    found = reach.of(solved, node, "Qh7h2c")
    found.hands                          # 0.019: of all hands on this board, all pairs of hands alike
    found.with_hand("AhKh")              # 0.031: when the player to act holds these two cards

A deal comes to a decision with the product of the probabilities of all actions on the way, each by the bucket that its
player holds there:

    reach(hand, other) = own(hand) other(other),    own = the product of strategy(bucket, action) over own decisions

Its mean over all pairs of hands with no card in common, and none of the board, is exact on a given board and before the
flop. Without a board it is the mean over boards that are drawn.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.solvers.abstraction import OPEN_CARDS, CardAbstraction
from jaxpoker.solvers.blueprint.blueprint import Blueprint

Array = jax.Array

BOARDS = 128  # drawn where no board is given
KEY = 0x72656163  # of those boards


class Reached(NamedTuple):
    """How often, as parts of 1."""

    hands: float  # of all hands
    ci95: float  # half the 95% interval of that; 0 where it is exact
    of_combo: np.ndarray  # [1326]: with each combo of the player to act; 0 where the board has a card of it
    live: np.ndarray  # [1326] bool: combos without a card of the board; nan and False where boards were drawn

    def with_hand(self, hole: str | Sequence[int]) -> float:
        """When the player to act holds ``hole``."""
        one, other = cards.parse(hole).tolist() if isinstance(hole, str) else hole
        return float(self.of_combo[ranges.combo_index(one, other)])

    def among(self, combos: np.ndarray) -> float:
        """When the player to act holds one of the ``combos`` ``[1326]`` bool, each as likely as another."""
        return float(self.of_combo[combos & self.live].mean())


def of(blueprint: Blueprint, node: int, board: str | Sequence[int] = "") -> Reached:
    """How often decision ``node`` is reached, on a ``board`` or, after the flop, on boards that are drawn."""
    opened = cards.parse(board).tolist() if isinstance(board, str) else list(board)
    street = int(blueprint.tree.street[node])
    if opened and len(opened) != OPEN_CARDS[street]:
        raise ValueError(f"a board of {len(opened)} cards: at this decision there are {OPEN_CARDS[street]}")
    if opened or street == 0:
        buckets = np.asarray(_buckets(blueprint.abstraction, blueprint.abstraction.tables, _whole(opened)))
        return _on_board(blueprint, node, buckets, opened)
    tables = blueprint.abstraction.tables
    boards = np.asarray(blueprint.abstraction.sample_boards(tables, jax.random.key(KEY), BOARDS))
    found = [
        _on_board(blueprint, node, np.asarray(buckets), dealt).hands
        for buckets, dealt in zip(
            _of_boards(blueprint.abstraction, tables, boards), boards[:, : OPEN_CARDS[street]], strict=True
        )
    ]
    unknown = np.full(ranges.NUM_COMBOS, np.nan)
    ci95 = 1.96 * float(np.std(found, ddof=1)) / len(found) ** 0.5
    return Reached(float(np.mean(found)), ci95, unknown, np.zeros(ranges.NUM_COMBOS, bool))


def _whole(opened: Sequence[int]) -> np.ndarray:
    board = np.full(5, cards.NO_CARD, np.int32)
    board[: len(opened)] = opened
    return board


def _on_board(blueprint: Blueprint, node: int, buckets: np.ndarray, opened: Sequence[int] | np.ndarray) -> Reached:
    """With the ``buckets`` ``[4, 1326]`` of a board, whose cards at ``node`` are ``opened``."""
    live = np.asarray(~np.isin(ranges.COMBOS, opened).any(axis=1))
    tree, player = blueprint.tree, int(blueprint.tree.player[node])
    own, other = live.astype(np.float64), live.astype(np.float64)
    for here, after in itertools.pairwise(tree.path(node)):
        action = int(tree.action[after])
        if action < 0:  # cards are dealt
            continue
        taken = blueprint.at(here)[buckets[int(tree.street[here])], action]
        if tree.player[here] == player:
            own = own * taken
        else:
            other = other * taken
    met, possible = own * _of_others(other), live * _of_others(live.astype(np.float64))
    of_combo = np.where(live, met / np.where(possible > 0, possible, 1), 0)
    return Reached(float(met.sum() / possible.sum()), 0.0, of_combo, live)


def _of_others(weights: np.ndarray) -> np.ndarray:
    """``[1326]``: the sum of ``weights`` ``[1326]`` of the combos that have no card in common with each combo."""
    of_card = np.bincount(ranges.COMBOS.reshape(-1), np.repeat(weights, 2), cards.NUM_CARDS)
    sums: np.ndarray = weights.sum() - of_card[ranges.COMBOS].sum(axis=1) + weights
    return sums


@functools.partial(jax.jit, static_argnums=0)
def _buckets(abstraction: CardAbstraction, tables: Any, board: Array) -> Array:
    """``[4, 1326]``: the buckets of all combos on the streets of a ``board`` ``[5]``; of streets to come, any."""

    def on_street(street: Array) -> Array:
        return jax.vmap(lambda hole: abstraction.of_hand(tables, hole, board, street))(jnp.asarray(ranges.COMBOS))

    return jax.lax.map(on_street, jnp.arange(len(OPEN_CARDS)))


@functools.partial(jax.jit, static_argnums=0)
def _of_boards(abstraction: CardAbstraction, tables: Any, boards: Array) -> Array:
    """``[n, 4, 1326]``: likewise on boards ``[n, 5]``."""
    return jax.lax.map(lambda board: abstraction.of_board(tables, board), boards)
