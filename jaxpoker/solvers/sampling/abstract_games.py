"""Which form of an abstract game a solver sweeps: between types of hands, between buckets, or between hands."""

from __future__ import annotations

import dataclasses

import jax

from jaxpoker.games import bets
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.sampling import preflop_luck
from jaxpoker.solvers.sampling.boards import Chance, HandBoards, HoldemBoards
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.type_game import TypeGame
from jaxpoker.solvers.showdowns.type_counts import BucketPaths
from jaxpoker.solvers.tree import NONE, Tree
from jaxpoker.solvers.tree.street_shapes import ShapedTree, shaped

MAX_TYPES = 1_024  # above, hands are swept, not types
WASTE_OF_HANDS = 1.1  # shapes of betting between hands: room is dearer there than programs


def between_types(betting: ShapedTree, paths: BucketPaths) -> BucketGame | TypeGame | None:
    """The game between the types of ``paths``, in the faster of its two forms; None where there are too many."""
    if paths.size[0] > MAX_TYPES:
        return None
    return TypeGame(betting, paths) if paths.remember else BucketGame(betting, paths)


def of_abstraction(
    tree: Tree,
    abstraction: CardAbstraction,
    mesh: jax.sharding.Mesh | None = None,
    waste: float = WASTE_OF_HANDS,
    play_cost: float = 0.0,
) -> tuple[BucketGame | TypeGame | HandGame, Chance]:
    """Hold'em seen through a card abstraction, and its boards: between types where they can be counted, else between
    hands, where ``waste`` says how much larger shapes of betting may become by joining: few compile soon, many are
    swept faster. ``play_cost`` is what the first player is charged for not folding at once (``charged``), big blinds.
    """
    boards = HoldemBoards(abstraction, tree.num_streets, mesh)
    if not boards.has_more_types(MAX_TYPES):
        counted = between_types(charged(shaped(tree), play_cost), boards.paths)
        if counted is not None:
            return counted, boards
    betting = charged(shaped(tree, waste), play_cost)
    known = preflop_luck.of(betting, abstraction)
    hands = HandGame(betting, abstraction.num_buckets[: tree.num_streets], mesh, known)
    return hands, HandBoards(abstraction, tree.num_streets, mesh)


def charged(betting: ShapedTree, play_cost: float) -> ShapedTree:
    """``betting`` in which the first player pays ``play_cost`` big blinds for each hand that it does not fold at once.

    A weak hand is worth some hundredths of a big blind more or less than a fold, which is less than the buckets are
    wrong about it. So small a cost makes the fold clear. To charge for playing is to pay for folding, and nobody
    decides anything after that fold: no other decision changes.
    """
    if not play_cost:
        return betting
    tree = betting.tree
    (first, *others) = betting.streets[0]
    fold = int(tree.children[0, bets.FOLD])
    if fold == NONE or others or first.num_starts != 1:
        raise ValueError(f"a play cost of {play_cost:g}: the first player of this betting has nothing to fold")
    pays = first.fold_pays.copy()
    pays[0, 0] += play_cost * (1 if tree.player[0] == 0 else -1)  # the first of all folds; in big blinds
    shapes = (dataclasses.replace(first, fold_pays=pays),)
    return dataclasses.replace(betting, streets=(shapes, *betting.streets[1:]))
