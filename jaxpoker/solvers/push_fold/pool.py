"""Random deals to all seats, for all-ins of four and more."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands, ranges

Array = jax.Array


class Pool(NamedTuple):
    """D deals, each of as many hands as there are seats and a board."""

    classes: np.ndarray  # [seats, D] int32: the class of each hand
    strengths: np.ndarray  # [D, seats] int32: of its seven cards


@functools.lru_cache(maxsize=2)
def dealt(seats: int, deals: int, seed: int) -> Pool:
    classes, strengths = _dealt(jax.random.fold_in(jax.random.key(seed), seats), seats, deals)
    return Pool(np.asarray(classes), np.asarray(strengths).T)


@functools.partial(jax.jit, static_argnums=(1, 2))
def _dealt(key: Array, seats: int, deals: int) -> tuple[Array, Array]:
    columns = list(cards.deal_columns(key, 2 * seats + 5, (deals,)))
    board = hands.suit_masks(columns[2 * seats :])
    classes, strengths = [], []
    for seat in range(seats):
        two = columns[2 * seat : 2 * seat + 2]
        masks = hands.suit_masks(two)
        strengths.append(hands.strength_of_masks(*(a | b for a, b in zip(board, masks, strict=True))))
        classes.append(jnp.asarray(ranges.CLASS_OF_COMBO)[ranges.combo_index(*two)])
    return jnp.stack(classes), jnp.stack(strengths)
