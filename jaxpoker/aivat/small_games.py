"""Value functions of small games: the mean over cards to come is the mean over all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker import core
from jaxpoker.aivat.estimate import Values
from jaxpoker.games.protocols import RedealtGame

Array = jax.Array


def enumerated(name: str, value: Callable[[Any, Any, Any], Array], params: Any = None) -> Values:
    """The ``Values`` of any ``value(params, game, state)``, what seat 0 may expect of a hand that is not over, for a
    game whose redeals can be listed, such as Kuhn and Leduc.
    """

    def at(params: Any, game: RedealtGame, state: Any) -> Array:
        return jnp.where(core.is_over(state), state.rewards[0], value(params, game, state))

    def with_mean(params: Any, known: Any, game: RedealtGame, state: Any, street: Array | int) -> Array:
        now = game.street(state)
        mean = jnp.zeros(())
        for opened in range(len(game.street_names)):
            states, probabilities = game.redeals(state, opened)
            each = jax.vmap(lambda one: at(params, game, one))(states)
            mean = jnp.where(now == opened, (probabilities * each).sum(), mean)
        return jnp.where(street == now, at(params, game, state), mean)

    return Values(name, with_mean, params=params)
