"""A two-player game as a solver sees it: a betting tree, the deals, and tables of where everything is.

A strategy is a table ``[rows, actions]`` for both players, a row being an information set in the game's own order:
``game.infoset_index`` in Kuhn and Leduc, decision * 169 + class of hand in hold'em. A solver keeps one player's part of
it as ``[actions, slots]`` (see ``solvers/exact/layout.py``).

The two halves of every solver are here. ``reach_ends``: how likely a player's own actions make each end of the game, a
product along the path. ``sweep``: values of all information sets of the other player from these, backwards level by
level; what makes a solver of it is ``choose``, how the value of a decision follows from those of its actions: the
mean under a strategy, or the best.

    value of an end for hand i of the sweeping player = sum over hands j of the other: payoff[i, j] prior[i, j] reach[j]

As prior and reach are weights, the values are counterfactual: sums over deals, to be added up and never divided.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.exact import deals as all_deals
from jaxpoker.solvers.exact import layout
from jaxpoker.solvers.exact.deals import Deals
from jaxpoker.solvers.exact.layout import EndGroup, Gather, Side, Source
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE, Tree

Array = jax.Array
Choose = Callable[[Array, slice], Array]  # values [actions, slots] of the actions at some slots -> [slots]

PLAYERS = (0, 1)


@dataclasses.dataclass(frozen=True, eq=False)
class PublicGame:
    """See the module's docstring; ``of(game)`` makes one."""

    game: core.Game
    tree: Tree
    deals: Deals
    num_rows: int
    row_text: Callable[[int], str]
    groups: tuple[EndGroup, ...]
    sides: tuple[Side, Side]

    @property
    def num_actions(self) -> int:
        return self.tree.num_actions

    @property
    def num_hands(self) -> int:
        return len(self.deals.hands)

    # --- strategies -----------------------------------------------------------------------------

    def uniform(self) -> np.ndarray:
        """``[rows, actions]`` float32: all legal actions equally likely."""
        legal = self.legal_rows()
        return (legal / legal.sum(axis=1, keepdims=True)).astype(np.float32)

    def legal_rows(self) -> np.ndarray:
        """``[rows, actions]`` bool."""
        legal = np.zeros((self.num_rows, self.num_actions), bool)
        for side in self.sides:
            real = side.row_of_slot != NONE
            legal[side.row_of_slot[real]] = side.legal[:, real].T
        return legal

    def part(self, player: int, table: Array) -> Array:
        """A player's part ``[actions, slots]`` of a strategy table ``[rows, actions]``."""
        side = self.sides[player]
        even = side.legal / side.legal.sum(axis=0)
        ruled_out = side.row_of_slot == NONE
        return jnp.where(ruled_out, jnp.asarray(even, table.dtype), table[np.maximum(side.row_of_slot, 0)].T)

    def table(self, strategies: tuple[Array, Array]) -> Array:
        """The strategy table ``[rows, actions]`` of both players' ``[actions, slots]``."""
        table = jnp.zeros((self.num_rows, self.num_actions), strategies[0].dtype)
        for side, strategy in zip(self.sides, strategies, strict=True):
            real = np.nonzero(side.row_of_slot != NONE)[0]
            table = table.at[side.row_of_slot[real]].set(strategy[:, real].T)
        return table

    # --- the two halves of a solver -------------------------------------------------------------

    def own_reach(self, player: int, strategy: Array) -> Array:
        """``[slots]``: how likely the player's own actions are to lead to each of its information sets."""
        return _path_product(strategy, self.sides[player].own_path)

    def reach_ends(self, player: int, strategy: Array) -> list[Array]:
        """Per group of ends ``[t, columns]``: how likely the player's own actions are to lead there."""
        return [_path_product(strategy, paths) for paths in self.sides[player].end_paths]

    def sweep(self, player: int, reach: list[Array], choose: Choose) -> tuple[Array, Array]:
        """What each action of ``player`` is worth ``[actions, slots]`` and the whole game ``[]``, when the other's
        actions lead to the ends as ``reach_ends`` says. Values of actions that are not legal are 0.
        """
        side = self.sides[player]
        values: dict[Source, Array] = {}  # [rows, columns] each
        for g, (group, weights) in enumerate(zip(self.groups, reach, strict=True)):
            values[END, g] = _end_values(group, player, weights)
        of_actions = [jnp.zeros((self.num_actions, 0), reach[0].dtype)]
        for street in reversed(range(self.tree.num_streets)):
            for level in side.levels:
                if level.street == street:
                    worth = _gather(level.gathers, values)  # [actions, n, columns]
                    of_actions.append(worth.reshape(len(worth), -1))
                    chosen = choose(of_actions[-1], level.slots)
                    values[DECISION, street, level.turn] = chosen.reshape(worth.shape[1:])
            if street:
                values[CHANCE, street - 1] = self._over_boards(street, _gather(side.chance[street - 1], values))
        return jnp.concatenate(of_actions[::-1], axis=1), _gather(side.root, values).sum()

    def _over_boards(self, street: int, values: Array) -> Array:
        """Values ``[n, columns]`` where ``street`` begins, summed over the boards that continue each one before."""
        from_board, before = self.deals.streets[street].from_board, len(self.deals.streets[street - 1].boards)
        by_board = values.reshape(-1, len(from_board), self.num_hands)
        sums = [by_board[:, from_board == board].sum(axis=1) for board in range(before)]
        return jnp.concatenate(sums, axis=1)


def mean_under(strategy: Array) -> Choose:
    """A decision is worth the mean of its actions under ``strategy`` ``[actions, slots]``."""
    return lambda values, slots: (values * strategy[:, slots]).sum(axis=0)


def best_of(legal: np.ndarray) -> Choose:
    """A decision is worth its best action among the ``legal`` ``[actions, slots]``."""
    return lambda values, slots: jnp.where(legal[:, slots], values, -jnp.inf).max(axis=0)


def _path_product(strategy: Array, path: np.ndarray) -> Array:
    """Products of the strategy's entries along paths ``[k, ...]``; index actions * slots stands for 1."""
    flat = jnp.concatenate([strategy.reshape(-1), jnp.ones(1, strategy.dtype)])
    return flat[path].prod(axis=0)


def _end_values(group: EndGroup, player: int, reach: Array) -> Array:
    """``[t, columns]``: what the ends are worth to ``player``'s hands when the other gets there with ``reach``."""
    boards, hands, _ = group.payoff.shape
    payoff = group.payoff if player == 0 else -group.payoff.swapaxes(1, 2)
    by_board = reach.reshape(-1, boards, hands)
    precision = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits
    worth = jnp.einsum("tbj,bij->tbi", by_board, jnp.asarray(payoff, reach.dtype), precision=precision)
    return (worth * jnp.asarray(group.factor, reach.dtype)[:, None, None]).reshape(reach.shape)


def _gather(gathers: tuple[Gather, ...], values: dict[Source, Array]) -> Array:
    """Sums of the rows that belong together: ``[..., columns]``."""
    total: Array | float = 0.0
    for source, rows in gathers:
        found = values[source]
        found = jnp.concatenate([found, jnp.zeros((1, found.shape[1]), found.dtype)])
        for these in rows:
            total = total + found[these]
    assert isinstance(total, jax.Array)
    return total


# --- making one ---------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def of(game: core.Game) -> PublicGame:
    """The tables of a game: Kuhn and Leduc for two, hold'em with a menu whose betting ends before the flop."""
    deals = all_deals.of(game)
    tree = trees.build(game)
    if tree.num_streets > len(deals.streets):
        raise ValueError(
            f"exact solving of {game.name} needs a menu whose betting ends before the flop, such as 'push/fold': "
            "this one goes on to later streets"
        )
    if tree.kind[0] == END:
        raise ValueError(f"nobody has a decision in this {game.name}: blinds and antes put the first player all-in")
    groups = tuple(layout.end_groups(tree, deals))
    rows, num_rows, row_text = _numbered(game, tree, deals)
    sides = tuple(layout.side_of(player, tree, deals, groups, rows) for player in PLAYERS)
    return PublicGame(game, tree, deals, num_rows, row_text, groups, (sides[0], sides[1]))


def _numbered(game: core.Game, tree: Tree, deals: Deals) -> tuple[dict[int, np.ndarray], int, Callable[[int], str]]:
    """Rows ``[columns]`` of each decision (NONE for a hand that the board rules out), how many, and their names."""
    if isinstance(game, Kuhn | Leduc):
        rows = {}
        for player in PLAYERS:
            examples, column = deals.examples[player]
            nodes = tree.decisions(player)
            index = np.asarray(_infosets(game, jnp.asarray(tree.paths(nodes)), examples, player))  # [n, examples]
            for node, found in zip(nodes.tolist(), index, strict=True):
                street = int(tree.street[node])
                rows[node] = np.full(deals.streets[street].columns, NONE)
                rows[node][deals.columns_before(len(deals.streets) - 1, street)[column]] = found
        return rows, game.num_infosets, game.infoset_text

    decisions, hands = tree.decisions(), len(deals.hands)

    def name(row: int) -> str:
        decision, hand = divmod(row, hands)
        return f"{deals.hands[hand]} | {tree.line_text(int(decisions[decision]))}".rstrip()

    rows = {int(node): i * hands + np.arange(hands) for i, node in enumerate(decisions)}
    return rows, len(decisions) * hands, name


@functools.partial(jax.jit, static_argnums=(0, 3))
def _infosets(game: Kuhn | Leduc, paths: Array, deals: Any, player: int) -> Array:
    """``[n, examples]``: the game's number of each information set, at the end of ``paths`` ``[n, length]``."""

    def at(path: Array, deal: Any) -> Array:
        return game.infoset_index(trees.replay(game, path, deal), player)

    return jax.vmap(jax.vmap(at, in_axes=(None, 0)), in_axes=(0, None))(paths, deals)
