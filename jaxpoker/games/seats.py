"""Arithmetic over the seats of a table: one scalar per seat in a list, a traced seat number to pick one."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp

Array = jax.Array


def most(values: list[Array]) -> Array:
    return functools.reduce(jnp.maximum, values)


def any_of(flags: list[Array]) -> Array:
    return functools.reduce(jnp.logical_or, flags)


def total(values: list[Array]) -> Array:
    return functools.reduce(jnp.add, [value.astype(jnp.int32) for value in values])


def of_seat(seat: Array, values: list[Array]) -> Array:
    """``values[seat]`` for a traced seat."""
    out = values[-1]
    for i in range(len(values) - 1):
        out = jnp.where(seat == i, values[i], out)
    return out


def next_seat(seat: Array, among: list[Array]) -> Array:
    """The first True seat of ``among`` left of ``seat``; ``seat`` itself comes last."""
    num_players = len(among)
    order = order_from(seat, num_players)
    nearest = functools.reduce(
        jnp.minimum, [jnp.where(flag, place, num_players) for flag, place in zip(among, order, strict=True)]
    )
    turn = seat + 1 + nearest
    return jnp.where(turn >= num_players, turn - num_players, turn)


def order_from(seat: Array, num_players: int) -> list[Array]:
    """Each seat's place clockwise: 0 for the one left of ``seat``, num_players - 1 for ``seat`` itself."""
    return [jnp.where(i > seat, i - seat - 1, i - seat - 1 + num_players) for i in range(num_players)]
