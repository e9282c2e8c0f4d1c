"""The equity of a hand against a range, any 1,326 weights.

It is exact: a mean over every hand of the range and every board to come, so its standard error is 0. Before the flop
hands of one class count alike (see ``equity.by_hand``), which is exact for ranges that do not tell suits apart.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxpoker.equity import EquityEstimate
from jaxpoker.equity.by_hand import possible_hands, share_by_hand

Array = jax.Array


@jax.jit
def against_weights(hole: Array, board: Array, weights: Array) -> EquityEstimate:
    """Equity ``[]`` of ``hole`` ``[2]`` on ``board`` ``[n]``, n = 0, 3, 4 or 5 open cards, against ``weights``
    ``[1326]``, of which hands with a known card do not count; compiled once per n. NaN where no hand is left.
    """
    hole, board = jnp.asarray(hole, jnp.int32), jnp.asarray(board, jnp.int32)
    held = jnp.asarray(weights, jnp.float32) * possible_hands(jnp.concatenate([hole, board]))
    equity = (held * share_by_hand(hole, board)).sum() / held.sum()
    return EquityEstimate(equity, jnp.zeros_like(equity))
