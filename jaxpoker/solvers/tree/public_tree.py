"""The public betting tree of a game, as static arrays in level order.

Betting is public, so one tree serves all private hands: a solver keeps a vector over hands at every node. Public
cards do not change what may be bet, so a chance node has one child, the first decision of the next street, and
what differs from board to board is a column of the arrays there (see ``games/deals.py``).

Nodes are numbered by (street, turn), turn being the actions of the street so far; every child comes after its parent:

    street 0: turn 0 | turn 1 | turn 2 | ...    street 1: turn 0 | turn 1 | ...

Two players alternate on a street, so that all decisions of one such level belong to one of them; with more players
that need not be. A tree that begins in the middle of a street counts turns from its root on.

An end of the game pays each seat by how the showdown comes out: for two players when seat 0 would win, split or lose
it. The payoffs are the same for all outcomes when everybody else has folded.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from jaxpoker import core
from jaxpoker.games.bets import FIRST_SIZE
from jaxpoker.games.protocols import Stakes, StreetGame

Array = jax.Array

DECISION, CHANCE, END = range(3)
NONE = -1  # no node, player or action
OUTCOMES = ("win", "tie", "lose")  # of a showdown between two, for seat 0


@dataclasses.dataclass(frozen=True, eq=False)
class Tree:
    """N nodes, A actions, S seats; see the module's docstring. All arrays are NumPy."""

    game: core.Game
    kind: np.ndarray  # [N] int8: DECISION, CHANCE or END
    player: np.ndarray  # [N] int8: who decides; NONE elsewhere
    street: np.ndarray  # [N] int8: of a decision; of the last action before a chance node or an end
    turn: np.ndarray  # [N] int16: actions of the street so far
    parent: np.ndarray  # [N] int32; NONE for the root
    action: np.ndarray  # [N] int16: the parent's action that leads here; NONE for the root and after a chance node
    children: np.ndarray  # [N, A] int32; NONE where an action is not legal. A chance node has its child in column 0
    to: np.ndarray  # [N, A] int32: chips "to" of each action of a decision, in games with chips; else [N, 0]
    payoffs: np.ndarray  # [N, outcomes, S] float32: what each seat gets at an end; 0 elsewhere
    orders: np.ndarray  # [outcomes, S] int8: how the showdown comes out, the highest wins; for two seats by OUTCOMES
    stakes: Stakes | None = None  # chips at the root, in games with chips

    @property
    def num_nodes(self) -> int:
        return len(self.kind)

    @property
    def num_actions(self) -> int:
        return self.children.shape[1]

    @property
    def num_seats(self) -> int:
        return self.payoffs.shape[2]

    @property
    def first_street(self) -> int:
        """The street of the root."""
        return int(self.street[0])

    @property
    def num_streets(self) -> int:
        """One more than the last street that is bet on."""
        return int(self.street.max()) + 1

    def payoffs_of(self, seat: int) -> np.ndarray:
        """``[N, outcomes]``: what ``seat`` gets at each end."""
        return self.payoffs[:, :, seat]

    def require_two_players(self, what: str) -> None:
        """``ValueError`` for a tree of more seats, or of two whose payoffs do not sum to zero."""
        if self.num_seats != 2:
            raise ValueError(f"{what} is for two players, not for {self.game.name} with {self.num_seats}")
        if not self.game.zero_sum:
            raise ValueError(f"{what} needs payoffs that sum to zero: those of {self.game.name} do not")

    def decisions(self, player: int | None = None, street: int | None = None) -> np.ndarray:
        """Nodes at which ``player``, or anybody, decides on ``street``, or any, in order."""
        chosen = self.kind == DECISION
        if player is not None:
            chosen = chosen & (self.player == player)
        if street is not None:
            chosen = chosen & (self.street == street)
        return np.nonzero(chosen)[0]

    def ends(self, street: int) -> np.ndarray:
        """Ends of the game whose last action was on ``street``, in order."""
        return np.nonzero((self.kind == END) & (self.street == street))[0]

    def legal(self, node: int | np.ndarray) -> np.ndarray:
        """``[..., A]`` bool: which actions there are at decision ``node``."""
        legal: np.ndarray = self.children[node] >= 0
        return legal

    def following(self) -> np.ndarray:
        """``[N, A]`` int32: the node after each action, beyond a chance node if there is one; NONE if not legal."""
        after_chance = np.where(self.kind == CHANCE, self.children[:, 0], np.arange(self.num_nodes))
        following: np.ndarray = np.where(self.children >= 0, after_chance[self.children], NONE).astype(np.int32)
        return following

    def is_fold(self, node: int | np.ndarray) -> np.ndarray | np.bool_:
        """``[...]`` bool: whether somebody has folded at end ``node``."""
        return (self.kind[node] == END) & (np.ptp(self.payoffs[node], axis=-2) == 0).all(axis=-1)

    @functools.cached_property
    def longest_game(self) -> int:
        """The most actions that a game may have."""
        actions, node = np.zeros(self.num_nodes, np.int32), np.arange(self.num_nodes)
        while (node >= 0).any():
            actions += (node >= 0) & (self.action[node] >= 0)
            node = np.where(node >= 0, self.parent[node], node)
        return int(actions.max())

    def path(self, node: int) -> list[int]:
        """The nodes from the root to ``node``, both included."""
        nodes = [node]
        while self.parent[nodes[-1]] >= 0:
            nodes.append(int(self.parent[nodes[-1]]))
        return nodes[::-1]

    def actions_to(self, node: int) -> list[int]:
        """The action ids that lead from the root to ``node``."""
        return [int(self.action[n]) for n in self.path(node) if self.action[n] >= 0]

    def paths(self, nodes: np.ndarray) -> np.ndarray:
        """``[n, longest]`` int32: the actions that lead to each of ``nodes``, then NONE; ``replay`` plays them."""
        each = [self.actions_to(int(node)) for node in nodes]
        table = np.full((len(each), max(map(len, each), default=0)), NONE, np.int32)
        for row, actions in zip(table, each, strict=True):
            row[: len(actions)] = actions
        return table

    def levels(self) -> list[np.ndarray]:
        """All nodes but the root, in groups whose parents are in earlier ones."""
        level = self.street.astype(np.int64) * (int(self.turn.max()) + 1) + self.turn
        order = np.argsort(level, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(level[order])) + 1)
        return [nodes for nodes in groups if nodes[0] != 0]

    # --- for people -----------------------------------------------------------------------------

    def action_text(self, node: int, action: int) -> str:
        """An action at a decision: "call", "1/2 pot to 12"."""
        if self._action_text is None:
            return f"action {action}"
        name = self._action_text(action, int(self.street[node]))
        return f"{name} to {self.to[node, action]}" if self.stakes is not None and action >= FIRST_SIZE else name

    @functools.cached_property
    def _action_text(self) -> Callable[[int, int], str] | None:
        """The game's words, if it has any. To ask whether it does takes longer than to ask for one."""
        return self.game.action_text if isinstance(self.game, StreetGame) else None

    def line_text(self, node: int) -> str:
        """The betting that leads to ``node``, streets divided by bars: "call raise call | raise"."""
        streets: dict[int, list[str]] = {s: [] for s in range(self.first_street, int(self.street[node]) + 1)}
        for n in self.path(node):
            if self.action[n] >= 0:
                parent = int(self.parent[n])
                streets[int(self.street[parent])].append(self.action_text(parent, int(self.action[n])))
        return " | ".join(" ".join(words) for words in streets.values()).strip()

    def text(self, max_nodes: int = 200) -> str:
        """The tree for people, one node a line, cut off after ``max_nodes`` lines."""
        counts = np.bincount(self.kind, minlength=3)
        lines = [
            f"{self.game.name}: {counts[DECISION]:,} decisions, {counts[CHANCE]:,} chance nodes, {counts[END]:,} ends, "
            f"{self.num_streets} street{'s' if self.num_streets > 1 else ''}"
        ]
        for node, depth in self._depth_first():
            if len(lines) > max_nodes:
                lines.append(f"... and {self.num_nodes - max_nodes:,} nodes more")
                break
            lines.append("  " * depth + self._node_text(node))
        return "\n".join(lines)

    def _depth_first(self) -> Iterator[tuple[int, int]]:
        """Nodes with their depths, every subtree in one piece."""
        stack = [(0, 0)]
        while stack:
            node, depth = stack.pop()
            yield node, depth
            stack += [(int(child), depth + 1) for child in self.children[node][::-1] if child >= 0]

    def _node_text(self, node: int) -> str:
        parent, action = int(self.parent[node]), int(self.action[node])
        came_by = f"{self.action_text(parent, action)}: " if action >= 0 else ""
        if self.kind[node] == DECISION:
            return f"{came_by}seat {self.player[node]} to act"
        if self.kind[node] == CHANCE:
            return f"{came_by}chance, street {self.street[node] + 1} begins"
        if self.num_seats > 2:
            return f"{came_by}end"
        win, _, lose = self.payoffs_of(0)[node]
        if self.is_fold(node):
            return f"{came_by}end, seat 0 gets {win:+g}"
        return f"{came_by}showdown, seat 0 gets {win:+g} or {lose:+g}"


def replay(game: core.Game, path: Array, deal: Any) -> Any:
    """The state of ``game`` after the actions ``path`` ``[length]`` of one deal; entries below 0 are left out."""

    def play(state: Any, action: Array) -> tuple[Any, None]:
        return core.select(action >= 0, game.step(state, action), state), None

    return jax.lax.scan(play, game.start(deal), path)[0]
