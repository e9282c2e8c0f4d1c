"""The luck of the boards that were drawn, taken off the values before the flop.

Sums over a few boards are right on average, but they are noisy: 72o looks good on a board of two sevens. Whether a hand
is worth playing turns on hundredths of a big blind, so that the noise decides for a long time. What hands win from each
other on all 1,712,304 boards is known (``equity/matchups.py``), and two things follow:

    pots that end before the flop      are worth what they are worth over all boards; nothing of them is sampled
    pots that go on                    value = value on the boards drawn - c + mean of c over all boards,
                                       c = the same pot checked down to the showdown

The second is a control variate: c tells much of the luck, and its own mean is exact, so that no bias comes in. Buckets
that are dealt on the boards drawn more often than they should be are mended likewise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.equity.matchups import BOARDS, matchups
from jaxpoker.games import bets
from jaxpoker.solvers.abstraction import CardAbstraction, class_buckets
from jaxpoker.solvers.tree.public_tree import DECISION
from jaxpoker.solvers.tree.street_shapes import Shape, ShapedTree

Array = jax.Array

_PRECISION = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits
_DEALS = math.comb(52, 2) * math.comb(50, 2)  # of two hands, in order


class AllBoards(NamedTuple):
    """What buckets before the flop meet and win over all boards, and what a pot that goes on is worth checked down."""

    rivals: np.ndarray  # [buckets, buckets] float32: how likely both are dealt
    shown_down: np.ndarray  # [buckets, buckets] float32: ... times how much likelier the first wins than loses
    checked_down: tuple[np.ndarray, ...]  # by shape of the first street [chances, M] float32: what the winner gets

    def expected(self, kind: np.ndarray, theirs: Array, pays: Array | np.ndarray) -> Array:
        """``[leaves, buckets, M]``: the worth of leaves, of which ``pays`` ``[leaves, M]``, in the mean over boards.

        ``kind`` is ``rivals`` or ``shown_down``, and ``theirs`` ``[leaves, buckets, M]`` how likely each bucket of the
        other plays there.
        """
        return jnp.einsum("bc,lcm->lbm", kind, theirs, precision=_PRECISION) * pays[:, None]


def of(betting: ShapedTree, abstraction: CardAbstraction) -> AllBoards:
    """Of hold'em's ``betting`` from the first action on."""
    bucket_of = np.asarray(class_buckets(abstraction))  # [169]
    counts = matchups()
    member = (bucket_of == np.arange(abstraction.num_buckets[0])[:, None]).astype(np.float64)  # [buckets, 169]

    def between_buckets(of_classes: np.ndarray) -> np.ndarray:
        return (member @ (of_classes / _DEALS) @ member.T).astype(np.float32)

    return AllBoards(
        between_buckets(counts.combos),
        between_buckets((counts.win - counts.lose) / BOARDS),
        tuple(_checked_down(betting, shape) for shape in betting.streets[0]),
    )


def _checked_down(betting: ShapedTree, shape: Shape) -> np.ndarray:
    """[chances, M]: what the winner gets where both check from the flop on; 0 where there is no such place."""
    tree = betting.tree
    following, pays = tree.following(), tree.payoffs_of(0)[:, 0]
    starts = tree.decisions(street=1)
    starts = starts[tree.turn[starts] == 0]
    worth = []
    for start in starts.tolist():
        node = start
        while tree.kind[node] == DECISION:
            node = int(following[node, bets.CALL])
        worth.append(pays[node])
    return np.array([*worth, 0.0], np.float32)[np.minimum(shape.next_starts, len(starts))]
