"""A policy over chips: fold, call, or raise to any whole number of chips between the minimum raise and all-in.

A network says how likely each kind of action is, and where and how wide raises are. With a and b the smallest and the
largest legal raise, a raise to c chips has the place

    x(c) = log(c / a) / log(b / a),    0 the minimum raise, 1 all-in,

and its place is drawn from a logistic distribution, rounded to whole chips. All that would be below the minimum is the
minimum, and all that would be above the stack is all-in, so that both have a probability of their own. What a number of
chips has is then exact, as for the pixels of Salimans et al. (2017): with F the distribution function,

    P(c) = P(raise) * (F(x(c + 1/2)) - F(x(c - 1/2))),    F(-∞) = 0 at the minimum and F(∞) = 1 all-in.

The entropy is that of the kind and, where it is a raise, of the size in ``CELLS`` cells: the minimum, all-in, and equal
parts of the places between them. That is bounded, whatever a chip is worth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.games import bets
from jaxpoker.games.holdem import table as holdem_table
from jaxpoker.models.policy import Odds, masked

Array = jax.Array

FOLD, CALL, RAISE = KINDS = range(3)
CELLS = 18
FAR = 1e6  # deviations from the middle: as good as infinity
SMALLEST_WIDTH = 0.02  # of the range in log chips


class Sized(NamedTuple):
    """What a network says."""

    kinds: Array  # [n, 3] logits of fold, check or call, and raise
    middle: Array  # [n] place of the median raise
    width: Array  # [n] scale of the logistic distribution, above 0
    value: Array  # [n] expected sum of the rewards to come of the seat to act


def _may(facing: bets.Facing) -> Array:
    """``[n, 3]`` bool: which kinds are legal."""
    return jnp.stack([facing.may_fold, jnp.ones_like(facing.may_fold), facing.may_raise], axis=-1)


def _range(facing: bets.Facing) -> tuple[Array, Array]:
    """``[n]`` each: the smallest raise, and the logarithm of how often it goes into the largest."""
    smallest = jnp.maximum(facing.min_raise_to, 1).astype(jnp.float32)
    span = jnp.log(jnp.maximum(facing.max_raise_to, 1) / smallest)
    return smallest, jnp.where(span > 0, span, 1.0)


def drawn(output: Sized, tables: Any, key: Array) -> Array:
    """``[n]`` int32: chips "to" as hold'em's ``act`` takes them."""
    facing = holdem_table.facing(tables, tables.current_player)
    kind_key, size_key = jax.random.split(key)
    kind = jax.random.categorical(kind_key, masked(output.kinds, _may(facing)))
    at = output.middle + output.width * jax.random.logistic(size_key, output.middle.shape)
    smallest, span = _range(facing)
    chips = jnp.round(smallest * jnp.exp(span * jnp.clip(at, 0, 1))).astype(jnp.int32)
    chips = jnp.where(at < 1, jnp.clip(chips, facing.min_raise_to, facing.max_raise_to), facing.max_raise_to)
    to = jnp.where(kind == RAISE, chips, facing.own_bet + facing.to_call)
    return jnp.where(kind == FOLD, bets.FOLD_CHIPS, to)


def odds(output: Sized, tables: Any, to: Array) -> Odds:
    """Of ``to`` ``[n]`` chips."""
    facing = holdem_table.facing(tables, tables.current_player)
    kinds = jax.nn.log_softmax(masked(output.kinds, _may(facing)))
    raises = to > facing.price
    kind = jnp.where(to < 0, FOLD, jnp.where(raises, RAISE, CALL))
    of_kind = jnp.take_along_axis(kinds, kind[:, None], axis=1)[:, 0]
    of_kinds = -(jnp.exp(kinds) * kinds).sum(axis=1)
    of_sizes = jnp.where(facing.max_raise_to > facing.min_raise_to, _size_entropy(output), 0.0)
    entropy = of_kinds + jnp.exp(kinds[:, RAISE]) * of_sizes
    return Odds(of_kind + jnp.where(raises, _log_size(output, facing, to), 0.0), entropy)


def _log_size(output: Sized, facing: bets.Facing, to: Array) -> Array:
    """``[n]``: log-probability of a raise to ``to`` chips, if it is a raise.

    F(v) - F(u) is F(v) F(-u) (1 - exp(u - v)): no digits are lost, however few chips there are between u and v.
    """
    smallest, span = _range(facing)
    to = jnp.clip(to, facing.min_raise_to, facing.max_raise_to)
    below, above = ((jnp.log((to + half) / smallest) / span - output.middle) / output.width for half in (-0.5, 0.5))
    gap = jnp.log1p(1 / (to - 0.5)) / (span * output.width)
    is_least, is_most = to == facing.min_raise_to, to == facing.max_raise_to
    below, above = jnp.where(is_least, -FAR, below), jnp.where(is_most, FAR, above)
    gap = jnp.where(is_least | is_most, FAR, gap)
    return jax.nn.log_sigmoid(above) + jax.nn.log_sigmoid(-below) + jnp.log(-jnp.expm1(-gap))


def _size_entropy(output: Sized) -> Array:
    """``[n]``: entropy of the size in cells."""
    edges = np.linspace(0, 1, CELLS - 1, dtype=np.float32)
    inner = jax.nn.sigmoid((edges - output.middle[:, None]) / output.width[:, None])  # [n, cells - 1]
    ends = jnp.zeros_like(inner[:, :1])
    masses = jnp.diff(jnp.concatenate([ends, inner, ends + 1], axis=1))
    return -(masses * jnp.log(jnp.maximum(masses, 1e-9))).sum(axis=1)
