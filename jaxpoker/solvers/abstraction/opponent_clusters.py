"""What a hand on the river wins from each of eight groups of opponents' hands.

Two hands with the same equity against a random hand may be very different: one beats all bluffs and no strong hand, the
other ties with most. So the 169 hands before the flop are put into eight clusters, weak to strong, and a hand on a
river board is described by its equity against the hands of each ("opponent cluster hand strength", OCHS; Johanson et
al., 2013):

    feature(k) = floor(1000 (2 wins + ties) / (2 rivals)),  wins, ties and rivals of cluster k

Rivals share no card with the hand or the board: a hand that blocks strong ones has other numbers than one that does
not. Where a cluster has no rival left, the feature is that of all 990 rivals. All of it is in whole numbers.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards
from jaxpoker.blocks import kept
from jaxpoker.ranges import COMBOS, combo_index
from jaxpoker.solvers.abstraction import equity_distributions as distributions

Array = jax.Array

CLUSTERS = 8
SCALE = 1000  # the feature of a hand that beats every rival

MANY_HANDS = 64  # of which ``of_board`` is sooner done
_WORD = 32  # bits of a number that holds the counts of several clusters
_OF_ALL, _OF_CARD = 16, 8  # bits of a count: half wins from all hands, and from the hands with one of two cards


def of_board(board: Array, cluster_of: Array) -> Array:
    """``[8, 1326]`` int16: the features of every combo on ``board`` ``[5]``; those of blocked ones mean nothing.

    ``cluster_of`` ``[1326]`` is the cluster of each combo as a rival. Half wins are counted as in
    ``equity_distributions.river_scores``, for several clusters in one number. Jittable.
    """
    found = distributions.compared(board)
    member = (cluster_of == jnp.arange(CLUSTERS, dtype=cluster_of.dtype)[:, None]).astype(jnp.int32)  # [8, 1326]
    live = jnp.where(found.blocked, 0, member)

    in_order = _packed(live, _OF_ALL)[:, found.order]
    of_weakest = jnp.pad(jnp.cumsum(in_order, axis=1), ((0, 0), (1, 0)))  # [4, 1327]: of the n weakest hands
    from_all = _counts(of_weakest[:, found.weaker] + of_weakest[:, found.not_stronger], _OF_ALL)
    two_cards = 1 - np.eye(cards.NUM_CARDS, dtype=np.int32)
    of_card = kept(distributions.by_card(_packed(live, _OF_CARD)) * two_cards)  # [2, 52, 52]
    from_sharing = _counts(distributions.from_sharing(found, of_card), _OF_CARD)

    of_card_sum = of_card.sum(axis=2)  # [2, 52]
    sharing = _counts(of_card_sum[:, COMBOS[:, 0]] + of_card_sum[:, COMBOS[:, 1]], _OF_CARD)
    score = from_all - from_sharing + member  # the hand itself: a tie among all and in each of two rows
    return _features(*kept((score, live.sum(axis=1, keepdims=True) - sharing + member)))


def of_hand(hole: Array, board: Array, cluster_of: Array) -> Array:
    """``[8]`` int16: the features of ``hole`` ``[2]`` on ``board`` ``[5]``, as ``of_board`` has them. Jittable; under
    ``vmap`` over hands on one board ``of_board`` finds them all at once.
    """
    hand = jax.custom_batching.custom_vmap(_of_hand)

    @hand.def_vmap
    def hands(size: int, in_batched: list[bool], hole: Array, board: Array, cluster_of: Array) -> tuple[Array, bool]:
        if in_batched == [True, False, False] and size >= MANY_HANDS:
            return of_board(board, cluster_of)[:, combo_index(hole[:, 0], hole[:, 1])].T, True
        axes = [0 if batched else None for batched in in_batched]
        return jax.vmap(_of_hand, axes)(hole, board, cluster_of), True

    features: Array = hand(hole, board, cluster_of)
    return features


def _of_hand(hole: Array, board: Array, cluster_of: Array) -> Array:
    member = (cluster_of[:, None] == jnp.arange(CLUSTERS, dtype=cluster_of.dtype)).astype(jnp.float32)  # [1326, 8]
    counted = kept(distributions.half_wins(hole, board))
    score, rivals = ((of_rivals.astype(jnp.float32) @ member).astype(jnp.int32) for of_rivals in counted)
    return _features(*kept((score, rivals)))  # sums of 0, 1 and 2 below 2,000: exact in float32


def _features(score: Array, rivals: Array) -> Array:
    """From half wins and rivals by cluster, both ``[8, ...]``."""
    score, rivals = (jnp.where(rivals > 0, of, of.sum(axis=0)) for of in (score, rivals))
    return (SCALE * score // (2 * jnp.maximum(rivals, 1))).astype(jnp.int16)


def _packed(counts: Array, bits: int) -> Array:
    """``[8 bits / 32, n]`` int32: counts ``[8, n]`` of that many bits each; sums of them are counts again."""
    fields = _WORD // bits
    place = jnp.left_shift(1, bits * jnp.arange(fields, dtype=jnp.int32))
    return (counts.reshape(-1, fields, counts.shape[1]) * place[:, None]).sum(axis=1)


def _counts(packed: Array, bits: int) -> Array:
    """``[8, n]`` int32: what ``_packed`` has put together."""
    shift = bits * np.arange(_WORD // bits, dtype=np.int32)[:, None]
    return (packed[:, None] >> shift & ((1 << bits) - 1)).reshape(CLUSTERS, -1)
