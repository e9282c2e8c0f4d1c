"""What every history of a small game is worth, both hands known, when both players' strategies are: exact values for
AIVAT (``jaxpoker.aivat``).

    value of an end       what it pays seat 0
    ... of a decision     sum over actions a: strategy(a | own hand, board, betting) value after a
    ... of a deal         mean over the boards that may follow, given both hands
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.aivat import Values, enumerated
from jaxpoker.games.deals import Deals
from jaxpoker.games.protocols import InfosetGame
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import CHANCE, END, NONE

Array = jax.Array


def aivat_values(game: ExactGame, first: Array, second: Array) -> Values:
    """The exact ``Values`` when seat 0 plays the strategy table ``first`` ``[rows, actions]`` and seat 1 ``second``."""
    game.require_two_players("a table of joint values")
    if not isinstance(game.game, InfosetGame):
        raise ValueError(f"{game.game.name} has no infoset_index: see games/protocols.py")
    return enumerated("exact", _look_up, jnp.asarray(by_row(game, first, second), jnp.float32))


def _look_up(table: Array, game: Any, state: Any) -> Array:
    seat = state.current_player
    return table[game.infoset_index(state, seat), game.hand_index(state, 1 - seat)]


def by_row(game: ExactGame, first: Array, second: Array) -> np.ndarray:
    """``[rows, hands]`` float64: what seat 0 may expect where the player of a row is to act and the other holds each of
    the hands; 0 for what cannot be.
    """
    table = np.zeros((game.num_rows, game.num_hands))
    for (seat, node), values in _at_decisions(game, first, second).items():
        of_actor = values if seat == 0 else values.transpose(0, 2, 1)  # [B, own hand, other's]
        rows = _rows(game, seat)[node]
        real = rows != NONE
        table[rows[real]] = of_actor.reshape(-1, game.num_hands)[real]
    return table


def _rows(game: ExactGame, seat: int) -> dict[int, np.ndarray]:
    """By decision ``[columns]``: the row of each board and hand of ``seat``, NONE for what cannot be."""
    found, slot = {}, 0
    for node in game.sides[seat].nodes.tolist():
        columns = game.deals.streets[int(game.tree.street[node])].columns
        found[node] = game.sides[seat].row_of_slot[slot : slot + columns]
        slot += columns
    return found


def _at_decisions(game: ExactGame, first: Array, second: Array) -> dict[tuple[int, int], np.ndarray]:
    """``[B, H, H]`` by seat to act and node: what seat 0 may expect, by board and both hands."""
    assert isinstance(game.deals, Deals)
    tree, streets, tables = game.tree, game.deals.streets, [np.asarray(t, np.float64) for t in (first, second)]
    rows = [_rows(game, seat) for seat in PLAYERS]
    values: dict[int, np.ndarray] = {}
    decisions = {}
    pays = tree.payoffs_of(0)
    for node in reversed(range(tree.num_nodes)):
        deals = streets[int(tree.street[node])]
        possible = np.where(deals.prior > 0, deals.prior, 1)
        children = [(action, child) for action, child in enumerate(tree.children[node].tolist()) if child >= 0]
        if tree.kind[node] == END:
            outcomes = (deals.win, deals.tie, deals.lose)
            values[node] = sum(one * pay for one, pay in zip(outcomes, pays[node], strict=True)) / possible
        elif tree.kind[node] == CHANCE:
            ((_, child),) = children
            later = streets[int(tree.street[child])]
            total = np.zeros_like(deals.prior)
            np.add.at(total, later.from_board, later.prior * values[child])
            values[node] = total / possible
        else:
            seat = int(tree.player[node])
            own = rows[seat][node]
            mix = np.where((own == NONE)[:, None], 0, tables[seat][np.maximum(own, 0)])  # [columns, actions]
            mix = mix.reshape(len(deals.boards), game.num_hands, -1)
            mix = mix[:, :, None] if seat == 0 else mix[:, None]  # [B, H, H, actions]
            values[node] = sum(mix[..., action] * values[child] for action, child in children)
            decisions[seat, node] = values[node]
    return decisions
