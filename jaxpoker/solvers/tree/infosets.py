"""Information sets of abstract hold'em by name: who acts, on which street, after which betting, with which bucket.

    key = infosets.key_of(tree, node, bucket)     # InfoSetKey(0, Street.FLOP, "r5c/c", 3, 2)
    infosets.find(tree, key)                      # (node, bucket)
    infosets.node_of(tree, "r5c/c")               # the node
    infosets.sequence_of(tree, node)              # "r5c/c"

The betting is written in one letter per action, streets divided by bars; "" is the first decision of the hand and
"cc/" the first after the flop:

    f       fold
    c       check or call
    r12     bet, or raise **to** 12 chips on this street
    a       all-in

When it is read, blanks and capitals do not matter, bars may be left out, a raise may be said as the menu says it
("r33%", "r3/4", "r2.5x", "rmin"), "r" is enough where there is one raise, and the all-in may be said in chips. Where
two sizes of a menu come to the same chips, the second one is written with its action id: "r4#3". Leduc is written
the same way with "r" alone, Kuhn with "p" and "b".

The whole history is the default: one row of a solver's tables per decision of the tree. ``merged_rows`` is the coarser
choice: it forgets earlier streets and keeps the sizes of this one, as the menu says them, and the stack-to-pot ratio.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import numpy as np

from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.solvers.abstraction import Street
from jaxpoker.solvers.tree.public_tree import CHANCE, DECISION, END, Tree

POSITIONS = ("BTN", "BB")  # by seat: heads-up the button posts the small blind
SPR_EDGES = (4, 13)  # stack-to-pot ratios: below 4 is shallow, below 13 medium, from 13 on deep
SPR_NAMES = ("shallow", "medium", "deep")

_LETTERS = {"kuhn": "pb", "leduc": "fcr"}  # by action
_TOKEN = re.compile(r"r((?P<size>\d+/\d+|\d+(\.\d+)?(%|x|bb)?|min|pot)(#(?P<id>\d+))?)?|[fcapb]")
_STREET_END = "/"


class InfoSetKey(NamedTuple):
    """What a player knows in the abstract game."""

    player_position: int  # 0 button, 1 big blind
    street: int  # Street.PREFLOP ... Street.RIVER
    betting_sequence: str  # see the module's docstring
    card_bucket: int
    spr_bucket: int  # 0 shallow, 1 medium, 2 deep; the whole history implies it


# --- chips ------------------------------------------------------------------------------------


class Chips(NamedTuple):
    """Chips at each of the N nodes of a hold'em tree; both seats start with the same stack."""

    bets: np.ndarray  # [N, 2] int32: of each seat on the node's street
    price: np.ndarray  # [N] int32: the largest of them
    pot: np.ndarray  # [N] int32: all chips put in
    behind: np.ndarray  # [N] int32: what is left of a stack behind the price


@functools.lru_cache(maxsize=8)
def chips(tree: Tree) -> Chips:
    """The chips at each node."""
    game = tree.game
    if not isinstance(game, Holdem):
        raise ValueError(f"there are no chips in a tree of {game.name}: they are hold'em's")
    before = np.zeros(tree.num_nodes, np.int32)  # what each seat has put in on earlier streets, with the ante
    bets_of = np.zeros((tree.num_nodes, 2), np.int32)
    before[0] = min(game.ante, game.stack)
    bets_of[0] = np.minimum([game.small_blind, game.big_blind], game.stack - before[0])
    for nodes in _levels(tree):
        parent, action = tree.parent[nodes], tree.action[nodes]
        before[nodes], bets_of[nodes] = before[parent], bets_of[parent]
        dealt = tree.kind[parent] == CHANCE
        before[nodes[dealt]] += bets_of[parent[dealt]].max(axis=1)
        bets_of[nodes[dealt]] = 0
        paid = ~dealt & (action != bets.FOLD)
        bets_of[nodes[paid], tree.player[parent[paid]]] = tree.to[parent[paid], action[paid]]
    price = bets_of.max(axis=1)
    return Chips(bets_of, price, 2 * before + bets_of.sum(axis=1, dtype=np.int32), game.stack - before - price)


def _levels(tree: Tree) -> list[np.ndarray]:
    """All nodes but the root, in groups whose parents are in earlier ones."""
    level = tree.street.astype(np.int64) * (int(tree.turn.max()) + 1) + tree.turn
    order = np.argsort(level, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(level[order])) + 1)
    return [nodes for nodes in groups if nodes[0] != 0]


@functools.lru_cache(maxsize=8)
def spr_buckets(tree: Tree) -> np.ndarray:
    """[N] int8: 0 shallow, 1 medium, 2 deep, by ``SPR_EDGES`` of behind / pot at each node."""
    at = chips(tree)
    return np.digitize(at.behind / at.pot, SPR_EDGES).astype(np.int8)


# --- betting as text --------------------------------------------------------------------------


class _Words(NamedTuple):
    """The betting of a tree in words, by node."""

    token: list[str]  # of the action that leads to the node; "/" after a chance node, "" at the root
    sequence: list[str]  # all tokens from the root on
    node_of: dict[str, int]  # the decision after a sequence


@functools.lru_cache(maxsize=8)
def _words(tree: Tree) -> _Words:
    parents, actions, after_chance = tree.parent.tolist(), tree.action.tolist(), (tree.action < 0).tolist()
    if isinstance(tree.game, Holdem):
        chosen = np.maximum(tree.action, 0)
        to, all_in = tree.to[tree.parent, chosen], _all_ins(tree)[tree.parent, chosen]
        calls = to <= chips(tree).price[tree.parent]
        twice = _repeats(tree)[tree.parent, chosen]
        kinds = np.select([tree.action == bets.FOLD, calls, all_in, twice], ["f", "c", "a", "r{}#{}"], "r{}")
        token = [kind.format(*of) for kind, *of in zip(kinds.tolist(), to.tolist(), actions, strict=True)]
    else:
        letters = _LETTERS[tree.game.name]
        token = [letters[action] for action in actions]
    token = [_STREET_END if begins else word for word, begins in zip(token, after_chance, strict=True)]
    token[0] = ""
    sequence = [""] * tree.num_nodes
    for node in range(1, tree.num_nodes):
        sequence[node] = sequence[parents[node]] + token[node]
    return _Words(token, sequence, {sequence[node]: node for node in tree.decisions().tolist()})


def _sizes(tree: Tree, node: int) -> tuple[bets.Size, ...]:
    """The menu at a decision; the first size is action ``bets.FIRST_SIZE``."""
    assert isinstance(tree.game, Holdem)
    return tree.game.bet_menu.postflop if tree.street[node] else tree.game.bet_menu.preflop


def _all_ins(tree: Tree) -> np.ndarray:
    """[N, A] bool: actions that the menu calls all-in."""
    assert isinstance(tree.game, Holdem)
    menu = tree.game.bet_menu
    by_street = np.zeros((2, tree.num_actions), bool)
    for row, sizes in zip(by_street, (menu.preflop, menu.postflop), strict=True):
        row[bets.FIRST_SIZE : bets.FIRST_SIZE + len(sizes)] = [size.unit == "all-in" for size in sizes]
    return by_street[(tree.street > 0).astype(np.int8)]


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


def _action_token_by_size(tree: Tree, node: int, action: int) -> str:
    """A legal action with its size as the menu says it: "c", "r33%"."""
    token = action_token(tree, node, action)
    if not token.startswith("r") or not isinstance(tree.game, Holdem):
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
        tokens.insert(0, _action_token_by_size(tree, parent, int(tree.action[node])))
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
    if not isinstance(tree.game, Holdem):
        return None
    if size.isdecimal():
        found = [action for action in raises if tree.to[node, action] == int(size)]
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


# --- keys -------------------------------------------------------------------------------------


def key_of(tree: Tree, node: int, bucket: int) -> InfoSetKey:
    """The key of a decision and a bucket of its street, with the whole history."""
    _require_decision(tree, node)
    return InfoSetKey(
        int(tree.player[node]),
        Street(int(tree.street[node])),
        sequence_of(tree, node),
        bucket,
        int(spr_buckets(tree)[node]),
    )


def find(tree: Tree, key: InfoSetKey) -> tuple[int, int]:
    """The decision and the bucket of a key with the whole history, which implies ``spr_bucket``: that is not read."""
    node = node_of(tree, key.betting_sequence)
    _require_same(tree, node, key)
    return node, key.card_bucket


def _require_decision(tree: Tree, node: int) -> None:
    if not 0 <= node < tree.num_nodes or tree.kind[node] != DECISION:
        raise ValueError(f"nobody decides at node {node}: the tree's decisions are tree.decisions()")


def _require_same(tree: Tree, node: int, key: InfoSetKey) -> None:
    player, street = int(tree.player[node]), int(tree.street[node])
    if (key.player_position, key.street) != (player, street):
        said, right = (
            f"{_position(seat)} on street {int(where)}"
            for seat, where in ((key.player_position, key.street), (player, street))
        )
        raise ValueError(f"after {key.betting_sequence!r} it is {right} who acts, not {said}")


def _position(seat: int) -> str:
    return POSITIONS[seat] if seat in (0, 1) else f"seat {seat}"


# --- merged rows ------------------------------------------------------------------------------


class MergedRows(NamedTuple):
    """Decisions that share a row of the tables, street by street."""

    row_of: tuple[np.ndarray, ...]  # per street [decisions of the street, in order] int32
    num_rows: tuple[int, ...]  # per street
    examples: tuple[np.ndarray, ...]  # per street [rows] int32: the first decision of each row


@functools.lru_cache(maxsize=8)
def merged_rows(tree: Tree) -> MergedRows:
    """Decisions merged that have the same player, street, betting on it, stack-to-pot bucket and legal actions.

    The betting of the street counts by action ids, not by chips. Decisions that are alike but for which actions are
    legal (a size that is too small in one pot and not in the other) stay apart: they could not share a strategy.
    """
    spr, line = spr_buckets(tree), np.zeros(tree.num_nodes, np.int64)  # line: numbers the betting of a street
    for nodes in _levels(tree):
        code = np.where(tree.action[nodes] < 0, 0, line[tree.parent[nodes]] * tree.num_actions + tree.action[nodes])
        line[nodes] = np.unique(code, return_inverse=True)[1]
    legal = (tree.children >= 0) @ (1 << np.arange(tree.num_actions, dtype=np.int64))
    alike = np.stack([tree.player, tree.turn, line, spr, legal], axis=1).astype(np.int64)
    rows, examples = [], []
    for street in range(tree.num_streets):
        nodes = tree.decisions(street=street)
        _, first, row = np.unique(alike[nodes], axis=0, return_index=True, return_inverse=True)
        rows.append(row.reshape(-1).astype(np.int32))
        examples.append(nodes[first].astype(np.int32))
    return MergedRows(tuple(rows), tuple(map(len, examples)), tuple(examples))


def merged_key_of(tree: Tree, street: int, row: int, bucket: int) -> InfoSetKey:
    """The key of a merged row and a bucket.

    Where rows differ in nothing but their legal actions, the betting is followed by those: "r33%[fca]".
    """
    sequences = _merged_sequences(tree)[street]
    if not 0 <= row < len(sequences):
        raise ValueError(f"row {row}: street {street} has rows 0 to {len(sequences) - 1}")
    node = merged_rows(tree).examples[street][row]
    return InfoSetKey(int(tree.player[node]), Street(street), sequences[row], bucket, int(spr_buckets(tree)[node]))


def find_merged(tree: Tree, key: InfoSetKey) -> tuple[int, int, int]:
    """Street, row and bucket of a merged key."""
    rows = _rows_by_key(tree)
    wanted = (key.player_position, int(key.street), "".join(key.betting_sequence.lower().split()), key.spr_bucket)
    if wanted in rows:
        return int(key.street), rows[wanted], key.card_bucket
    player, street, sequence, _ = wanted
    near = [k for k in rows if k[1] == street and k[2].partition("[")[0] == sequence.partition("[")[0]]
    if near:
        known = ", ".join(f"{POSITIONS[k[0]]} {k[2]!r} {SPR_NAMES[k[3]]} ({k[3]})" for k in sorted(near))
        raise ValueError(f"no merged row for {key}: with this betting on street {street} there are {known}")
    known = ", ".join(sorted({repr(k[2]) for k in rows if k[1] == street and k[0] == player}))
    raise ValueError(f"no merged row for {key}: on street {street} {_position(player)} acts after {known or 'nothing'}")


@functools.lru_cache(maxsize=8)
def _merged_sequences(tree: Tree) -> list[list[str]]:
    """Per street and row the betting, with the legal actions where it takes them to tell rows apart."""
    spr, sequences = spr_buckets(tree), []
    for examples in merged_rows(tree).examples:
        plain = [(int(tree.player[node]), street_sequence_of(tree, node), int(spr[node])) for node in examples.tolist()]
        sequences.append(
            [
                key[1] if plain.count(key) == 1 else f"{key[1]}[{_legal_text(tree, node)}]"
                for key, node in zip(plain, examples.tolist(), strict=True)
            ]
        )
    return sequences


def _legal_text(tree: Tree, node: int) -> str:
    return "".join(_action_token_by_size(tree, node, action) for action in _legal(tree, node))


@functools.lru_cache(maxsize=8)
def _rows_by_key(tree: Tree) -> dict[tuple[int, int, str, int], int]:
    """Rows by position, street, betting and stack-to-pot bucket."""
    spr = spr_buckets(tree)
    return {
        (int(tree.player[node]), street, sequence, int(spr[node])): row
        for street, (sequences, nodes) in enumerate(
            zip(_merged_sequences(tree), merged_rows(tree).examples, strict=True)
        )
        for row, (sequence, node) in enumerate(zip(sequences, nodes.tolist(), strict=True))
    }
