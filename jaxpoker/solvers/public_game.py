"""A two-player game as a solver sees it: a betting tree, the deals, and tables of where everything is.

A player's information sets are its decisions times the columns (boards times hands) of their street, one *slot* each,
decision after decision. A strategy of one player is an array ``[actions, slots]``; for everybody else it is a table
``[rows, actions]`` for both players, a row being an information set in the game's own order
(``game.infoset_index``; in hold'em decision * 169 + class of hand).

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
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc
from jaxpoker.solvers import deals as all_deals
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.deals import Deals
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE, Tree

Array = jax.Array
Choose = Callable[[Array, slice], Array]  # values [actions, slots] of the actions at some slots -> [slots]

PLAYERS = (0, 1)


class EndGroup(NamedTuple):
    """Ends of one street whose payoffs are one matrix times a factor each: all folds, say, or all showdowns."""

    street: int
    ends: np.ndarray  # [t] nodes
    factor: np.ndarray  # [t] float64
    payoff: np.ndarray  # [boards, hands, hands] float64: prior times payoff of seat 0, with its hand first


class Gather(NamedTuple):
    """Rows of an array of values that belong to each action of each decision of a level."""

    source: tuple[int, ...]  # which array: (END, group), (CHANCE, street) or (DECISION, street, turn)
    rows: np.ndarray  # [j, actions, n] int32, or [j, n] into a chance node
    counts: np.ndarray  # the same shape, bool: False where there is no such row


class Level(NamedTuple):
    """All decisions of one player on one turn of one street."""

    street: int
    turn: int
    nodes: np.ndarray  # [n]
    slots: slice
    gathers: tuple[Gather, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Side:
    """The tables of one player."""

    player: int
    nodes: np.ndarray  # [n] its decisions, in order
    num_slots: int
    legal: np.ndarray  # [actions, slots] bool
    row_of_slot: np.ndarray  # [slots] int32 into a strategy table; NONE for a hand that the board rules out
    own_path: np.ndarray  # [k, slots] int32: own actions before each slot, into the flat strategy and a final 1
    end_paths: tuple[np.ndarray, ...]  # per group of ends [k, t, columns] int32, likewise
    levels: tuple[Level, ...]  # last street first, last turn first
    chance: dict[int, tuple[Gather, ...]]  # per street that a chance node ends: what follows, rows [j, n]
    root: tuple[Gather, ...]  # the player's first decisions and the ends before them, rows [j, 1]


@dataclasses.dataclass(frozen=True, eq=False)
class PublicGame:
    """See the module's docstring; ``of(game)`` makes one."""

    game: core.Game
    tree: Tree
    deals: Deals
    num_rows: int
    row_names: Callable[[int], str]
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

    def of_player(self, player: int, table: Array) -> Array:
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
        values: dict[tuple[int, ...], Array] = {}  # [rows, columns] each
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


def _path_product(strategy: Array, path: np.ndarray) -> Array:
    """Products of the strategy's entries along paths ``[k, ...]``; index actions * slots stands for 1."""
    flat = jnp.concatenate([strategy.reshape(-1), jnp.ones(1, strategy.dtype)])
    return functools.reduce(jnp.multiply, (flat[step] for step in path), jnp.ones((), strategy.dtype))


def _end_values(group: EndGroup, player: int, reach: Array) -> Array:
    """``[t, columns]``: what the ends are worth to ``player``'s hands when the other gets there with ``reach``."""
    boards, hands, _ = group.payoff.shape
    payoff = group.payoff if player == 0 else -group.payoff.swapaxes(1, 2)
    by_board = reach.reshape(-1, boards, hands)
    precision = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits
    worth = jnp.einsum("tbj,bij->tbi", by_board, jnp.asarray(payoff, reach.dtype), precision=precision)
    return (worth * jnp.asarray(group.factor, reach.dtype)[:, None, None]).reshape(reach.shape)


def _gather(gathers: tuple[Gather, ...], values: dict[tuple[int, ...], Array]) -> Array:
    """Sums of the rows that belong together: ``[..., columns]``."""
    total: Array | float = 0.0
    for source, rows, counts in gathers:
        found = values[source]
        for which, counted in zip(rows, counts, strict=True):
            row = found[which]
            total = total + (row if counted.all() else jnp.where(counted[..., None], row, 0))
    assert isinstance(total, jax.Array)
    return total


# --- making the tables ------------------------------------------------------------------------


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
    groups = tuple(_groups(tree, deals))
    rows, num_rows, row_names = _numbered(game, tree, deals)
    sides = tuple(_side(player, tree, deals, groups, rows) for player in PLAYERS)
    return PublicGame(game, tree, deals, num_rows, row_names, groups, (sides[0], sides[1]))


def _groups(tree: Tree, deals: Deals) -> list[EndGroup]:
    """The ends of each street, grouped by what they pay for a win, a tie and a loss, up to a factor."""
    groups = []
    for s, street in enumerate(deals.streets[: tree.num_streets]):
        ends = tree.ends(s)
        factor = np.abs(tree.payoffs[ends]).max(axis=1).astype(np.float64)
        factor = np.where(factor > 0, factor, 1.0) * np.where(tree.payoffs[ends, 0] < 0, -1, 1)
        shape = np.round(tree.payoffs[ends] / factor[:, None], 7) + 0.0
        for pays in np.unique(shape, axis=0):
            mine = (shape == pays).all(axis=1)
            payoff = pays[0] * street.win + pays[1] * street.tie + pays[2] * street.lose
            groups.append(EndGroup(s, ends[mine], factor[mine], payoff))
    return groups


def _numbered(game: core.Game, tree: Tree, deals: Deals) -> tuple[dict[int, np.ndarray], int, Callable[[int], str]]:
    """Rows ``[columns]`` of each decision (NONE for a hand that the board rules out), how many, and their names."""
    if isinstance(game, Kuhn | Leduc):
        rows = {}
        for player in PLAYERS:
            examples, column = deals.examples[player]
            nodes = tree.decisions(player)
            index = np.asarray(_infosets(game, tree.paths(nodes), examples, player))  # [n, examples]
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
def _infosets(game: Kuhn | Leduc, paths: np.ndarray, deals: Any, player: int) -> Array:
    """``[n, examples]``: the game's number of each information set, at the end of ``paths`` ``[n, length]``."""

    def at(path: Array, deal: Any) -> Array:
        return game.infoset_index(trees.replay(game, path, deal), player)

    return jax.vmap(jax.vmap(at, in_axes=(None, 0)), in_axes=(0, None))(paths, deals)


def _side(player: int, tree: Tree, deals: Deals, groups: tuple[EndGroup, ...], rows: dict[int, np.ndarray]) -> Side:
    nodes = tree.decisions(player)
    widths = np.array([deals.streets[s].columns for s in tree.street[nodes]], np.int32)
    first_slot = np.cumsum(widths) - widths
    num_slots = int(widths.sum())
    slots = {int(n): slice(int(at), int(at + width)) for n, at, width in zip(nodes, first_slot, widths, strict=True)}
    nothing = tree.num_actions * num_slots  # the index of the final 1

    def path(node: int) -> list[np.ndarray]:
        """Own actions before ``node``, each as indices [columns] into the flat strategy."""
        return [
            tree.action[child] * num_slots + slots[at].start + deals.columns_before(int(tree.street[node]), int(tree.street[at]))
            for at, child in itertools.pairwise(tree.path(node))
            if tree.player[at] == player
        ]

    def paths(ends: np.ndarray, columns: int) -> np.ndarray:
        each = [path(int(end)) for end in ends]
        table = np.full((max(map(len, each)), len(ends), columns), nothing, np.int32)
        for e, steps in enumerate(each):
            for k, step in enumerate(steps):
                table[k, e] = step
        return table

    own = [path(int(node)) for node in nodes]
    own_path = np.full((max(map(len, own), default=0), num_slots), nothing, np.int32)
    for node, steps in zip(nodes.tolist(), own, strict=True):
        for k, step in enumerate(steps):
            own_path[k, slots[node]] = step

    legal = np.zeros((tree.num_actions, num_slots), bool)
    row_of_slot = np.full(num_slots, NONE, np.int32)
    for node in nodes.tolist():
        legal[:, slots[node]] = tree.legal(node)[:, None]
        row_of_slot[slots[node]] = rows[node]

    where = _places(player, tree, groups)  # of every node's values: source and row
    keys = sorted({(int(tree.street[n]), int(tree.turn[n])) for n in nodes}, reverse=True)
    levels = []
    for street, turn in keys:
        here = nodes[(tree.street[nodes] == street) & (tree.turn[nodes] == turn)]
        following = [[_following(player, tree, int(tree.children[n, a])) for n in here] for a in range(tree.num_actions)]
        span = slice(slots[int(here[0])].start, slots[int(here[-1])].stop)
        levels.append(Level(street, turn, here, span, _gathers(following, where)))
    chance = {}
    for street in range(tree.num_streets - 1):
        starts = tree.children[(tree.kind == CHANCE) & (tree.street == street), 0]
        chance[street] = _gathers([_following(player, tree, int(n)) for n in starts], where)
    return Side(
        player=player,
        nodes=nodes,
        num_slots=num_slots,
        legal=legal,
        row_of_slot=row_of_slot,
        own_path=own_path,
        end_paths=tuple(paths(group.ends, deals.streets[group.street].columns) for group in groups),
        levels=tuple(levels),
        chance=chance,
        root=_gathers([_following(player, tree, 0)], where),
    )


def _places(player: int, tree: Tree, groups: tuple[EndGroup, ...]) -> dict[int, tuple[tuple[int, ...], int]]:
    """Where a sweep keeps the value of each node: the array's name and the row in it."""
    sources: dict[tuple[int, ...], np.ndarray] = {(END, g): group.ends for g, group in enumerate(groups)}
    for street in range(tree.num_streets):
        on_street = tree.street == street
        sources[CHANCE, street] = np.nonzero((tree.kind == CHANCE) & on_street)[0]
        mine = tree.decisions(player)
        mine = mine[tree.street[mine] == street]
        for turn in np.unique(tree.turn[mine]).tolist():
            sources[DECISION, street, turn] = mine[tree.turn[mine] == turn]
    return {int(node): (source, row) for source, nodes in sources.items() for row, node in enumerate(nodes)}


def _following(player: int, tree: Tree, node: int) -> list[int]:
    """The first nodes from ``node`` on, itself included, that are no decision of the other player."""
    if node == NONE:
        return []
    if tree.kind[node] != DECISION or tree.player[node] == player:
        return [node]
    return [found for child in tree.children[node] for found in _following(player, tree, int(child))]


def _gathers(following: list[Any], where: dict[int, tuple[tuple[int, ...], int]]) -> tuple[Gather, ...]:
    """How to add up the values of the nodes in ``following``, a list (or list of lists) of lists of nodes."""
    nested = np.empty(_shape(following), object)
    for place in np.ndindex(nested.shape):
        cell = following
        for i in place:
            cell = cell[i]
        nested[place] = [where[node] for node in cell]
    gathers = []
    for source in dict.fromkeys(source for cell in nested.flat for source, _ in cell):
        found = [[row for name, row in cell if name == source] for cell in nested.flat]
        rows = np.zeros((max(map(len, found)), nested.size), np.int32)
        counts = np.zeros(rows.shape, bool)
        for cell, these in enumerate(found):
            rows[: len(these), cell], counts[: len(these), cell] = these, True
        gathers.append(Gather(source, rows.reshape(-1, *nested.shape), counts.reshape(-1, *nested.shape)))
    return tuple(gathers)


def _shape(following: list[Any]) -> tuple[int, ...]:
    two_deep = isinstance(following[0], list) and following[0] and isinstance(following[0][0], list)
    return (len(following), len(following[0])) if two_deep else (len(following),)
