"""Hidden cards drawn by weight."""

from __future__ import annotations

import jax
import jax.numpy as jnp

Array = jax.Array


def choose(key: Array, weights: Array, possible: Array) -> Array:
    """An index with probability proportional to ``weights`` ``[n]`` among the ``possible`` ones ``[n]``.

    Where every possible index has weight 0 they are equally likely: an opponent who is never there is still dealt.
    """
    weights = jnp.where(possible, weights, 0.0)
    weights = jnp.where(weights.sum() > 0, weights, possible.astype(jnp.float32))
    return jax.random.categorical(key, jnp.log(weights))
