"""Betting as text, and the nodes of a tree that it leads to.

    lines.node_of(tree, "r5c/c")               # the node
    lines.sequence_of(tree, node)              # "r5c/c"

The betting is written in one letter per action, streets divided by bars; "" is the first decision of the tree and
"cc/" the first after the flop:

    f       fold
    c       check or call
    r12     bet, or raise **to** 12 chips on this street
    a       all-in

When it is read, blanks and capitals do not matter, bars may be left out, a raise may be said as the menu says it
("r33%", "r3/4", "r2.5x", "rmin"), "r" is enough where there is one raise, and the all-in may be said in chips. Where
two sizes of a menu come to the same chips, the second one is written with its action id: "r4#3". Other games are
written with the first letters of their actions: Leduc the same way with "r" alone, Kuhn with "p" and "b".
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import numpy as np

from jaxpoker.games import bets
from jaxpoker.solvers.tree.chips import chips_at
from jaxpoker.solvers.tree.public_tree import CHANCE, DECISION, END, Tree

_TOKEN = re.compile(r"r((?P<size>\d+/\d+|\d+(\.\d+)?(%|x|bb)?|min|pot)(#(?P<id>\d+))?)?|[a-z\d]")
_STREET_END = "/"


class _Words(NamedTuple):
    """The betting of a tree in words, by node."""

    token: list[str]  # of the action that leads to the node; "/" after a chance node, "" at the root
    sequence: list[str]  # all tokens from the root on
    node_of: dict[str, int]  # the decision after a sequence


@functools.lru_cache(maxsize=8)
def _words(tree: Tree) -> _Words:
    parents, actions, after_chance = tree.parent.tolist(), tree.action.tolist(), (tree.action < 0).tolist()
    if tree.stakes is not None:
        chosen = np.maximum(tree.action, 0)
        to, all_in = tree.to[tree.parent, chosen], _all_ins(tree)[tree.parent, chosen]
        calls = to <= chips_at(tree).price[tree.parent]
        twice = _repeats(tree)[tree.parent, chosen]
        kinds = np.select([tree.action == bets.FOLD, calls, all_in, twice], ["f", "c", "a", "r{}#{}"], "r{}")
        token = [kind.format(*of) for kind, *of in zip(kinds.tolist(), to.tolist(), actions, strict=True)]
    else:
        letters = _letters(tree)
        token = [letters[action] for action in actions]
    token = [_STREET_END if begins else word for word, begins in zip(token, after_chance, strict=True)]
    token[0] = ""
    sequence = [""] * tree.num_nodes
    for node in range(1, tree.num_nodes):
        sequence[node] = sequence[parents[node]] + token[node]
    return _Words(token, sequence, {sequence[node]: node for node in tree.decisions().tolist()})


def _letters(tree: Tree) -> list[str]:
    """The letter of each action: the first of its name, or its number where two begin alike."""
    names = [tree.action_text(0, action) for action in range(tree.num_actions)]
    letters = [name[0].lower() for name in names]
    return letters if len(set(letters)) == len(letters) else [str(action) for action in range(tree.num_actions)]


def _menu(tree: Tree) -> bets.BetMenu:
    menu = getattr(tree.game, "bet_menu", None)
    assert isinstance(menu, bets.BetMenu)
    return menu


def _sizes(tree: Tree, node: int) -> tuple[bets.Size, ...]:
    """The menu at a decision; the first size is action ``bets.FIRST_SIZE``."""
    return _menu(tree).streets[tree.street[node]]


def _all_ins(tree: Tree) -> np.ndarray:
    """[N, A] bool: actions that the menu calls all-in."""
    menu = _menu(tree)
    by_street = np.zeros((len(menu.streets), tree.num_actions), bool)
    for row, sizes in zip(by_street, menu.streets, strict=True):
        row[bets.FIRST_SIZE : bets.FIRST_SIZE + len(sizes)] = [size.unit == "all-in" for size in sizes]
    return by_street[tree.street]


def _repeats(tree: Tree) -> np.ndarray:
    """[N, A] bool: legal raises to the same chips as an earlier one."""
    legal, repeats = tree.children >= 0, np.zeros(tree.children.shape, bool)
    for action in range(bets.FIRST_SIZE, tree.num_actions):
        for earlier in range(bets.FIRST_SIZE, action):
            same = tree.to[:, action] == tree.to[:, earlier]
            repeats[:, action] |= legal[:, action] & legal[:, earlier] & same
    return repeats


def action_token(tree: Tree, node: int, action: int) -> str:
    """A legal action at a decision: "c", "r12"."""
    words, child = _words(tree), int(tree.children[node, action])
    if child < 0:
        raise ValueError(f"{tree.action_text(node, action)} is not legal after {words.sequence[node]!r}")
    return words.token[child]


def action_token_by_size(tree: Tree, node: int, action: int) -> str:
    """A legal action with its size as the menu says it: "c", "r33%"."""
    token = action_token(tree, node, action)
    if not token.startswith("r") or tree.stakes is None:
        return token
    size = _sizes(tree, node)[action - bets.FIRST_SIZE]
    if size.unit == "pot":
        percent = size.factor * 100
        return f"r{percent}%" if percent.denominator == 1 else f"r{size.factor}"
    return "rmin" if size.unit == "min" else f"r{float(size.factor):g}{'x' if size.unit == 'price' else 'bb'}"


def _legal(tree: Tree, node: int) -> list[int]:
    actions: list[int] = np.flatnonzero(tree.legal(node)).tolist()
    return actions


def sequence_of(tree: Tree, node: int) -> str:
    """The betting that leads to ``node``: "r5c/c"."""
    return _words(tree).sequence[node]


def street_sequence_of(tree: Tree, node: int) -> str:
    """The betting of the node's own street that leads there, sizes as the menu says them: "cr33%"."""
    tokens: list[str] = []
    while tree.action[node] >= 0:
        parent = int(tree.parent[node])
        tokens.insert(0, action_token_by_size(tree, parent, int(tree.action[node])))
        node = parent
    return "".join(tokens)


def node_of(tree: Tree, sequence: str) -> int:
    """The decision after a betting sequence; ``ValueError`` with what may follow the part of it that is on the tree."""
    compact = "".join(sequence.lower().split())
    known = _words(tree).node_of.get(compact)
    if known is not None:
        return known
    node = at = 0
    while True:
        if tree.kind[node] == CHANCE:
            node = int(tree.children[node, 0])
            at += compact.startswith(_STREET_END, at)
        if at == len(compact):
            break
        token = _TOKEN.match(compact, at)
        action = _action_of(tree, node, token) if token and tree.kind[node] == DECISION else None
        if token is None or action is None:
            raise ValueError(_unknown(tree, sequence, node, compact[at:]))
        node, at = int(tree.children[node, action]), token.end()
    if tree.kind[node] == END:
        raise ValueError(_unknown(tree, sequence, node, ""))
    return node


def _action_of(tree: Tree, node: int, token: re.Match[str]) -> int | None:
    """The legal action that a token says, or None."""
    word, size = token[0], token["size"]
    tokens = {action_token(tree, node, action): action for action in _legal(tree, node)}
    if word in tokens or not word.startswith("r"):
        return tokens.get(word)
    raises = [action for said, action in tokens.items() if said[0] in "ra"]
    if size is None:
        return raises[0] if len(raises) == 1 else None
    if tree.stakes is None:
        return None
    if size.isdecimal():
        found = [action for action in raises if str(tree.to[node, action]) == size.lstrip("0")]
        found = [action for action in found if token["id"] in (None, str(action))]
    else:
        wanted = bets.parse_size(size)
        found = [action for action in raises if _sizes(tree, node)[action - bets.FIRST_SIZE] == wanted]
    return found[0] if found else None


def _unknown(tree: Tree, sequence: str, node: int, rest: str) -> str:
    """Why a sequence is not on the tree: how far it is, and what may follow there."""
    text = f"unknown betting sequence {sequence!r}: "
    if tree.kind[node] == END:
        text += f"the hand is over after {sequence_of(tree, node)!r}, nobody acts any more; "
        node, rest = int(tree.parent[node]), ""
    known = sequence_of(tree, node)
    where = f"after {known!r}" if known else "at the start"
    missing = f" there is no {rest!r}:" if rest else ""
    legal = [f"{action_token(tree, node, action)} ({tree.action_text(node, action)})" for action in _legal(tree, node)]
    return f"{text}{where}{missing} legal are {', '.join(legal)}"
