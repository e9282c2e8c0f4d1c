"""Where everything of an exact game is: the index tables that sweeps over its tree read.

A player's information sets are its decisions times the columns (boards times hands) of their street, one *slot* each,
decision after decision. Values are kept in one array ``[rows, columns]`` for each group of ends, for the chance nodes
of each street and for each level of the player's own decisions; decisions of the other player need none, because the
other's strategy is in the weights of the ends already.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import NamedTuple

import numpy as np

from jaxpoker.games.deals import Deals
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE, Tree

Source = tuple[int, ...]  # an array of values in a sweep: (END, group), (CHANCE, street) or (DECISION, street, turn)


class EndGroup(NamedTuple):
    """Ends of one street whose payoffs are one matrix times a factor each: all folds, say, or all showdowns."""

    street: int
    ends: np.ndarray  # [t] nodes
    factor: np.ndarray  # [t] float64
    payoff: np.ndarray  # [boards, hands, hands] float64: prior times payoff of seat 0, with its hand first


class Gather(NamedTuple):
    """Rows of an array of values that belong to each action of each decision of a level."""

    source: Source
    rows: np.ndarray  # [j, actions, n] or, after a chance node or at the root, [j, n] int32; one past the end: nothing


class DecisionLevel(NamedTuple):
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
    levels: tuple[DecisionLevel, ...]  # last street first, last turn first
    chance: dict[int, tuple[Gather, ...]]  # per street that a chance node ends: what follows, rows [j, n]
    root: tuple[Gather, ...]  # the player's first decisions and the ends before them, rows [j, 1]


def end_groups(tree: Tree, deals: Deals) -> list[EndGroup]:
    """The ends of each street, grouped by what they pay for a win, a tie and a loss, up to a factor."""
    groups = []
    for s, street in enumerate(deals.streets[: tree.num_streets]):
        ends = tree.ends(s)
        pays_seat_0 = tree.payoffs_of(0)[ends]  # [t, outcomes]
        factor = np.abs(pays_seat_0).max(axis=1).astype(np.float64)
        factor = np.where(factor > 0, factor, 1.0) * np.where(pays_seat_0[:, 0] < 0, -1, 1)
        shape = np.round(pays_seat_0 / factor[:, None], 7) + 0.0
        for pays in np.unique(shape, axis=0):
            mine = (shape == pays).all(axis=1)
            payoff = pays[0] * street.win + pays[1] * street.tie + pays[2] * street.lose
            groups.append(EndGroup(s, ends[mine], factor[mine], payoff))
    return groups


def side_of(player: int, tree: Tree, deals: Deals, groups: tuple[EndGroup, ...], rows: dict[int, np.ndarray]) -> Side:
    nodes = tree.decisions(player)
    widths = np.array([deals.streets[s].columns for s in tree.street[nodes]], np.int32)
    first_slot = np.cumsum(widths) - widths
    num_slots = int(widths.sum())
    slots = {int(n): slice(int(at), int(at + width)) for n, at, width in zip(nodes, first_slot, widths, strict=True)}
    nothing = tree.num_actions * num_slots  # the index of the final 1

    def path(node: int) -> list[np.ndarray]:
        """Own actions before ``node``, each as indices [columns] into the flat strategy."""
        return [
            tree.action[child] * num_slots
            + slots[at].start
            + deals.columns_before(int(tree.street[node]), int(tree.street[at]))
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

    places = _places(player, tree, groups)
    keys = sorted({(int(tree.street[n]), int(tree.turn[n])) for n in nodes}, reverse=True)
    levels = []
    for street, turn in keys:
        here = nodes[(tree.street[nodes] == street) & (tree.turn[nodes] == turn)]
        following = [_following(player, tree, int(child)) for child in tree.children[here].T.reshape(-1)]
        span = slice(slots[int(here[0])].start, slots[int(here[-1])].stop)
        levels.append(DecisionLevel(street, turn, here, span, _gathers(following, places, tree.num_actions, len(here))))
    chance = {}
    for street in range(tree.first_street, tree.num_streets - 1):
        starts = tree.children[(tree.kind == CHANCE) & (tree.street == street), 0]
        chance[street] = _gathers([_following(player, tree, int(n)) for n in starts], places, len(starts))
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
        root=_gathers([_following(player, tree, 0)], places, 1),
    )


def _places(player: int, tree: Tree, groups: tuple[EndGroup, ...]) -> dict[Source, dict[int, int]]:
    """Where a sweep keeps the value of each node: for each of its arrays, the row of each node in it."""
    sources: dict[Source, np.ndarray] = {(END, g): group.ends for g, group in enumerate(groups)}
    for street in range(tree.num_streets):
        on_street = tree.street == street
        sources[CHANCE, street] = np.nonzero((tree.kind == CHANCE) & on_street)[0]
        mine = tree.decisions(player, street)
        for turn in np.unique(tree.turn[mine]).tolist():
            sources[DECISION, street, turn] = mine[tree.turn[mine] == turn]
    return {source: {node: row for row, node in enumerate(nodes.tolist())} for source, nodes in sources.items()}


def _following(player: int, tree: Tree, node: int) -> list[int]:
    """The first nodes from ``node`` on, itself included, that are no decision of the other player."""
    if node == NONE:
        return []
    if tree.kind[node] != DECISION or tree.player[node] == player:
        return [node]
    return [found for child in tree.children[node] for found in _following(player, tree, int(child))]


def _gathers(following: list[list[int]], places: dict[Source, dict[int, int]], *shape: int) -> tuple[Gather, ...]:
    """How to add up the values of each of the lists of nodes in ``following``; there are as many as ``shape`` says."""
    gathers = []
    for source, row_of in places.items():
        found = [[row_of[node] for node in nodes if node in row_of] for nodes in following]
        rows = np.full((max(map(len, found)), len(following)), len(row_of), np.int32)
        for i, these in enumerate(found):
            rows[: len(these), i] = these
        if rows.size:
            gathers.append(Gather(source, rows.reshape(-1, *shape)))
    return tuple(gathers)
