"""Templates: the part of a spot's betting tree that a program is compiled for, as buffers of nodes.

A template has no chips, cards or ranges in it: these are data, and spots that differ by them share one program. What it
has is which decisions there are, how many actions each has, and where each action leads. Nodes are gathered in
*buffers*, whose arrays are computed at once:

    decisions   of one street, one turn and so many actions: they belong to one player
    folds       the ends of a street at which somebody has folded
    showdowns   the ends of the river; on the turn all-ins, which are shown down on the river
    deals       what is dealt on to the next street: its first decisions or, of all-ins, its showdowns

A buffer's nodes stand in the order of those before them: a buffer is put together from a few *pieces* of others.
Trees that differ by what stacks allow can share a template that has all of their actions: ``union``. What a spot lacks
is then masked.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from jaxpoker.games import bets
from jaxpoker.solvers.subgame.menus import LAST_STREET
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE, Tree

DECISIONS, FOLDS, SHOWDOWNS, DEALS = range(4)
T = TypeVar("T")


class Shape(NamedTuple):
    """A betting tree without chips: what a node is, and its children by action slot."""

    kind: int  # DECISION, CHANCE or END
    player: int = NONE  # who decides
    fold: bool = False  # of an end
    children: tuple[tuple[int, Shape], ...] = ()  # (slot, child) by slot; of a chance node one, slot 0


class Piece(NamedTuple):
    """Nodes ``start`` to ``stop`` of a buffer, or of what follows from them by ``action``."""

    buffer: int
    action: int  # place among the legal actions; NONE of a deal
    start: int
    stop: int


class Buffer(NamedTuple):
    """Nodes of one kind; see the module's docstring."""

    kind: int
    street: int
    player: int  # NONE but of decisions
    actions: int  # how many, of decisions
    nodes: tuple[int, ...]  # numbers in the template
    pieces: tuple[Piece, ...]  # where its reach comes from
    values: tuple[tuple[Piece, ...], ...] = ()  # by action, or one of a deal: where its values come from


@dataclasses.dataclass(frozen=True, eq=False)
class Template:
    """Buffers such that each comes after those that it is put together from. ``of`` makes one for each shape."""

    first_street: int
    buffers: tuple[Buffer, ...]
    slots: tuple[tuple[int, ...], ...]  # by node: the action slots that it has
    links: tuple[tuple[int, ...], ...]  # by node: the node after each of these; of a chance node the next decision
    shape: Shape

    def of_player(self, player: int) -> tuple[int, ...]:
        """The buffers of a player's decisions."""
        return tuple(i for i, buffer in enumerate(self.buffers) if buffer.player == player)

    def of_kind(self, kind: int, street: int | None = None) -> tuple[int, ...]:
        return tuple(
            i for i, buffer in enumerate(self.buffers) if buffer.kind == kind and street in (None, buffer.street)
        )

    @functools.cached_property
    def place(self) -> dict[int, tuple[int, int]]:
        """By node: its buffer and its place there; not of chance nodes, which are dealt on."""
        return {node: (i, at) for i, b in enumerate(self.buffers) if b.kind != DEALS for at, node in enumerate(b.nodes)}

    def nodes_of(self, tree: Tree) -> dict[int, int]:
        """By node of the template: the node of ``tree``, whose actions are all in the template.

        An all-in on the turn is not in it where the template bets on: it is found as the end after two checks.
        """
        found = {0: 0}
        stack = [(0, 0)]
        while stack:
            ours, theirs = stack.pop()
            for slot, link in zip(self.slots[ours], self.links[ours], strict=True):
                if tree.kind[theirs] == END:  # of an all-in: only checks lead on
                    child = theirs if slot == bets.CALL else NONE
                else:
                    child = int(tree.children[theirs, slot])
                    if child != NONE and tree.kind[child] == CHANCE:
                        child = int(tree.children[child, 0])
                if child != NONE:
                    found[link] = child
                    stack.append((link, child))
        return found


def shape_of(tree: Tree, node: int = 0) -> Shape:
    """The shape of ``tree`` from ``node`` on."""
    kind = int(tree.kind[node])
    children = tuple((slot, shape_of(tree, int(child))) for slot, child in enumerate(tree.children[node]) if child >= 0)
    return Shape(kind, int(tree.player[node]), kind == END and bool(tree.is_fold(node)), children)


def union(shapes: Sequence[Shape]) -> Shape:
    """A shape that has the actions of all ``shapes``."""
    return functools.reduce(_joined, shapes)


def _joined(one: Shape, other: Shape) -> Shape:
    if one == other:
        return one
    kinds = {one.kind, other.kind}
    if kinds == {END, CHANCE}:  # all-in in one of them: bets are masked there
        return one if one.kind == CHANCE else other
    if len(kinds) > 1 or one.player != other.player or one.fold != other.fold:
        raise ValueError("these spots share no template: players act in another order")
    ours, theirs = dict(one.children), dict(other.children)
    shared = {slot: _joined(ours[slot], theirs[slot]) for slot in ours.keys() & theirs.keys()}
    return one._replace(children=tuple(sorted({**ours, **theirs, **shared}.items())))


@functools.lru_cache(maxsize=64)
def of(shape: Shape, first_street: int) -> Template:
    """The template of a shape."""
    return _Maker(shape, first_street).made()


class _Maker:
    """Numbers the nodes of a shape, and gathers them in buffers."""

    def __init__(self, shape: Shape, first_street: int) -> None:
        self.shape, self.first_street = shape, first_street
        self.slots: list[tuple[int, ...]] = []
        self.links: list[list[int]] = []
        self.info: list[tuple[int, int, int, int, bool]] = []  # kind, street, turn, player, fold
        self._number(shape, first_street, 0)

    def _number(self, shape: Shape, street: int, turn: int) -> int:
        """Numbers ``shape`` and what is below it; a chance node is its first decision."""
        if shape.kind == CHANCE:
            return self._number(shape.children[0][1], street + 1, 0)
        node = len(self.slots)
        self.slots.append(tuple(slot for slot, _ in shape.children))
        self.links.append([])
        self.info.append((shape.kind, street, turn, shape.player, shape.fold))
        for _, child in shape.children:
            self.links[node].append(self._number(child, street, turn + 1))
        return node

    def made(self) -> Template:
        buffers: list[Buffer] = []
        order: dict[int, tuple[int, ...]] = {}  # by node: what it is sorted by
        place: dict[tuple[int, int], int] = {}  # (node, 1 of a deal) -> place in its buffer
        where: dict[tuple[int, int], int] = {}  # ... -> buffer

        def add(kind: int, street: int, player: int, actions: int, nodes: list[int], dealt: int = 0) -> None:
            nodes = sorted(nodes, key=order.__getitem__)
            number = len(buffers)
            for at, node in enumerate(nodes):
                place[node, dealt], where[node, dealt] = at, number
            pieces = _runs([source(node, dealt) for node in nodes])
            buffers.append(Buffer(kind, street, player, actions, tuple(nodes), pieces))
            if kind == DECISIONS:
                for node in nodes:
                    for action, child in enumerate(self.links[node]):
                        order[child] = (number, action, place[node, 0])
                        parent[child] = (node, action)

        def source(node: int, dealt: int) -> tuple[int, int, int]:
            if not dealt and (node, 1) in where:
                return where[node, 1], NONE, place[node, 1]
            if node not in parent:
                return NONE, NONE, 0
            before, action = parent[node]
            return where[before, 0], action, place[before, 0]

        order[0] = (0,)
        parent: dict[int, tuple[int, int]] = {}
        everything = range(len(self.slots))
        for street in range(self.first_street, LAST_STREET + 1):
            here = [n for n in everything if self.info[n][1] == street]
            decisions = [n for n in here if self.info[n][0] == DECISION]
            for turn, actions in sorted({(self.info[n][2], len(self.slots[n])) for n in decisions}):
                chosen = [n for n in decisions if (self.info[n][2], len(self.slots[n])) == (turn, actions)]
                add(DECISIONS, street, self.info[chosen[0]][3], actions, chosen)
            ends = [n for n in here if self.info[n][0] == END]
            folds = [n for n in ends if self.info[n][4]]
            all_ins = [n for n in ends if self._is_showdown(n)]
            if folds:
                add(FOLDS, street, NONE, 0, folds)
            if street < LAST_STREET:
                ours = {*here}
                openings = [child for n in decisions for child in self.links[n] if child not in ours]
                for nodes in (openings, all_ins):  # both in one buffer, openings first
                    for n in nodes:
                        order[n] = (0 if nodes is openings else 1, *order[n])
                if openings or all_ins:
                    add(DEALS, street, NONE, 0, openings + all_ins, dealt=1)
                for at, n in enumerate(sorted(openings + all_ins, key=order.__getitem__)):
                    order[n] = (-1, at)
            else:
                add(SHOWDOWNS, street, NONE, 0, [n for n in everything if self._is_showdown(n)])
        finished = tuple(
            buffer._replace(values=self._values(buffer, where, place)) if buffer.kind in (DECISIONS, DEALS) else buffer
            for buffer in buffers
        )
        links = tuple(tuple(of_node) for of_node in self.links)
        return Template(self.first_street, finished, tuple(self.slots), links, self.shape)

    def _is_showdown(self, node: int) -> bool:
        kind, _, _, _, fold = self.info[node]
        return kind == END and not fold

    def _values(
        self, buffer: Buffer, where: dict[tuple[int, int], int], place: dict[tuple[int, int], int]
    ) -> tuple[tuple[Piece, ...], ...]:
        """Where the values of each action of a buffer's nodes are, or of a deal those of its nodes one street on."""
        if buffer.kind == DEALS:
            return (_runs([(where[n, 0], NONE, place[n, 0]) for n in buffer.nodes]),)

        def found(node: int) -> tuple[int, int, int]:
            dealt = 1 if (node, 1) in where else 0
            return where[node, dealt], NONE, place[node, dealt]

        return tuple(_runs([found(self.links[n][action]) for n in buffer.nodes]) for action in range(buffer.actions))


def _runs(places: list[tuple[int, int, int]]) -> tuple[Piece, ...]:
    return tuple(Piece(*run) for run in runs(places))


def runs(places: Sequence[tuple[T, int, int]]) -> list[tuple[T, int, int, int]]:
    """Places (of what, action, place) as runs of places in a row: (of what, action, first, one after the last)."""
    found: list[tuple[T, int, int, int]] = []
    for of_what, action, at in places:
        if found and (found[-1][0], found[-1][1], found[-1][3]) == (of_what, action, at):
            found[-1] = (of_what, action, found[-1][2], at + 1)
        else:
            found.append((of_what, action, at, at + 1))
    return found
