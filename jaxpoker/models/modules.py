"""A flax module as two pure functions: learners and players keep its parameters as data, apart from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import jax
from flax import nnx

Array = jax.Array
Net = TypeVar("Net", bound=nnx.Module)


def functions_of(new: Callable[[nnx.Rngs], Net]) -> tuple[Callable[[Array], Any], Callable[[Any], Net]]:
    """``init(key)``: the params of a network that has learned nothing; ``of(params)``: the network that has them."""
    graph = nnx.split(nnx.eval_shape(lambda: new(nnx.Rngs(0))))[0]

    @jax.jit
    def init(key: Array) -> Any:
        return nnx.split(new(nnx.Rngs(key)))[1]

    def of(params: Any) -> Net:
        net: Net = nnx.merge(graph, params)
        return net

    return init, of
