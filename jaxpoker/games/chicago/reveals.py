"""Chicago's announcement, and the reveals that break its ties.

After draw 0 all speak clockwise from the start seat. Who has points, and no fewer than anybody before, announces;
everyone else passes. Those with the most points are the contenders. If there are several, component after component
of the tie-break key (``games/chicago/hands.py``) the contenders still in speak, again clockwise from the start seat:

    the first shows its value
    one that beats the best so far says "higher", and does not show
    one that equals it shows its value
    one that is below it passes, and is out

Those equal to the best go on to the next component, until one is left. All of this is public. A round's reveals are
ten integers, one per component, with five bits for each place in the order of speaking: ``SILENT``, the value shown
(1-14), ``HIGHER`` or ``PASS``.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker.games.chicago.hands import NUM_COMPONENTS, Worth

Array = jax.Array

SILENT, HIGHER, PASS = 0, 15, 16
WORD_BITS = 5  # of one seat in a component's integer


class Announcement(NamedTuple):
    """What was said."""

    announces: list[Array]  # players: bool, by place in the order of speaking; the others pass
    reveals: list[Array]  # NUM_COMPONENTS: int32


def announcement(worths: list[Worth]) -> Announcement:
    """What seats say whose hands are ``worths``, in the order of speaking; worths of empty seats are negative."""
    nothing = jnp.zeros_like(worths[0].high)
    most, announces = nothing, []
    for hand in worths:
        announces.append((hand.kind > 0) & (hand.kind >= most))
        most = jnp.maximum(most, hand.kind)
    still_in = [(hand.kind == most) & (most > 0) for hand in worths]

    reveals = []
    for index in range(NUM_COMPONENTS):
        several = functools.reduce(jnp.add, [flag.astype(jnp.int32) for flag in still_in]) > 1
        values = [jnp.where(flag, hand.component(index), -1) for flag, hand in zip(still_in, worths, strict=True)]
        best, word = nothing - 1, nothing
        for place, (speaks, value) in enumerate(zip(still_in, values, strict=True)):
            higher = jnp.where(best < 0, value, HIGHER)  # the first one shows
            says = jnp.where(value > best, higher, jnp.where(value == best, value, PASS))
            word = word | jnp.where(speaks & several, says << (WORD_BITS * place), SILENT)
            best = jnp.maximum(best, value)
        still_in = [flag & (value == best) for flag, value in zip(still_in, values, strict=True)]
        reveals.append(word)
    return Announcement(announces, reveals)


def said(reveals: Array, players: int) -> Array:
    """``[10, players]`` int32 of reveals ``[10]``: what was said of each component, in the order of speaking."""
    return (reveals[:, None] >> (WORD_BITS * jnp.arange(players, dtype=jnp.int32))) & (2**WORD_BITS - 1)
