"""Tables by street: the average strategy of sums, and how often decisions were come to."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker.solvers import tree
from jaxpoker.solvers.tree.street_tables import StreetTables, require_shapes


@pytest.fixture(scope="module")
def kuhn():
    return tree.build(jaxpoker.make("kuhn"))


def tables_of(sums):
    nothing = np.zeros((2, 0, 0), np.float32)
    return StreetTables(np.int32(1), jax.random.key(0), (sums,), (sums,), nothing, np.float32(0))


def test_the_average_is_in_proportion_to_the_sums_and_even_where_nobody_came(kuhn):
    sums = np.zeros((len(kuhn.decisions()), 3, 2), np.float32)
    sums[0, 1] = [3, 1]
    (found,) = tables_of(sums).strategy(kuhn)
    np.testing.assert_array_equal(found[0], [[0.5, 0.5], [0.75, 0.25], [0.5, 0.5]])


def test_what_is_not_legal_is_never_played():
    betting = tree.build(jaxpoker.make("leduc"))
    nodes = betting.decisions(street=0)
    found = tables_of(np.zeros((len(nodes), 6, 3), np.float32)).strategy(betting)[0]
    assert (~betting.legal(nodes)).any() and (found[~betting.legal(nodes)[:, None].repeat(6, axis=1)] == 0).all()
    np.testing.assert_allclose(found.sum(axis=2), 1, atol=1e-6)


def test_weights_are_the_sums_of_all_actions():
    assert tables_of(np.asarray([[[3.0, 1.0], [0.0, 0.5]]], np.float32)).weights()[0].tolist() == [[4.0, 0.5]]


def test_tables_of_another_shape_are_named():
    with pytest.raises(ValueError, match=r"regrets by street have shapes \[\(4, 3, 2\)\]: this solver's have"):
        require_shapes(tables_of(np.zeros((4, 3, 2), np.float32)), [(4, 6, 2)])
