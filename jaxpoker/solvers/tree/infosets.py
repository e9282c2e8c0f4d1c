"""Information sets of abstract hold'em by name: who acts, on which street, after which betting, with which bucket.

    key = infosets.key_of(tree, node, bucket)     # InfoSetKey(0, Street.FLOP, "r5c/c", 3, 2)
    infosets.find(tree, key)                      # (node, bucket)

The betting is written as ``tree/lines.py`` says. By default a key has the whole history: every decision of the tree has
its own row in a solver's tables. ``merged_rows`` is the coarser choice. It leaves out the betting of earlier streets,
and keeps the sizes of this street, as the menu says them, and the stack-to-pot ratio.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from jaxpoker.games.holdem.table import Street
from jaxpoker.solvers.tree.chips import SPR_NAMES, spr_buckets
from jaxpoker.solvers.tree.lines import action_token_by_size, node_of, sequence_of, street_sequence_of
from jaxpoker.solvers.tree.public_tree import DECISION, Tree

POSITIONS = ("BTN", "BB")  # by seat: heads-up the button posts the small blind


class InfoSetKey(NamedTuple):
    """What a player knows in the abstract game."""

    player_position: int  # 0 button, 1 big blind
    street: int  # Street.PREFLOP ... Street.RIVER
    betting_sequence: str  # see ``tree/lines.py``
    card_bucket: int
    spr_bucket: int  # 0 shallow, 1 medium, 2 deep; the whole history implies it


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
    for nodes in tree.levels():
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
    return "".join(action_token_by_size(tree, node, action) for action in np.flatnonzero(tree.legal(node)).tolist())


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
