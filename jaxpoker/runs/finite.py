"""Whether a train state is still made of finite numbers.

A learning rate that is too high makes a loss infinite, then its gradient, then all parameters NaN, and every update
after that is for nothing. So each update is looked at: what was finite at the start has to stay so, and losses and
norms of gradients have to be finite.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array

WATCHED = ("loss", "gradient", "grad_norm")  # in the names of metrics


class Finite:
    """Looks at one run's states."""

    def __init__(self, state: Any) -> None:
        """What is finite in ``state`` is watched; infinities may be meant, as in the bounds of a search."""
        self._watched = frozenset(name for name, fine in _fine(_floats(state)).items() if fine)

    def astray(self, state: Any, metrics: Mapping[str, Any]) -> str | None:
        """The first leaf or metric that is not finite and should be, by name; None when all is well."""
        looked_at = {name: leaf for name, leaf in _floats(state).items() if name in self._watched}
        looked_at |= {
            name: value
            for name, value in metrics.items()
            if any(word in name for word in WATCHED) and _is_float(value) and value.size
        }
        fine = _fine(looked_at)
        return next((name for name, is_fine in fine.items() if not is_fine), None)


def _floats(state: Any) -> dict[str, Array]:
    """Leaves of floats by their path in the state."""
    leaves = jax.tree_util.tree_leaves_with_path(state)
    return {f"leaf {jax.tree_util.keystr(path)}": leaf for path, leaf in leaves if _is_float(leaf) and leaf.size}


def _is_float(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.inexact)


def _fine(leaves: Mapping[str, Array]) -> dict[str, bool]:
    found = np.asarray(_all_finite(list(leaves.values()))) if leaves else np.ones(0, bool)
    return dict(zip(leaves, found.tolist(), strict=True))


@jax.jit
def _all_finite(leaves: list[Array]) -> Array:
    """``[leaves]`` bool, in one array so that it is fetched at once."""
    return jnp.stack([jnp.isfinite(leaf).all() for leaf in leaves])
