"""Blocks of computation that XLA does not merge with what follows.

On the CPU XLA fuses cheap arithmetic into every one of its consumers, and computes it anew for each: a step of a
game, whose dozens of fields all depend on the action chosen, then costs many times what it should, in run time
and in compile time. ``computed_once`` marks a function whose results are to be kept in memory instead. It changes
no value; on GPU and TPU, where XLA's fusion counts the cost, it does nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax
import jax.numpy as jnp

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def computed_once(f: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """``f``, a pure function of pytrees of arrays; under ``vmap`` a whole batch of it is one block on the CPU."""

    @functools.wraps(f)
    def block(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        leaves, structure = jax.tree.flatten((args, kwargs))

        def on_leaves(*leaves: jax.Array) -> Result:
            args, kwargs = jax.tree.unflatten(structure, leaves)
            return f(*args, **kwargs)

        batched_as_block = jax.custom_batching.custom_vmap(on_leaves)

        @batched_as_block.def_vmap
        def as_block(axis_size: int, in_batched: list[bool], *leaves: jax.Array) -> tuple[Result, Any]:
            batched = [
                leaf if is_batched else jnp.broadcast_to(leaf, (axis_size, *jnp.shape(leaf)))
                for leaf, is_batched in zip(leaves, in_batched, strict=True)
            ]
            out = own_block(jax.vmap(on_leaves), *batched)
            return out, jax.tree.map(lambda _: True, out)

        return batched_as_block(*leaves)

    return block


def kept(arrays: Result) -> Result:
    """The same integer arrays, kept in memory where they are used more than once."""
    out: Result = own_block(lambda x: jax.tree.map(lambda leaf: leaf + 0, x), arrays)
    return out


def own_block(f: Callable[..., Any], *args: Any) -> Any:
    """``f(*args)`` of a whole batch, on the CPU inside a conditional: XLA does not fuse across its border.

    At least one of the arrays in ``args`` must be of integers.
    """

    def inside_branch(*args: Any) -> Any:
        shapes = jax.eval_shape(f, *args)
        witness = next(x for x in jax.tree.leaves(args) if jnp.issubdtype(x.dtype, jnp.integer))
        always = ((witness.reshape(-1)[:1] & 1) < 2).all()  # true, but only known when it runs

        def never(*_: Any) -> Any:
            return jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)

        return jax.lax.cond(always, f, never, *args)

    return jax.lax.platform_dependent(*args, cpu=inside_branch, default=f)
