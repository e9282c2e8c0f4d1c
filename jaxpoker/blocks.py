"""Blocks of computation that XLA does not merge with what follows.

On the CPU XLA fuses cheap arithmetic into every one of its consumers, and computes it anew for each: a step of a
game, whose dozens of fields all depend on the action chosen, then costs many times what it should, in run time
and in compile time. ``computed_once`` marks a function whose results are to be kept in memory instead. It changes
no value; on GPU and TPU, where XLA's fusion counts the cost, it does nothing. Its Python runs for the
first use with a kind of arguments, not for every program that it becomes a part of.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import jax
import jax.numpy as jnp

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def computed_once(f: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """``f``, a pure function of pytrees of arrays; however often it is vmapped, it is one block on the CPU."""

    @functools.cache
    def on_leaves(structure: Any) -> Callable[..., Result]:
        """The block of the leaves of arguments of this ``structure``; jitted, so that all uses share what is traced."""

        def of_arguments(*leaves: jax.Array) -> Result:
            args, kwargs = jax.tree.unflatten(structure, leaves)
            return f(*args, **kwargs)

        traced_once = jax.jit(of_arguments)
        return jax.jit(lambda *leaves: _block_of_leaves(traced_once, leaves))

    @functools.wraps(f)
    def block(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        leaves, structure = jax.tree.flatten((args, kwargs))
        return on_leaves(structure)(*leaves)

    return block


def _block_of_leaves(f: Callable[..., Any], leaves: Sequence[jax.Array]) -> Any:
    """``_own_block(f, *leaves)``; under ``vmap`` the block of the vmapped ``f``, not a vmapped conditional."""
    block = jax.custom_batching.custom_vmap(lambda *leaves: _own_block(f, *leaves))

    @block.def_vmap
    def block_of_batch(axis_size: int, in_batched: list[bool], *leaves: jax.Array) -> tuple[Any, Any]:
        batched = [
            leaf if is_batched else jnp.broadcast_to(leaf, (axis_size, *jnp.shape(leaf)))
            for leaf, is_batched in zip(leaves, in_batched, strict=True)
        ]
        out = _block_of_leaves(jax.vmap(f), batched)
        return out, jax.tree.map(lambda _: True, out)

    return block(*leaves)


def _own_block(f: Callable[..., Any], *args: Any) -> Any:
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


@computed_once
def kept(arrays: Result) -> Result:
    """The same integer arrays, kept in memory where they are used more than once."""
    return jax.tree.map(lambda leaf: leaf + 0, arrays)
