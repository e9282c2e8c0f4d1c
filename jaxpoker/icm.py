"""What stacks are worth in a tournament: the independent chip model of Malmuth and Harville.

A seat wins the tournament in proportion to its chips. Given who won, the others come second in proportion to theirs,
and so on. With T the chips of all and s(S) those of the seats in S,

    P(S + i) = sum over i of P(S) s(i) / (T - s(S)),      P of the empty set is 1,

is the chance that the n seats of S take the first n places, in any order, and place n + 1 then pays seat i

    P(S) s(i) / (T - s(S)) of that place's prize.

All subsets of one size are one vector, so that it can be jitted and takes thousands of stack vectors at once.

    icm.values(jnp.array([5000.0, 3000.0, 2000.0]), (50, 30, 20))
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array

MAX_SEATS = 12  # subsets double with each


def values(stacks: Array | np.ndarray | Sequence[float], payouts: Array | np.ndarray | Sequence[float]) -> Array:
    """``[..., n]``: what each seat may expect of ``payouts`` ``[places]``, the first place's first, with ``stacks``
    ``[..., n]``. Seats without chips come last and share what is left of the places.

    >>> from jaxpoker import icm
    >>> [round(float(x), 2) for x in icm.values([50.0, 30.0, 20.0], (70, 30))]
    [45.18, 32.25, 22.57]
    """
    stacks, prizes = _checked(stacks, payouts)
    n = stacks.shape[-1]
    total = stacks.sum(axis=-1)[..., None]
    reached = jnp.ones((*stacks.shape[:-1], 1), stacks.dtype)  # [..., subsets of this size]
    expected = jnp.zeros_like(stacks)
    for size in range(min(n, prizes.shape[-1])):
        subsets = list(itertools.combinations(range(n), size))
        inside = np.zeros((len(subsets), n), bool)
        for row, subset in enumerate(subsets):
            inside[row, list(subset)] = True
        left = total - stacks @ jnp.asarray(inside.T, stacks.dtype)  # [..., subsets] chips of the others
        some = jnp.where(inside, 0, stacks[..., None, :]) > 0
        part = jnp.where(some, stacks[..., None, :] / jnp.where(left > 0, left, 1)[..., None], 0)
        even = jnp.asarray(~inside / (n - size), stacks.dtype)
        share = reached[..., None] * jnp.where(some.any(axis=-1, keepdims=True), part, even)  # [..., subsets, n]
        expected = expected + prizes[..., size, None] * share.sum(axis=-2)
        if size + 1 < n:
            number = {subset: row for row, subset in enumerate(subsets)}
            larger = list(itertools.combinations(range(n), size + 1))
            came = np.array([[number[tuple(s for s in new if s != i)] for i in new] for new in larger])
            reached = share[..., came, np.array(larger)].sum(axis=-1)
    return expected


def after_hand(
    before: Array | np.ndarray | Sequence[float],
    after: Array | np.ndarray | Sequence[float],
    payouts: Array | np.ndarray | Sequence[float],
) -> Array:
    """``[..., n]``: what each seat may expect after a hand that began with the stacks ``before`` ``[n]``, all above 0,
    and ended with ``after`` ``[..., n]``. Of seats that lost all in one hand, the one that began it with more chips
    comes in higher; equal ones share.
    """
    before, prizes = _checked(before, payouts)
    after = jnp.asarray(after, before.dtype)
    n = before.shape[-1]
    alive = values(after, prizes)
    out = after <= 0
    better = (out[..., None, :] & (before[..., None, :] > before[..., :, None])).sum(axis=-1)
    equal = (out[..., None, :] & (before[..., None, :] == before[..., :, None])).sum(axis=-1)
    first = (n - out.sum(axis=-1))[..., None] + better  # the best place that the seat shares
    padded = jnp.concatenate([prizes[: min(n, len(prizes))], jnp.zeros(max(n - len(prizes), 0), prizes.dtype)])
    upto = jnp.concatenate([jnp.zeros(1, prizes.dtype), jnp.cumsum(padded)])
    last = jnp.minimum(first + equal, n)
    shared = (upto[last] - upto[jnp.minimum(first, n)]) / jnp.maximum(equal, 1)
    return jnp.where(out, shared, alive)


def _checked(stacks: Array | np.ndarray | Sequence[float], payouts: object) -> tuple[Array, Array]:
    stacks = jnp.asarray(stacks)
    if not jnp.issubdtype(stacks.dtype, jnp.floating):
        stacks = stacks.astype(jnp.float32)
    prizes = jnp.asarray(payouts, stacks.dtype)
    if stacks.ndim == 0 or not 1 <= stacks.shape[-1] <= MAX_SEATS:
        raise ValueError(f"stacks are [..., 1 to {MAX_SEATS} seats], not {list(stacks.shape)}")
    if prizes.ndim != 1 or not len(prizes):
        raise ValueError(f"payouts are a list, the first place's first, not {list(prizes.shape)}")
    for name, given in (("stacks", stacks), ("payouts", prizes)):
        if not isinstance(given, jax.core.Tracer) and not (np.isfinite(given).all() and (np.asarray(given) >= 0).all()):
            raise ValueError(f"{name} {np.asarray(given).tolist()}: numbers of 0 or more")
    return stacks, prizes
