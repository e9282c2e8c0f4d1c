"""A strategy table as a Player, and any Player as a strategy table.

A table ``[rows, actions]`` has the probabilities of all information sets (see ``solvers/exact/exact_game.py``).
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core, ranges
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.protocols import InfosetGame
from jaxpoker.players import Player, from_policy, on_menu, require_policy
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.tree import DECISION, Tree, replay
from jaxpoker.solvers.tree.translation import nearest_node

Array = jax.Array


@functools.lru_cache(maxsize=256)
def as_player(game: ExactGame, name: str = "solved") -> Player:
    """The player whose ``params`` are a strategy table of ``game``; it plays in ``match.play`` like any other.

    In hold'em it finds its place in the tree by the bets in big blinds, taking the nearest size where a bet is not on
    the tree; where it has no answer it takes any legal action.
    """
    if isinstance(game.game, InfosetGame):
        return from_policy(name, _table_policy)
    if isinstance(game.game, Holdem):
        return on_menu(from_policy(name, functools.partial(_holdem_policy, game.tree)), game.game.bet_menu)
    raise ValueError(f"a table plays {game.game.name} by its infoset_index, which it lacks: see games/protocols.py")


def _table_policy(table: Array, memory: Any, game: Any, state: Any) -> tuple[Array, Any]:
    return table[game.infoset_index(state, state.current_player)], memory


def _holdem_policy(tree: Tree, table: Array, memory: Any, game: Holdem, state: Any) -> tuple[Array, Any]:
    node = nearest_node(tree, state)
    decision = jnp.asarray(np.cumsum(tree.kind == DECISION) - 1)[node]
    hole = state.deal.hole[state.current_player]
    hand = jnp.asarray(ranges.CLASS_OF_COMBO)[ranges.combo_index(hole[0], hole[1])]
    found = jnp.asarray(tree.kind == DECISION)[node]
    legal = state.legal_action_mask
    wanted = jnp.where(legal & found, table[decision * ranges.NUM_CLASSES + hand], 0)
    total = wanted.sum()
    return jnp.where(total > 0, wanted / jnp.where(total > 0, total, 1), legal / legal.sum()), memory


def of_player(game: ExactGame, player: Player, params: Any = None) -> Array:
    """What ``player`` plays at each information set: a strategy table ``[rows, actions]``, float32.

    The player is shown real states of the game. One with a memory starts each hand with a fresh one and meets its own
    earlier decisions of the hand first. Where many combos are one hand of the tree (169 classes before the flop) the
    table has the mean over them.
    """
    require_policy(player)
    tree, last = game.tree, game.tree.num_streets - 1
    nodes = tree.decisions()
    deals = jax.tree.map(lambda *seats: jnp.stack(seats), *(examples for examples, _ in game.deals.examples))
    seats = jnp.asarray(tree.player[nodes], jnp.int32)
    played = np.asarray(_played(game.game, player, params, jnp.asarray(tree.paths(nodes)), seats, deals))
    table = np.zeros((game.num_rows, game.num_actions))
    times = np.zeros(game.num_rows)
    for seat in range(game.num_seats):
        side, (_, column) = game.sides[seat], game.deals.examples[seat]
        slot = 0
        for node in side.nodes.tolist():
            street = int(tree.street[node])
            rows = side.row_of_slot[slot + game.deals.columns_before(last, street)[column]]
            np.add.at(table, rows, played[np.searchsorted(nodes, node)])
            np.add.at(times, rows, 1)
            slot += game.deals.streets[street].columns
    return jnp.asarray(table / times[:, None], jnp.float32)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _played(game: core.Game, player: Player, params: Any, paths: Array, seats: Array, deals: Any) -> Array:
    """``[n, examples, actions]``: the player's probabilities at the end of each of ``paths`` ``[n, length]``, where
    ``seats`` ``[n]`` are to act, with each seat's own deals ``[seats, examples, ...]``.
    """
    policy = require_policy(player)

    def at(path: Array, seat: Array, deal: Any) -> Array:
        memory = player.new_hand(player.init_memory(params))
        if jax.tree.leaves(memory):
            for turn in range(len(path)):
                state = replay(game, path[:turn], deal)
                _, after = policy(params, memory, game, state)
                memory = core.select((path[turn] >= 0) & (state.current_player == seat), after, memory)
        probabilities, _ = policy(params, memory, game, replay(game, path, deal))
        if probabilities.shape != (game.num_actions,):
            raise ValueError(
                f"player {player.name!r} has {probabilities.shape[-1]} actions on its menu, {game.name} has "
                f"{game.num_actions}: give the game the player's menu"
            )
        return probabilities

    def with_deals(path: Array, seat: Array) -> Array:
        own = jax.tree.map(lambda x: x[seat], deals)  # [examples, ...]
        return jax.vmap(at, in_axes=(None, None, 0))(path, seat, own)

    return jax.vmap(with_deals)(paths, seats)
