"""The betting of a street by its shape, so that a sweep over a large tree is a few operations on wide arrays.

Thousands of places of a tree are the start of a street, but what may be bet from there on takes only some ten shapes:
they differ by how deep the stacks still are. Starts of one shape are one axis of the arrays, the last; the few
decisions that follow are another. A sweep goes through the turns of a shape with vectors ``[decisions, columns,
starts]`` and needs no index per node. Columns are what a hand is there: buckets, types or cards.

    turn 0        turn 1         turn 2        leaves of the shape: folds, showdowns, and chances, where the
    check --+-- check --> chance               next street starts
            +-- bet ----+-- fold
            |           +-- call --> chance
    bet ----+-- ...

Smaller shapes join larger ones, with actions that are not legal, as long as that wastes little room. Tables of a street
have only the actions that somebody may take on it: A of them, of all that the tree has.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.tree.chips import chips_at
from jaxpoker.solvers.tree.public_tree import CHANCE, DECISION, NONE, Tree

Array = jax.Array
OfShapes = tuple[tuple[Array, ...], ...]  # by street and shape
Path = tuple[int, ...]  # actions since the street began

FOLD, SHOWDOWN = 3, 4  # kinds of ends, beside the tree's DECISION and CHANCE
WASTE = 2.0  # how much larger shapes may become by joining: fewer shapes compile faster and take less memory


class ShapeTurn(NamedTuple):
    """The decisions of one turn: K of them, A actions, M starts. A flat place is action * K + decision."""

    player: int
    rows: slice  # of the player's decisions of this shape
    stays: np.ndarray  # [decisions of the next turn] flat places that lead to them
    folds: np.ndarray  # [...] flat places that lead to the shape's next folds, in order
    showdowns: np.ndarray
    chances: np.ndarray
    children: np.ndarray  # [A, K] into next decisions, folds, showdowns and chances of this turn, and a final nothing


class Leaves(NamedTuple):
    """One array ``[leaves, columns, starts]`` for each kind of leaf."""

    folds: Array
    showdowns: Array
    chances: Array


@dataclasses.dataclass(frozen=True, eq=False)
class Shape:
    """The M starts of a street that are alike, and everything up to the end of the street."""

    street: int
    actions: np.ndarray  # [A] the tree's numbers of the street's actions
    starts: np.ndarray  # [M] places among the street's starts
    turns: tuple[ShapeTurn, ...]
    nodes: tuple[np.ndarray, np.ndarray]  # per player [K, M] its decisions, turn after turn; NONE where there is none
    legal: tuple[np.ndarray, np.ndarray]  # per player [A, K, M] bool
    fold_pays: np.ndarray  # [folds, M] float32: what seat 0 gets; 0 where there is no such end
    showdown_pays: np.ndarray  # [showdowns, M] float32: what the winner gets
    next_starts: np.ndarray  # [chances, M] places among the next street's starts; their number where there is none

    @property
    def num_starts(self) -> int:
        return len(self.starts)

    def descend(self, player: int, strategy: Array) -> tuple[Leaves, Array]:
        """How likely a player's own actions are to lead from the start to each leaf, and to its own decisions.

        The strategy is ``[A, K, columns, M]``; the decisions' are ``[K, columns, M]``. There may be fewer starts than
        M.
        """
        reach = jnp.ones((1, *strategy.shape[2:]), strategy.dtype)
        own: list[Array] = [reach[:0]]
        after: list[Array] = []
        for turn in self.turns:
            if turn.player == player:
                own.append(reach)
                following = reach * strategy[:, turn.rows]
            else:
                following = jnp.broadcast_to(reach, (len(turn.children), *reach.shape))
            after.append(following.reshape(-1, *reach.shape[1:]))
            reach = after[-1][turn.stays]
        places = np.cumsum([0] + [len(each) for each in after])
        everything = jnp.concatenate(after)

        def leaves(kind: Callable[[ShapeTurn], np.ndarray]) -> Array:
            return everything[np.concatenate([at + kind(turn) for at, turn in zip(places, self.turns, strict=False)])]

        kinds = (lambda turn: turn.folds, lambda turn: turn.showdowns, lambda turn: turn.chances)
        return Leaves(*map(leaves, kinds)), jnp.concatenate(own)

    def ascend(
        self, player: int, values: Leaves, own: Array, legal: Array | np.ndarray, respond: Array | bool
    ) -> tuple[Array, Array, Array]:
        """Values ``[columns, M]`` of the starts to ``player``, and those of its actions and its strategy ``[A, K,
        columns, M]``.

        A decision is worth what ``own`` ``[A, K, columns, M]`` makes of its actions or, to ``respond``, the best one of
        those that are ``legal`` ``[A, K, 1, M]``. The other's strategy is in the values of the leaves already.
        """
        nothing = jnp.zeros(values.folds.shape[1:], values.folds.dtype)
        ends = [len(kind) for kind in values]
        worth: list[Array] = []
        found: list[tuple[Array, Array]] = []  # of each own decision, the last one first
        for turn in reversed(self.turns):
            after = [*worth]
            for kind, places in enumerate((turn.folds, turn.showdowns, turn.chances)):
                after.extend(values[kind][place] for place in range(ends[kind] - len(places), ends[kind]))
                ends[kind] -= len(places)
            worth, here = [], []
            for k, children in enumerate(turn.children.T):
                of_actions = {action: after[child] for action, child in enumerate(children) if child < len(after)}
                if turn.player != player:
                    worth.append(sum(of_actions.values(), nothing))
                    continue
                row = turn.rows.start + k
                stacked = jnp.stack([of_actions.get(action, nothing) for action in range(len(children))])
                played = own[:, row] if respond is False else _best_or(own[:, row], stacked, legal[:, row], respond)
                worth.append(sum((played[action] * value for action, value in of_actions.items()), nothing))
                here.append((stacked, played))
            found = here + found
        if not found:
            none = jnp.zeros((own.shape[0], 0, *nothing.shape), nothing.dtype)
            return worth[0], none, none
        return worth[0], jnp.stack([one for one, _ in found], axis=1), jnp.stack([one for _, one in found], axis=1)


def _best_or(own: Array, values: Array, legal: Array | np.ndarray, respond: Array | bool) -> Array:
    """What a decision plays, ``[A, columns, M]``: ``own``, or the legal action with the best of ``values``."""
    best = jnp.where(legal, values, -jnp.inf).argmax(axis=0)
    pure = (best == np.arange(len(values)).reshape(-1, 1, 1)).astype(values.dtype)
    return jnp.where(respond, pure, own)


# --- a whole tree -----------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class ShapedTree:
    """A tree as the shapes of its streets. A player's tables are by street and shape ``[A, K, columns, M]``."""

    tree: Tree
    streets: tuple[tuple[Shape, ...], ...]

    def legal(self, player: int) -> tuple[tuple[np.ndarray, ...], ...]:
        """``[A, K, 1, M]`` bool of each shape: which actions the player's decisions have, whatever the column."""
        return tuple(tuple(shape.legal[player][:, :, None] for shape in shapes) for shapes in self.streets)

    def nothing(self, player: int, columns: tuple[int, ...]) -> OfShapes:
        """A player's tables of zeros, for so many ``columns`` by street."""
        return tuple(
            tuple(jnp.zeros((*legal.shape[:2], width, legal.shape[3])) for legal in of_street)
            for of_street, width in zip(self.legal(player), columns, strict=True)
        )

    def arrivals(self, street: int) -> np.ndarray:
        """``[starts of the next street]``: where they are among the shapes' ``[M, chances]``, shape after shape."""
        if street + 1 == len(self.streets):
            return np.zeros(0, np.int32)
        places = np.concatenate([shape.next_starts.T.reshape(-1) for shape in self.streets[street]])
        return np.argsort(places, kind="stable")[: sum(shape.num_starts for shape in self.streets[street + 1])]

    def order(self, street: int) -> np.ndarray:
        """``[starts]``: where each start is among the shapes' starts, shape after shape."""
        return np.argsort(np.concatenate([shape.starts for shape in self.streets[street]]))

    def places(self, player: int, street: int) -> tuple[np.ndarray, ...]:
        """By shape ``[K, M]``: the place of each decision among those of the street; NONE where there is none."""
        place = np.full(self.tree.num_nodes + 1, NONE, np.int32)  # NONE, the last, is nothing's place
        decisions = self.tree.decisions(street=street)
        place[decisions] = np.arange(len(decisions))
        return tuple(place[shape.nodes[player]] for shape in self.streets[street])

    def pots(self) -> tuple[np.ndarray, ...]:
        """By street ``[starts]`` float32: the chips in the pot at each start, shape after shape."""
        pot = chips_at(self.tree).pot
        found = []
        for street, shapes in enumerate(self.streets):
            decisions = self.tree.decisions(street=street)
            starts = decisions[self.tree.turn[decisions] == 0]
            found.append(pot[starts[np.concatenate([shape.starts for shape in shapes])]].astype(np.float32))
        return tuple(found)

    def actions(self, street: int) -> np.ndarray:
        """``[A]``: the tree's numbers of the street's actions."""
        return self.streets[street][0].actions

    @functools.partial(jax.jit, static_argnums=0)
    def strategy(self, both: tuple[OfShapes, OfShapes]) -> tuple[Array, ...]:
        """Both players' tables as a strategy by street ``[decisions, columns, actions of the tree]``."""
        strategies = []
        for street in range(len(self.streets)):
            places, rows = [], []
            for player, tables in enumerate(both):
                for place, table in zip(self.places(player, street), tables[street], strict=True):
                    places.append(place.reshape(-1))
                    rows.append(table.transpose(1, 3, 2, 0).reshape(-1, table.shape[2], table.shape[0]))
            found = np.concatenate(places)
            of_street = jnp.concatenate(rows)[np.argsort(found, kind="stable")[(found == NONE).sum() :]]
            column = np.full(self.tree.num_actions, of_street.shape[2])  # where no decision has the action: 0
            column[self.actions(street)] = np.arange(of_street.shape[2])
            strategies.append(jnp.pad(of_street, ((0, 0), (0, 0), (0, 1)))[:, :, column])
        return tuple(strategies)

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def by_shapes(self, player: int, strategy: tuple[Array, ...]) -> OfShapes:
        """A player's tables of a strategy by street ``[decisions, columns, actions of the tree]``, or of anything else
        that actions have; 0 for what is not legal.
        """
        of_actions = tuple(table[..., self.actions(street)] for street, table in enumerate(strategy))
        return jax.tree.map(
            lambda table, legal: jnp.where(legal, table, 0), self.placed(player, of_actions), self.legal(player)
        )

    def placed(self, player: int, of_decisions: tuple[Array, ...]) -> OfShapes:
        """``[n, K, columns, M]`` of what decisions have, by street ``[decisions, columns, n]``; anything where there is
        no decision.
        """
        return tuple(
            tuple(table[place].transpose(3, 0, 2, 1) for place in self.places(player, street))
            for street, table in enumerate(of_decisions)
        )


def shaped(tree: Tree, waste: float = WASTE) -> ShapedTree:
    """The shapes of a tree for two players; others are refused. ``waste`` is how much larger joining may make them."""
    tree.require_two_players("a sweep by shapes of betting")
    if tree.first_street:
        raise ValueError(f"sweeps by shapes begin on the first street, not on street {tree.first_street}")
    if tree.kind[0] != DECISION:
        raise ValueError(f"nobody decides in this {tree.game.name}: blinds and antes put the first player all-in")
    return ShapedTree(tree, tuple(of_street(tree, street, waste) for street in range(tree.num_streets)))


# --- making them ------------------------------------------------------------------------------


class _Pattern(NamedTuple):
    """What follows one start, or several that are to be one shape."""

    kinds: dict[Path, int]
    starts: list[int]

    def join(self, other: _Pattern) -> _Pattern | None:
        """Both as one, if the same actions never lead to different things."""
        if any(self.kinds.get(path, kind) != kind for path, kind in other.kinds.items()):
            return None
        return _Pattern(self.kinds | other.kinds, self.starts + other.starts)


def of_street(tree: Tree, street: int, waste: float = WASTE) -> tuple[Shape, ...]:
    """The shapes of a street, the largest first. Starts are numbered in the order of their nodes."""
    decisions = tree.decisions(street=street)
    actions = np.nonzero(tree.legal(decisions).any(axis=0))[0]
    starts = [int(n) for n in decisions if tree.turn[n] == 0]
    nodes = [_nodes_from(tree, start) for start in starts]  # path -> node, of each start
    shapes: dict[tuple[tuple[Path, int], ...], _Pattern] = {}
    for i, found in enumerate(nodes):
        kinds = {path: _kind(tree, node) for path, node in found.items()}
        shapes.setdefault(tuple(sorted(kinds.items())), _Pattern(kinds, [])).starts.append(i)
    sizes = np.array([len(found) for found in nodes])
    joined: list[_Pattern] = []
    for betting in sorted(shapes.values(), key=lambda betting: -len(betting.kinds)):
        for i, larger in enumerate(joined):
            both = larger.join(betting)
            if both and len(both.kinds) * len(both.starts) <= waste * sizes[both.starts].sum():
                joined[i] = both
                break
        else:
            joined.append(betting)
    next_starts = np.nonzero((tree.kind == CHANCE) & (tree.street == street))[0]
    place_of = {int(node): place for place, node in enumerate(next_starts)}
    return tuple(_shape(tree, street, actions, betting, nodes, place_of) for betting in joined)


def _nodes_from(tree: Tree, start: int) -> dict[Path, int]:
    """All nodes from ``start`` to the end of its street, by the actions that lead there, parents first."""
    found: dict[Path, int] = {(): start}
    frontier: list[tuple[Path, int]] = [((), start)]
    while frontier:
        following: list[tuple[Path, int]] = [
            ((*path, action), int(child))
            for path, node in frontier
            for action, child in enumerate(tree.children[node])
            if child != NONE
        ]
        found.update(following)
        frontier = [(path, node) for path, node in following if tree.kind[node] == DECISION]
    return found


def _kind(tree: Tree, node: int) -> int:
    if tree.kind[node] != DECISION and tree.kind[node] != CHANCE:
        return FOLD if tree.is_fold(node) else SHOWDOWN
    return int(tree.kind[node])


def _shape(
    tree: Tree,
    street: int,
    actions: np.ndarray,
    betting: _Pattern,
    nodes: list[dict[Path, int]],
    place_of: dict[int, int],
) -> Shape:
    starts, number = betting.starts, {int(action): i for i, action in enumerate(actions)}

    def table(paths: list[Path]) -> np.ndarray:
        """[paths, M] nodes, NONE where there is none."""
        return np.array([[nodes[start].get(path, NONE) for start in starts] for path in paths], np.int32).reshape(
            len(paths), len(starts)
        )

    by_turn: list[dict[int, list[Path]]] = []
    for path in sorted(betting.kinds):
        while len(by_turn) <= len(path):
            by_turn.append({DECISION: [], FOLD: [], SHOWDOWN: [], CHANCE: []})
        by_turn[len(path)][betting.kinds[path]].append(path)
    turns = []
    rows = [0, 0]
    own: tuple[list[Path], list[Path]] = ([], [])
    leaves: dict[int, list[Path]] = {FOLD: [], SHOWDOWN: [], CHANCE: []}
    for here, after in itertools.pairwise(by_turn):
        decisions = here[DECISION]
        place = {path: i for i, path in enumerate(decisions)}
        (player,) = {int(tree.player[n]) for n in table(decisions).reshape(-1) if n != NONE}

        def flat(paths: list[Path], place: dict[Path, int] = place) -> np.ndarray:
            return np.array([number[path[-1]] * len(place) + place[path[:-1]] for path in paths], np.int32)

        children = np.full(len(actions) * len(decisions), sum(map(len, after.values())), np.int32)
        following = [path for kind in (DECISION, FOLD, SHOWDOWN, CHANCE) for path in after[kind]]
        children[flat(following)] = np.arange(len(following))
        stays, folds, showdowns, chances = (flat(after[kind]) for kind in (DECISION, FOLD, SHOWDOWN, CHANCE))
        span = slice(rows[player], rows[player] + len(decisions))
        by_action = children.reshape(len(actions), len(decisions))
        turns.append(ShapeTurn(player, span, stays, folds, showdowns, chances, by_action))
        rows[player] += len(decisions)
        own[player].extend(decisions)
        for kind, found in leaves.items():
            found.extend(after[kind])

    folds, showdowns, chances = (table(leaves[kind]) for kind in (FOLD, SHOWDOWN, CHANCE))
    pays = tree.payoffs_of(0)
    has_ties = tree.orders[1, 0] == tree.orders[1, 1]
    if (has_ties and np.any(pays[showdowns, 1] * (showdowns != NONE))) or np.any(
        (pays[showdowns, 0] + pays[showdowns, 2]) * (showdowns != NONE)
    ):
        raise ValueError(f"a split pot of {tree.game.name} does not give both players back what they put in")
    first, second = (table(paths) for paths in own)
    return Shape(
        street,
        actions,
        np.array(starts, np.int32),
        tuple(turns),
        (first, second),
        (_legal(tree, first)[actions], _legal(tree, second)[actions]),
        np.where(folds == NONE, 0, pays[folds, 0]).astype(np.float32),
        np.where(showdowns == NONE, 0, pays[showdowns, 0]).astype(np.float32),
        np.array([[place_of.get(int(n), len(place_of)) for n in row] for row in chances], np.int32).reshape(
            chances.shape
        ),
    )


def _legal(tree: Tree, nodes: np.ndarray) -> np.ndarray:
    """[actions of the tree, K, M] bool: what is legal at ``nodes`` [K, M]."""
    return np.moveaxis((tree.children[nodes] >= 0) & (nodes != NONE)[..., None], -1, 0)
