"""Chips at the nodes of a tree: pot, bets, and how deep the stacks are."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from jaxpoker.games import bets
from jaxpoker.solvers.tree.public_tree import CHANCE, Tree

SPR_EDGES = (4, 13)  # stack-to-pot ratios: below 4 is shallow, below 13 medium, from 13 on deep
SPR_NAMES = ("shallow", "medium", "deep")


class Chips(NamedTuple):
    """Chips at each of the N nodes of a tree, S seats."""

    before: np.ndarray  # [N, S] int32: put in on earlier streets, antes included
    bets: np.ndarray  # [N, S] int32: ... on the node's street
    price: np.ndarray  # [N] int32: the largest of the bets
    pot: np.ndarray  # [N] int32: all chips put in
    behind: np.ndarray  # [N] int32: what is left behind the price of the shortest stack


@functools.lru_cache(maxsize=8)
def chips_at(tree: Tree) -> Chips:
    """The chips at each node."""
    stakes = tree.stakes
    if stakes is None:
        raise ValueError(f"there are no chips in a tree of {tree.game.name}: only games with stacks have them")
    chips = np.result_type(np.int32, tree.to, *stakes)  # whole, or with fractions in a spot that has them
    before = np.zeros((tree.num_nodes, tree.num_seats), chips)
    bets_of = np.zeros((tree.num_nodes, tree.num_seats), chips)
    before[0], bets_of[0] = stakes.before, stakes.bets
    for nodes in tree.levels():
        parent, action = tree.parent[nodes], tree.action[nodes]
        before[nodes], bets_of[nodes] = before[parent], bets_of[parent]
        dealt = tree.kind[parent] == CHANCE
        before[nodes[dealt]] += bets_of[parent[dealt]]
        bets_of[nodes[dealt]] = 0
        paid = ~dealt & (action != bets.FOLD)
        bets_of[nodes[paid], tree.player[parent[paid]]] = tree.to[parent[paid], action[paid]]
    price = bets_of.max(axis=1)
    pot = (before + bets_of).sum(axis=1, dtype=chips)
    behind = (stakes.starting - before).min(axis=1) - price
    return Chips(before, bets_of, price, pot, behind)


@functools.lru_cache(maxsize=8)
def spr_buckets(tree: Tree) -> np.ndarray:
    """[N] int8: 0 shallow, 1 medium, 2 deep, by ``SPR_EDGES`` of behind / pot at each node."""
    at = chips_at(tree)
    return np.digitize(at.behind / at.pot, SPR_EDGES).astype(np.int8)
