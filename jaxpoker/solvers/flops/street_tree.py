"""The betting of one street, from all of its first decisions to where it ends: what a program is compiled for.

A spot from the flop on has three of them. A street begins with S *starts*: one on the flop, and after that one for each
way in which the street before was closed. It ends with

    folds     somebody has folded
    shown     a showdown, or on flop and turn an all-in: the cards to come are dealt and shown down
    dealt     the next card comes; these are the starts of the next street, in the same order

Decisions stand in *groups*, whose arrays are computed at once: all of one turn with so many actions, which belong to
one player. Nodes stand in the order of those before them, so that a group is put together from a few *pieces* of
others. No chips and no cards are in it: spots that differ by them share programs.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jaxpoker.solvers.subgame.menus import LAST_STREET
from jaxpoker.solvers.subgame.template import Shape, runs, shape_of
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import CHANCE, DECISION, NONE, Tree

FOLDS, SHOWN, DEALT = "folds", "shown", "dealt"
ENDS = (FOLDS, SHOWN, DEALT)


class Piece(NamedTuple):
    """Places ``start`` to ``stop`` of a group or of a kind of ends, or of what follows from them by ``action``."""

    of: int | str  # number of a group, a kind of ends, or NONE for the starts of the street
    action: int  # place among the actions; NONE of what is whole
    start: int
    stop: int


class Group(NamedTuple):
    """n decisions of one player with as many actions."""

    player: int
    actions: int
    nodes: tuple[int, ...]  # [n] of the tree
    pieces: tuple[Piece, ...]  # where its reach comes from
    values: tuple[tuple[Piece, ...], ...]  # by action: where its values come from
    first_row: int  # in the player's table of the street [rows, hands], actions * n rows from here on
    first_node: int  # among the player's nodes of the street

    @property
    def rows(self) -> slice:
        return slice(self.first_row, self.first_row + self.actions * len(self.nodes))


@dataclasses.dataclass(frozen=True, eq=False)
class StreetTree:
    """See the module's docstring."""

    street: int
    starts: tuple[int, ...]  # [S] the first decisions, of the tree
    groups: tuple[Group, ...]  # each after those that it is put together from
    ends: dict[str, tuple[int, ...]]  # by kind: nodes of the tree
    pieces: dict[str, tuple[Piece, ...]]  # by kind of ends: where their reach comes from
    rows: tuple[int, int]  # of both players' tables

    @functools.cached_property
    def place(self) -> dict[int, tuple[int, int]]:
        """By decision of the tree: its group and its place there."""
        return {node: (g, at) for g, group in enumerate(self.groups) for at, node in enumerate(group.nodes)}

    def of_player(self, player: int) -> tuple[int, ...]:
        """The groups of a player."""
        return tuple(g for g, group in enumerate(self.groups) if group.player == player)

    def nodes_of(self, player: int) -> int:
        """How many decisions a player has."""
        return sum(len(self.groups[g].nodes) for g in self.of_player(player))


def of(tree: Tree) -> tuple[StreetTree, ...]:
    """The streets of ``tree``; trees of one shape have the same."""
    return _of_shape(_Keyed(shape_of(tree), tree))


class _Keyed:
    """A tree by its shape: nodes of trees of one shape have the same numbers."""

    def __init__(self, shape: Shape, tree: Tree) -> None:
        self.shape, self.tree = shape, tree

    def __hash__(self) -> int:
        return hash(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self.shape == other.shape


@functools.lru_cache(maxsize=32)
def _of_shape(keyed: _Keyed) -> tuple[StreetTree, ...]:
    tree = keyed.tree
    found, starts = [], [0]
    for street in range(int(tree.street[0]), LAST_STREET + 1):
        made = _street(tree, street, starts)
        found.append(made)
        starts = [int(tree.children[node, 0]) for node in made.ends[DEALT]]
        if not starts:
            break
    return tuple(found)


def _street(tree: Tree, street: int, starts: Sequence[int]) -> StreetTree:
    """One street; ``starts`` are in the order in which the street before has dealt them."""
    order: dict[int, tuple[int, int, int]] = {node: (NONE, NONE, at) for at, node in enumerate(starts)}
    level = list(starts)
    drafts: list[tuple[int, int, list[int]]] = []  # player, actions, nodes
    ends: dict[str, list[int]] = {kind: [] for kind in ENDS}
    while level:
        following: list[int] = []
        legal = {node: np.flatnonzero(tree.legal(node)).tolist() for node in level}
        for actions in sorted({len(slots) for slots in legal.values()}):
            nodes = sorted((n for n in level if len(legal[n]) == actions), key=order.__getitem__)
            for at, node in enumerate(nodes):
                for action, slot in enumerate(legal[node]):
                    child = int(tree.children[node, slot])
                    order[child] = (len(drafts), action, at)
                    (following if tree.kind[child] == DECISION else ends[_kind(tree, child)]).append(child)
            drafts.append((int(tree.player[nodes[0]]), actions, nodes))
        level = following
    placed = {kind: tuple(sorted(nodes, key=order.__getitem__)) for kind, nodes in ends.items()}
    where: dict[int, tuple[int | str, int]] = {n: (g, at) for g, d in enumerate(drafts) for at, n in enumerate(d[2])}
    where |= {node: (kind, at) for kind, nodes in placed.items() for at, node in enumerate(nodes)}
    groups, rows, counts = [], [0, 0], [0, 0]
    for player, actions, nodes in drafts:
        children = [[int(child) for child in tree.children[node] if child != NONE] for node in nodes]
        values = tuple(
            _runs([(where[of[action]][0], NONE, where[of[action]][1]) for of in children]) for action in range(actions)
        )
        pieces = _runs([order[n] for n in nodes])
        groups.append(Group(player, actions, tuple(nodes), pieces, values, rows[player], counts[player]))
        rows[player] += actions * len(nodes)
        counts[player] += len(nodes)
    before = {kind: _runs([order[n] for n in nodes]) for kind, nodes in placed.items()}
    oop, ip = (rows[player] for player in PLAYERS)
    return StreetTree(street, tuple(starts), tuple(groups), placed, before, (oop, ip))


def _kind(tree: Tree, node: int) -> str:
    if tree.kind[node] == CHANCE:
        return DEALT
    return FOLDS if tree.is_fold(node) else SHOWN


def _runs(places: Sequence[tuple[int | str, int, int]]) -> tuple[Piece, ...]:
    return tuple(Piece(*run) for run in runs(places))
