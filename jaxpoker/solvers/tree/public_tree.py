"""The public betting tree of a game, as static arrays in level order.

Betting is public, so one tree serves all private hands: a solver keeps a vector over hands at every node. Public
cards do not change what may be bet, so a chance node has one child, the first decision of the next street, and
what differs from board to board is a column of the arrays there (see ``solvers/exact/deals.py``).

Nodes are numbered by (street, turn), turn being the actions of the street so far; two players alternate on a street,
so that all decisions of one such level belong to one player, and every child comes after its parent:

    street 0: turn 0 | turn 1 | turn 2 | ...    street 1: turn 0 | turn 1 | ...

An end of the game is worth to seat 0 what it gets there when it would win, split or lose the showdown: three
numbers, which are the same when somebody has folded.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games import kuhn, leduc, packed
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import Deal as HoldemDeal
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc

Array = jax.Array

DECISION, CHANCE, END = range(3)
NONE = -1  # no node, player or action
OUTCOMES = ("win", "tie", "lose")  # of a showdown, for seat 0
MAX_NODES = 4_000_000


@dataclasses.dataclass(frozen=True, eq=False)
class Tree:
    """N nodes, A actions; see the module's docstring. All arrays are NumPy."""

    game: core.Game
    kind: np.ndarray  # [N] int8: DECISION, CHANCE or END
    player: np.ndarray  # [N] int8: who decides; NONE elsewhere
    street: np.ndarray  # [N] int8: of a decision; of the last action before a chance node or an end
    turn: np.ndarray  # [N] int16: actions of the street so far
    parent: np.ndarray  # [N] int32; NONE for the root
    action: np.ndarray  # [N] int16: the parent's action that leads here; NONE for the root and after a chance node
    children: np.ndarray  # [N, A] int32; NONE where an action is not legal. A chance node has its child in column 0
    to: np.ndarray  # [N, A] int32: chips "to" of each action of a decision; hold'em only, else [N, 0]
    payoffs: np.ndarray  # [N, 3] float32: what seat 0 gets at an end, by OUTCOMES; 0 elsewhere

    @property
    def num_nodes(self) -> int:
        return len(self.kind)

    @property
    def num_actions(self) -> int:
        return self.children.shape[1]

    @property
    def num_streets(self) -> int:
        return int(self.street.max()) + 1

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
        return (self.kind[node] == END) & (np.ptp(self.payoffs[node], axis=-1) == 0)

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

    # --- for people -----------------------------------------------------------------------------

    def action_text(self, node: int, action: int) -> str:
        """An action at a decision: "call", "1/2 pot to 12"."""
        if isinstance(self.game, Holdem):
            name = self.game.bet_menu.action_name(action, int(self.street[node]))
            return name if action < 2 else f"{name} to {self.to[node, action]}"
        names = {Kuhn: kuhn.ACTIONS, Leduc: leduc.ACTIONS}[type(self.game)]
        return names[action]

    def line_text(self, node: int) -> str:
        """The betting that leads to ``node``, streets divided by bars: "call raise call | raise"."""
        streets: dict[int, list[str]] = {s: [] for s in range(int(self.street[node]) + 1)}
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
        win, _, lose = self.payoffs[node]
        if self.game.num_players > 2:
            return f"{came_by}end"
        if self.is_fold(node):
            return f"{came_by}end, seat 0 gets {win:+g}"
        return f"{came_by}showdown, seat 0 gets {win:+g} or {lose:+g}"


def replay(game: core.Game, path: Array, deal: Any) -> Any:
    """The state of ``game`` after the actions ``path`` ``[length]`` of one deal; entries below 0 are left out."""

    def play(state: Any, action: Array) -> tuple[Any, None]:
        return core.select(action >= 0, game.step(state, action), state), None

    return jax.lax.scan(play, game.start(deal), path)[0]


# --- building ---------------------------------------------------------------------------------


class _Level(NamedTuple):
    """What one expansion of n decisions says; NumPy."""

    player: np.ndarray  # [n]
    legal: np.ndarray  # [n, A]
    to: np.ndarray  # [n, A] or [n, 0]
    states: Any  # leaves [n, A, 3, ...]: after each action, for each outcome of a showdown
    over: np.ndarray  # [n, A] the game is over after the action
    street: np.ndarray  # [n, A] after the action
    payoffs: np.ndarray  # [n, A, 3] to seat 0


def build(game: core.Game, max_nodes: int = MAX_NODES) -> Tree:
    """The tree of Kuhn (any number of players), Leduc, or hold'em for two with the game's menu, stack and blinds."""
    if isinstance(game, Holdem) and game.num_players != 2:
        raise ValueError(f"a tree of hold'em is for 2 players, not {game.num_players}")
    columns: dict[str, list[np.ndarray]] = {f.name: [] for f in dataclasses.fields(Tree) if f.name != "game"}
    links: list[tuple[np.ndarray, np.ndarray]] = []  # (parents * A + action, child) of each level
    num_actions, num_nodes = game.num_actions, 0
    chips = num_actions if isinstance(game, Holdem) else 0

    def add(
        kind: int, street: int, turn: int, parent: np.ndarray, action: np.ndarray, **known: np.ndarray
    ) -> np.ndarray:
        """Numbers ``len(parent)`` new nodes."""
        nonlocal num_nodes
        n = len(parent)
        nodes = np.arange(num_nodes, num_nodes + n)
        num_nodes += n
        if num_nodes > max_nodes:
            raise ValueError(
                f"the tree has more than {max_nodes:,} nodes: take fewer bet sizes, fewer raises or shorter stacks"
            )
        fields = {
            "kind": np.full(n, kind),
            "player": np.full(n, NONE),
            "street": np.full(n, street),
            "turn": np.full(n, turn),
            "parent": parent,
            "action": action,
            "children": np.full((n, num_actions), NONE),
            "to": np.zeros((n, chips)),
            "payoffs": np.zeros((n, 3)),
        }
        for name, values in (fields | known).items():
            columns[name].append(np.asarray(values))
        links.append((parent * num_actions + np.maximum(action, 0), nodes))
        return nodes

    root = jax.tree.map(lambda x: np.asarray(x)[None], _root(game))
    opening, origin = root, np.full(1, NONE)  # first states of a street, and the chance nodes that they follow
    if np.asarray(core.is_over(root)).all():
        add(END, 0, 0, origin, origin, payoffs=np.asarray(root.rewards)[..., 0])
        opening, origin = root, origin[:0]
    street = 0
    while len(origin):
        frontier, parent, action, turn = opening, origin, np.full(len(origin), NONE), 0
        chances: list[tuple[Any, np.ndarray]] = []
        while len(parent):
            level = _expand(game, frontier)
            nodes = add(DECISION, street, turn, parent, action, player=level.player, to=level.to)
            ends = level.legal & level.over
            moves_on = level.legal & ~level.over & (level.street != street)
            stays = level.legal & ~level.over & (level.street == street)
            where, act = np.nonzero(ends)
            add(END, street, turn + 1, nodes[where], act, payoffs=level.payoffs[ends])
            where, act = np.nonzero(moves_on)
            chances.append((_rows(level.states, moves_on), add(CHANCE, street, turn + 1, nodes[where], act)))
            where, act = np.nonzero(stays)
            frontier, parent, action, turn = _rows(level.states, stays), nodes[where], act, turn + 1
        opening = jax.tree.map(lambda *parts: np.concatenate(parts), *[states for states, _ in chances])
        origin = np.concatenate([nodes for _, nodes in chances])
        street += 1

    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    for place, nodes in links:
        rooted = place >= 0
        joined["children"].reshape(-1)[place[rooted]] = nodes[rooted]
    types: dict[str, Any] = {
        "kind": np.int8,
        "player": np.int8,
        "street": np.int8,
        "turn": np.int16,
        "action": np.int16,
        "payoffs": np.float32,
    }
    return Tree(game, **{name: values.astype(types.get(name, np.int32)) for name, values in joined.items()})


def _rows(states: Any, chosen: np.ndarray) -> Any:
    """The states ``[m, 3, ...]`` of the chosen places of ``[n, A, 3, ...]``."""
    return jax.tree.map(lambda x: x[chosen], states)


def _root(game: core.Game) -> Any:
    """First states ``[3, ...]``: deals in which seat 0 would win, split and lose the showdown."""
    if isinstance(game, Kuhn):  # no ties: the middle one is a second win
        high_low = [list(range(game.num_cards))[::-1][: game.num_players], list(range(game.num_players))]
        deals: Any = kuhn.Deal(packed.pack(jnp.asarray([high_low[0], high_low[0], high_low[1]])))
    elif isinstance(game, Leduc):  # K J, J J and J K with a queen turned up
        deals = leduc.Deal(packed.pack(jnp.asarray([[4, 0, 2], [0, 1, 2], [0, 4, 2]])))
    elif isinstance(game, Holdem):
        zero = jnp.zeros(3, jnp.int32)
        strengths = (jnp.asarray([1, 0, 0]), jnp.asarray([0, 0, 1]))
        deals = HoldemDeal((zero,) * 4, (zero,) * 5, strengths)
        stakes = (game.stack, game.small_blind, game.big_blind, game.ante)
        return jax.tree.map(np.asarray, _started(_neutral(game), deals, *(jnp.int32(chips) for chips in stakes)))
    else:
        raise ValueError(f"there is no tree of {game.name}: trees are for kuhn, leduc and holdem")
    return jax.tree.map(np.asarray, jax.vmap(game.start)(deals))


def _neutral(game: Holdem) -> Holdem:
    """The game without its stack and blinds, which are data: games that differ by them compile once."""
    return Holdem(menu=game.menu, casino_blind=game.casino_blind, max_log=1)


@functools.partial(jax.jit, static_argnums=0)
def _started(game: Holdem, deals: HoldemDeal, stack: Array, small: Array, big: Array, ante: Array) -> Any:
    stacks = jnp.stack([stack, stack])
    return jax.vmap(lambda deal: game.start(deal, stacks, 0, small, big, ante))(deals)


def _expand(game: core.Game, states: Any) -> _Level:
    """All actions of the decisions ``states`` ``[n, 3, ...]``, in blocks of one size, so that it compiles once."""
    size = 512 if isinstance(game, Holdem) else 16
    n = len(jax.tree.leaves(states)[0])
    key = _neutral(game) if isinstance(game, Holdem) else game
    blocks = []
    for start in range(0, n, size):
        block = jax.tree.map(lambda x, at=start: x[at : at + size], states)
        short = size - len(jax.tree.leaves(block)[0])
        padded = jax.tree.map(lambda x, pad=short: np.concatenate([x, np.repeat(x[:1], pad, axis=0)]), block)
        level = jax.tree.map(np.asarray, _expanded(key, padded))
        blocks.append(jax.tree.map(lambda x, pad=short: x[: size - pad], level))
    return _Level(*jax.tree.map(lambda *parts: np.concatenate(parts), *blocks))


@functools.partial(jax.jit, static_argnums=0)
def _expanded(game: core.Game, states: Any) -> tuple[Any, ...]:
    def of_decision(states: Any) -> tuple[Any, ...]:
        here = jax.tree.map(lambda x: x[0], states)  # betting is the same in all three
        actions = jnp.arange(game.num_actions, dtype=jnp.int32)
        after = jax.vmap(jax.vmap(game.step, in_axes=(0, None)), in_axes=(None, 0))(states, actions)  # [A, 3, ...]
        one = jax.tree.map(lambda x: x[:, 0], after)
        to = game.choices(here)[0] if isinstance(game, Holdem) else jnp.zeros(0, jnp.int32)
        street = _street(one)
        return here.current_player, here.legal_action_mask, to, after, core.is_over(one), street, after.rewards[..., 0]

    return jax.vmap(of_decision)(states)


def _street(state: Any) -> Array:
    if isinstance(state, leduc.State):
        return state.round
    return jnp.zeros_like(state.turn) if isinstance(state, kuhn.State) else state.street
