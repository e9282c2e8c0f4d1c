"""The player of a solved spot: at the spot's own table it does what was solved, in either seat.

    game = table.table_of(solved)
    match.play(game, [player.entrant(solved), players.make("random", game)], key)

It plays at the table of its spot and at no other game: there it is refused. With a hand that it never brings to a
decision, which happens only when somebody else has played for it, it checks or calls.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.games import bets
from jaxpoker.players import Entrant, Player, from_policy
from jaxpoker.solvers.spots.table import SpotTable, State
from jaxpoker.solvers.subgame import Solved
from jaxpoker.solvers.tree import NONE

Array = jax.Array


class Params(NamedTuple):
    """The solved strategies; H hands that either player may hold, and one row more that is 0."""

    first: Array  # [decisions of the spot's street, H + 1, actions]
    later: Array  # [52 river cards, decisions of the river after a turn, H + 1, actions]; [1, 1, ...] for a river
    row: Array  # [nodes] int32: a decision's place among those of its street
    is_later: Array  # [nodes] bool
    hand: Array  # [1326] int32: a combo's place among the H


def entrant(solved: Solved, name: str = "spot") -> Entrant:
    """The player of ``solved`` with its params."""
    return Entrant(_player(name), params_of(solved))


@functools.cache
def _player(name: str) -> Player:
    """The same one every time, so that nothing compiles twice."""
    return from_policy(name, _policy)


def params_of(solved: Solved) -> Params:
    """Every decision of ``solved`` as tables."""
    tree, spot = solved.tree, solved.spot
    live = np.flatnonzero(spot.ranges.any(axis=0))
    hand = np.full(ranges.NUM_COMBOS, len(live), np.int32)
    hand[live] = np.arange(len(live))
    row, is_later = np.full(tree.num_nodes, NONE, np.int32), tree.street > spot.street
    groups = [tree.decisions(street=street) for street in (spot.street, spot.street + 1)]
    for nodes in groups:
        row[nodes] = np.arange(len(nodes))

    def filled(nodes: np.ndarray, card: str) -> np.ndarray:
        table = np.zeros((max(len(nodes), 1), len(live) + 1, tree.num_actions), np.float32)
        for i, node in enumerate(nodes.tolist()):
            slots = np.flatnonzero(tree.legal(node))
            table[i, :-1, slots] = solved.node(node, card).strategy[:, live]
        return table

    later = np.zeros((1, 1, len(live) + 1, tree.num_actions), np.float32)
    if len(groups[1]):
        later = np.zeros((cards.NUM_CARDS, len(groups[1]), *later.shape[2:]), np.float32)
        for card in set(range(cards.NUM_CARDS)) - set(spot.board):
            later[card] = filled(groups[1], cards.text(card))
    arrays = (filled(groups[0], ""), later, row, is_later, hand)
    return Params(*(jnp.asarray(array) for array in arrays))


def _policy(params: Params, memory: Any, game: SpotTable, state: State) -> tuple[Array, Any]:
    if not isinstance(game, SpotTable) or params.row.shape != (game.tree.num_nodes,):
        raise ValueError(f"a solved spot plays at its own table, not at {game.name}")
    seat, node = state.current_player, state.node
    hand, row = params.hand[state.deal.hands[seat]], jnp.maximum(params.row[node], 0)
    river = jnp.clip(game.river_card(state), 0, len(params.later) - 1)
    now = params.first[jnp.minimum(row, len(params.first) - 1), hand]
    after = params.later[river, jnp.minimum(row, params.later.shape[1] - 1), hand]
    mix = jnp.where(params.is_later[node], after, now)
    calls = (jnp.arange(game.num_actions) == bets.CALL).astype(jnp.float32)
    return jnp.where(mix.sum() > 0, mix, calls), memory
