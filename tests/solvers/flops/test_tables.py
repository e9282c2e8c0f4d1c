"""Tables in float32 and in 16 bits."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.flops import street_tree, tables
from jaxpoker.solvers.flops.tables import Packed
from jaxpoker.solvers.subgame import betting
from tests.solvers.flops.small_flops import small_spot

STREET = street_tree.of(betting.tree(small_spot(menu="33%, a")))[0]


def of_random(player: int, signed: bool) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    groups = [STREET.groups[g] for g in STREET.of_player(player)]
    found = [rng.normal(size=(group.actions, len(group.nodes), 16)).astype(np.float32) for group in groups]
    scaled = [x * 10.0 ** rng.integers(-3, 4, (1, x.shape[1], 1)).astype(np.float32) for x in found]
    return scaled if signed else [np.abs(x) for x in scaled]


def test_a_float_table_gives_back_its_parts_to_the_bit():
    parts = of_random(0, True)
    table = tables.joined([jnp.asarray(x) for x in parts], jnp.zeros(()))
    for g, part in zip(STREET.of_player(0), parts, strict=True):
        np.testing.assert_array_equal(tables.part(table, STREET.groups[g]), part)


def test_sixteen_bits_are_exact_to_a_share_of_each_nodes_largest_number():
    for signed in (True, False):
        parts = of_random(1, signed)
        empty = tables.zeros(STREET, 1, 16, 1, 16, signed)
        assert isinstance(empty, Packed)
        packed = tables.joined([jnp.asarray(x) for x in parts], Packed(empty.numbers[0], empty.scales[0]))
        most = np.iinfo(np.int16 if signed else np.uint16).max
        for g, part in zip(STREET.of_player(1), parts, strict=True):
            found = np.asarray(tables.part(packed, STREET.groups[g]))
            largest = np.abs(part).max(axis=(0, 2), keepdims=True)
            assert (np.abs(found - part) <= 0.51 * largest / most).all()
            assert (np.abs(found).max(axis=(0, 2)) >= 0.9999 * largest[0, :, 0]).all()


def test_sixteen_bits_take_half_the_memory():
    whole, half = (tables.num_bytes(STREET, 0, 272, 12, bits) for bits in (32, 16))
    assert half < 0.51 * whole
