"""Tables of regrets and averages, in float32 or in 16 bits with one scale for each node.

A table of one player on one street is ``[..., rows, hands]``, rows being those of ``street_tree.Group``: of each group
its actions times its nodes. In 16 bits a number is a whole number times the scale of its node: 15 bits and a sign of
regrets, 16 bits of averages, which are never negative. The largest number of a node is always kept to the full.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.flops.street_tree import Group, StreetTree

Array = jax.Array


class Packed(NamedTuple):
    """A table in 16 bits."""

    numbers: Array  # [..., rows, hands] int16 or uint16
    scales: Array  # [..., nodes] float32: what 1 is


Table = Array | Packed


def zeros(street: StreetTree, player: int, hands: int, boards: int, bits: int, signed: bool) -> Table:
    """A table that is 0 everywhere, of so many ``boards``."""
    rows = street.rows[player]
    if bits == 32:
        return jnp.zeros((boards, rows, hands), jnp.float32)
    return Packed(
        jnp.zeros((boards, rows, hands), jnp.int16 if signed else jnp.uint16),
        jnp.zeros((boards, street.nodes_of(player)), jnp.float32),
    )


def num_bytes(street: StreetTree, player: int, hands: int, boards: int, bits: int) -> int:
    """What a table of ``zeros`` takes."""
    scales = 0 if bits == 32 else 4 * street.nodes_of(player)
    return boards * (street.rows[player] * hands * bits // 8 + scales)


def part(table: Table, group: Group) -> Array:
    """``[actions, n, hands]`` float32 of a table ``[rows, hands]`` of one board."""
    n = len(group.nodes)
    if not isinstance(table, Packed):
        return table[group.rows].reshape(group.actions, n, -1)
    numbers = table.numbers[group.rows].reshape(group.actions, n, -1).astype(jnp.float32)
    return numbers * table.scales[group.first_node : group.first_node + n, None]


def joined(parts: Sequence[Array], like: Table) -> Table:
    """The table ``[rows, hands]`` of the parts ``[actions, n, hands]`` of all groups, stored as ``like``."""
    if not isinstance(like, Packed):
        return jnp.concatenate([x.reshape(-1, x.shape[-1]) for x in parts])
    most = jnp.iinfo(like.numbers.dtype).max
    numbers, scales = [], []
    for x in parts:
        largest = functools.reduce(jnp.maximum, list(jnp.abs(x))).max(axis=-1)  # [n]
        numbers.append(jnp.round(x * (most / jnp.where(largest > 0, largest, 1))[:, None]).reshape(-1, x.shape[-1]))
        scales.append(largest / most)
    return Packed(jnp.concatenate(numbers).astype(like.numbers.dtype), jnp.concatenate(scales))


def fetched(table: Table) -> np.ndarray:
    """``[..., rows, hands]`` float32 of a float32 table, as NumPy."""
    assert not isinstance(table, Packed)
    return np.asarray(table)
