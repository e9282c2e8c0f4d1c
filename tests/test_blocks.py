"""Blocks change no value, whatever transformation is around them."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import blocks


class Pair(NamedTuple):
    a: jax.Array
    b: jax.Array


def plain(pair: Pair, scale: jax.Array) -> dict[str, jax.Array]:
    return {"sum": pair.a + pair.b * scale, "larger": jnp.maximum(pair.a, pair.b)}


block = blocks.computed_once(plain)


def same(left, right):
    assert jax.tree.structure(left) == jax.tree.structure(right)
    jax.tree.map(np.testing.assert_array_equal, left, right)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize("jit", [False, True])
def test_a_block_is_its_function_under_any_number_of_vmaps(depth, jit):
    shape = (2, 3, 4)[:depth]
    pair = Pair(*jax.random.randint(jax.random.key(0), (2, *shape), -50, 50))
    left, right = block, plain
    for _ in range(depth):
        left, right = (jax.vmap(f, in_axes=(0, None)) for f in (left, right))
    same((jax.jit(left) if jit else left)(pair, 3), right(pair, 3))


def test_a_block_inside_a_loop_and_a_gradient():
    def loss(f, w):
        def body(carry, x):
            return carry + f(Pair(x, x + 1), 2)["sum"] * w, None

        return jax.lax.scan(body, 0.0, jnp.arange(5))[0]

    left, right = (jax.grad(lambda w, f=f: loss(f, w))(1.5) for f in (block, plain))
    assert left == right != 0


def test_the_conditional_is_there_on_the_cpu_and_only_once_for_a_batch():
    batch = jnp.ones((3, 4), jnp.int32)
    compiled = jax.jit(jax.vmap(jax.vmap(block))).lower(Pair(batch, batch), batch).compile()
    assert compiled.as_text().count(" conditional(") == 1


def test_kept_arrays_are_the_same_arrays():
    arrays = [jnp.arange(5), jnp.arange(6, dtype=jnp.uint32).reshape(2, 3)]
    same(jax.jit(blocks.kept)(arrays), arrays)


def test_a_block_is_traced_for_the_first_program_and_not_for_those_after_it():
    traced, scale = [], jnp.int32(3)

    @blocks.computed_once
    def counted(pair: Pair, scale: jax.Array) -> dict[str, jax.Array]:
        traced.append(1)
        return plain(pair, scale)

    def play(tables):
        pair = Pair(*jax.random.randint(jax.random.key(tables), (2, tables), -50, 50))
        same(jax.jit(jax.vmap(counted, in_axes=(0, None)))(pair, scale), plain(pair, scale))

    play(2)
    first = len(traced)
    play(3)
    play(4)
    assert len(traced) == first
