"""Which form of an abstract game a solver sweeps: between types of hands, between buckets, or between hands."""

from __future__ import annotations

import jax

from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.sampling import preflop_luck
from jaxpoker.solvers.sampling.boards import Chance, HandBoards, HoldemBoards
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.type_game import TypeGame
from jaxpoker.solvers.showdowns.type_counts import BucketPaths
from jaxpoker.solvers.tree import Tree
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
) -> tuple[BucketGame | TypeGame | HandGame, Chance]:
    """Hold'em seen through a card abstraction, and its boards: between types where they can be counted, else between
    hands, where ``waste`` says how much larger shapes of betting may become by joining: few compile soon, many are
    swept faster.
    """
    boards = HoldemBoards(abstraction, tree.num_streets, mesh)
    counted = None if boards.has_more_types(MAX_TYPES) else between_types(shaped(tree), boards.paths)
    if counted is not None:
        return counted, boards
    betting = shaped(tree, waste)
    known = preflop_luck.of(betting, abstraction)
    hands = HandGame(betting, abstraction.num_buckets[: tree.num_streets], mesh, known)
    return hands, HandBoards(abstraction, tree.num_streets, mesh)
