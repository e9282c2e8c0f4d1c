"""Building a public betting tree: of a whole game, or from any public state of it.

    whole = tree.build(jaxpoker.make("leduc"))
    rest = tree.build(game, state)                   # from where a hand stands: its street, pot, bets and stacks
    rest, nodes = tree.below(whole, node)            # the same, cut out of the whole tree

The game is played on from its root, all decisions of a level at once, with such cards that a showdown would come out
in each possible way (``games/protocols.TreeGame``).
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games.protocols import Stakes, StakesGame, StreetGame, TreeGame
from jaxpoker.solvers.tree.chips import chips_at
from jaxpoker.solvers.tree.public_tree import CHANCE, DECISION, END, NONE, Tree

Array = jax.Array

MAX_NODES = 4_000_000
_CHIP_BLOCK, _SMALL_BLOCK = 512, 16  # decisions that are expanded at once


class _Expanded(NamedTuple):
    """What one expansion of n decisions says; NumPy."""

    player: np.ndarray  # [n]
    legal: np.ndarray  # [n, A]
    to: np.ndarray  # [n, A] or [n, 0]
    states: Any  # leaves [n, A, outcomes, ...]: after each action, for each outcome of a showdown
    over: np.ndarray  # [n, A] the game is over after the action
    street: np.ndarray  # [n, A] after the action
    payoffs: np.ndarray  # [n, A, outcomes, seats]


def build(game: core.Game, state: Any = None, max_nodes: int = MAX_NODES) -> Tree:
    """The tree of ``game`` from the public ``state`` of one table on, or from its start when None.

    Of ``state`` only what is public counts: street, bets, stacks and whose turn it is. Any number of players; hold'em
    has the game's menu and, from its start, the game's stack and blinds.
    """
    if not isinstance(game, TreeGame):
        raise ValueError(
            f"there is no tree of {game.name}: it needs showdown_orders and showdown_states (games/protocols.py)"
        )
    if state is not None and bool(core.is_over(state)):
        raise ValueError(f"this game of {game.name} is over: a tree begins where somebody is to act")
    columns: dict[str, list[np.ndarray]] = {
        f.name: [] for f in dataclasses.fields(Tree) if f.name not in ("game", "orders", "stakes")
    }
    links: list[tuple[np.ndarray, np.ndarray]] = []  # (parents * A + action, child) of each level
    num_actions, num_nodes = game.num_actions, 0
    chips = num_actions if isinstance(game, StakesGame) else 0
    outcomes = (len(game.showdown_orders), game.num_players)

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
            "payoffs": np.zeros((n, *outcomes)),
        }
        for name, values in (fields | known).items():
            columns[name].append(np.asarray(values))
        links.append((parent * num_actions + np.maximum(action, 0), nodes))
        return nodes

    root = jax.tree.map(lambda x: np.asarray(x)[None], game.showdown_states(state))
    first = jax.tree.map(lambda x: x[0, 0], root)
    opening, origin = root, np.full(1, NONE)  # first states of a street, and the chance nodes that they follow
    street = int(_street(game, first))
    if np.asarray(core.is_over(root)).all():  # blinds and antes alone have decided it
        add(END, 0, 0, origin, origin, payoffs=np.asarray(root.rewards))
        opening, origin = root, origin[:0]
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
    return Tree(
        game,
        **{name: values.astype(types.get(name, np.int32)) for name, values in joined.items()},
        orders=game.showdown_orders,
        stakes=game.stakes(first) if isinstance(game, StakesGame) else None,
    )


def below(tree: Tree, node: int) -> tuple[Tree, np.ndarray]:
    """The part of ``tree`` from decision ``node`` on, and which node of ``tree`` each of its nodes is ``[n]``."""
    if not 0 <= node < tree.num_nodes or tree.kind[node] != DECISION:
        raise ValueError(f"node {node} is no decision of this tree: a subtree begins with one")
    inside = np.zeros(tree.num_nodes, bool)
    inside[node] = True
    for level in tree.levels():
        inside[level] |= inside[tree.parent[level]]
    nodes = np.flatnonzero(inside)
    place = np.full(tree.num_nodes + 1, NONE, np.int32)  # NONE, the last, stays NONE
    place[nodes] = np.arange(len(nodes))
    fields = {f.name: getattr(tree, f.name) for f in dataclasses.fields(Tree)}
    cut = {name: fields[name][nodes] for name in fields if name not in ("game", "orders", "stakes")}
    cut["parent"] = np.where(nodes == node, NONE, place[cut["parent"]])
    cut["children"] = place[cut["children"]]
    cut["action"] = np.where(nodes == node, NONE, cut["action"]).astype(tree.action.dtype)
    since_root = np.where(cut["street"] == tree.street[node], tree.turn[node], 0)
    cut["turn"] = (cut["turn"] - since_root).astype(tree.turn.dtype)
    stakes = tree.stakes
    if stakes is not None:
        chips = chips_at(tree)
        stakes = Stakes(stakes.starting, chips.before[node], chips.bets[node])
    return Tree(**{**fields, **cut, "stakes": stakes}), nodes


def _rows(states: Any, chosen: np.ndarray) -> Any:
    """The states ``[m, outcomes, ...]`` of the chosen places of ``[n, A, outcomes, ...]``."""
    return jax.tree.map(lambda x: x[chosen], states)


def _expand(game: core.Game, states: Any) -> _Expanded:
    """All actions of the decisions ``states`` ``[n, outcomes, ...]``, in blocks of one size, so that it compiles
    once.
    """
    size = _CHIP_BLOCK if isinstance(game, StakesGame) else _SMALL_BLOCK
    n = len(jax.tree.leaves(states)[0])
    key = game.without_stakes() if isinstance(game, StakesGame) else game
    blocks = []
    for start in range(0, n, size):
        block = jax.tree.map(lambda x, at=start: x[at : at + size], states)
        short = size - len(jax.tree.leaves(block)[0])
        padded = jax.tree.map(lambda x, pad=short: np.concatenate([x, np.repeat(x[:1], pad, axis=0)]), block)
        level = jax.tree.map(np.asarray, _expanded(key, padded))
        blocks.append(jax.tree.map(lambda x, pad=short: x[: size - pad], level))
    return _Expanded(*jax.tree.map(lambda *parts: np.concatenate(parts), *blocks))


@functools.partial(jax.jit, static_argnums=0)
def _expanded(game: core.Game, states: Any) -> tuple[Any, ...]:
    def of_decision(states: Any) -> tuple[Any, ...]:
        here = jax.tree.map(lambda x: x[0], states)  # betting is the same in all of them
        actions = jnp.arange(game.num_actions, dtype=jnp.int32)
        after = jax.vmap(jax.vmap(game.step, in_axes=(0, None)), in_axes=(None, 0))(states, actions)
        one = jax.tree.map(lambda x: x[:, 0], after)  # [A, ...]
        to = game.choices(here)[0] if isinstance(game, StakesGame) else jnp.zeros(0, jnp.int32)
        street = jax.vmap(functools.partial(_street, game))(one)
        return here.current_player, here.legal_action_mask, to, after, core.is_over(one), street, after.rewards

    return jax.vmap(of_decision)(states)


def _street(game: core.Game, state: Any) -> Array:
    """``[]`` int32: the street of one state; 0 in a game that has one."""
    return game.street(state) if isinstance(game, StreetGame) else jnp.zeros((), jnp.int32)
