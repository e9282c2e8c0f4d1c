"""The randomness of what comes after training: another stream of the run's seed than any update has."""

from __future__ import annotations

import jax

FINAL_STREAM = 1 << 30  # more than any run has updates


def final_key(seed: int, further: int = 0) -> jax.Array:
    """The key of the evaluation at the end of a run with ``seed``; ``further`` counts the streams after the first."""
    return jax.random.fold_in(jax.random.key(seed), FINAL_STREAM + further)
