"""Betting trees as the content of a file: building one takes seconds, reading one a moment.

content = tree_file.packed(tree)
tree_file.unpacked(tree.game, content)                  # the same tree
"""

from __future__ import annotations

import dataclasses
import io

import numpy as np

from jaxpoker.files import archives
from jaxpoker.games.bets import STREETS
from jaxpoker.games.protocols import Stakes, StakesGame, TreeGame
from jaxpoker.solvers.tree.building import MAX_NODES
from jaxpoker.solvers.tree.public_tree import CHANCE, DECISION, END, NONE, Tree

MOST_BYTES = 1 << 30  # of all arrays; that of so many nodes is less

_STAKES = "stakes_"  # before the names of what is in ``Stakes``
_ARRAYS = tuple(field.name for field in dataclasses.fields(Tree) if field.name not in ("game", "stakes"))
_OF_STAKES = Stakes._fields


def packed(tree: Tree) -> bytes:
    """All arrays of the tree."""
    arrays = {name: getattr(tree, name) for name in _ARRAYS}
    if tree.stakes is not None:
        arrays |= {_STAKES + name: np.asarray(getattr(tree.stakes, name)) for name in _OF_STAKES}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def unpacked(game: TreeGame, content: bytes, max_nodes: int = MAX_NODES) -> Tree:
    """The tree of ``game`` that ``packed`` made ``content`` of; ``ValueError`` if it is damaged.

    Its shapes are looked at before its numbers are read, and what leads where before anybody follows it.
    """
    try:
        with archives.Archive(content, MOST_BYTES) as file:
            _require_shapes(game, file.shapes(), max_nodes)
            arrays = {name: file.array(name) for name in _ARRAYS}
            stakes = {name: file.array(_STAKES + name) for name in _OF_STAKES if f"{_STAKES}{name}.npy" in file.names}
        found = Tree(game, **arrays, stakes=Stakes(**stakes) if stakes else None)
        _require_tree(found)
    except (archives.Damaged, TypeError) as error:
        raise ValueError(f"no betting tree: {error}") from error
    return found


def _require_shapes(game: TreeGame, found: dict[str, tuple[tuple[int, ...], np.dtype]], max_nodes: int) -> None:
    shape, _ = found.get("kind", ((), None))
    nodes = shape[0] if len(shape) == 1 else 0
    if not 1 <= nodes <= max_nodes:
        raise archives.Damaged(f"it has {nodes:,} nodes, at most {max_nodes:,} can be")
    actions, chips = game.num_actions, game.num_actions if isinstance(game, StakesGame) else 0
    shapes: dict[str, tuple[int, ...]] = {name: (nodes,) for name in _ARRAYS}
    orders = game.showdown_orders
    shapes |= {"children": (nodes, actions), "to": (nodes, chips), "payoffs": (nodes, *orders.shape)}
    shapes |= {"orders": orders.shape, **{_STAKES + name: (game.num_players,) for name in _OF_STAKES}}
    for name, (is_, dtype) in found.items():
        if is_ != shapes.get(name) or dtype.kind != ("f" if name == "payoffs" else "i"):
            raise archives.Damaged(f"its {name} is {dtype}{list(is_)}")


def _require_tree(tree: Tree) -> None:
    """Every node but the root is the child of one before it, and nobody else is anybody's child."""
    nodes = np.arange(1, tree.num_nodes)
    parent, action = tree.parent[1:], np.maximum(tree.action[1:], 0)
    known = np.isin(tree.kind, (DECISION, CHANCE, END)).all() and (tree.street >= 0).all() and (tree.turn >= 0).all()
    linked = tree.parent[0] == NONE and (parent >= 0).all() and (parent < nodes).all()
    if not known or not linked or (action >= tree.num_actions).any():
        raise archives.Damaged("its nodes do not hang together")
    children = np.full_like(tree.children, NONE)
    children[parent, action] = nodes
    decides = tree.kind == DECISION
    if not np.array_equal(children, tree.children) or (decides != (tree.player != NONE)).any():
        raise archives.Damaged("its nodes do not hang together")
    if (
        (tree.player >= tree.num_seats).any()
        or (tree.street >= len(STREETS)).any()
        or not np.isfinite(tree.payoffs).all()
    ):
        raise archives.Damaged("it has seats, streets or payoffs that no game has")
