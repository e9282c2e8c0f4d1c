"""Pot odds: how often a call has to win.

    pot odds = to call / (pot + to call) = the equity at which calling wins nothing and loses nothing

The pot has the bet that is faced in it. Chips that a short stack cannot win do not count: who calls all-in for 30 plays
for 30 of every other stack. All functions take numbers or arrays.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker.games.holdem.table import State, facing
from jaxpoker.games.seats import of_seat, total

Array = jax.Array


def required_equity(pot: Any, to_call: Any) -> Any:
    """The share of the pot that a call must win on average: 6 into 12 needs 6 / 18, a third."""
    return to_call / (pot + to_call)


def pot_to_win(state: State, player: Array) -> Array:
    """``[]`` chips in the pot that ``player`` can win by calling: at most its own of every seat."""
    own = of_seat(player, [seat.committed for seat in state.seats]) + facing(state, player).to_call
    return total([jnp.minimum(seat.committed, own) for seat in state.seats])


def stack_to_pot(state: State, player: Array) -> Array:
    """``[]`` float32, the SPR: the smaller of the player's stack and the largest other live one, by the pot."""
    own = of_seat(player, [seat.behind for seat in state.seats])
    others = jnp.stack(
        [jnp.where(seat.folded | (player == i), 0, seat.behind) for i, seat in enumerate(state.seats)]
    ).max()
    return jnp.minimum(own, others) / jnp.maximum(state.pot, 1)
