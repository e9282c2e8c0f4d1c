"""The independent chip model against all finishing orders, and what is known of it."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import icm


def by_orders(stacks, payouts):
    """Every order in which the seats may finish, with its probability."""
    expected = np.zeros(len(stacks))
    for order in itertools.permutations(range(len(stacks))):
        chance, left = 1.0, sum(stacks)
        for seat in order:
            chance *= stacks[seat] / left if left > 0 else 0.0
            left -= stacks[seat]
        for place, seat in enumerate(order[: len(payouts)]):
            expected[seat] += chance * payouts[place]
    return expected


@pytest.mark.parametrize("seats", [2, 3, 4, 6, 7])
def test_as_all_finishing_orders_have_it(seats):
    rng = np.random.default_rng(seats)
    with jax.enable_x64(True):
        for places in {1, 2, seats - 1, seats}:
            stacks, payouts = rng.exponential(size=seats) * 1_000, np.sort(rng.exponential(size=places))[::-1]
            expected = by_orders(stacks, payouts)
            np.testing.assert_allclose(icm.values(stacks, payouts), expected, rtol=0, atol=1e-12 * payouts.sum())
    np.testing.assert_allclose(
        icm.values(stacks.astype(np.float32), payouts), expected, rtol=0, atol=1e-5 * payouts.sum()
    )


def test_thousands_of_stacks_at_once():
    stacks = jnp.asarray(np.random.default_rng(0).integers(1, 200, (5_000, 6)), jnp.float32)
    found = jax.jit(icm.values, static_argnums=1)(stacks, (50.0, 30.0, 20.0))
    np.testing.assert_allclose(found.sum(axis=-1), 100, rtol=1e-5)
    for row in (0, 17, 4_999):
        np.testing.assert_allclose(found[row], by_orders(np.asarray(stacks[row]), (50, 30, 20)), atol=1e-3)
    assert (np.asarray(jnp.diff(jnp.sort(stacks[:50]), axis=-1)) >= 0).all()


def test_seats_without_chips_share_the_last_places():
    np.testing.assert_allclose(icm.values([10.0, 0.0, 0.0, 30.0], (40, 30, 20, 10)), [32.5, 15, 15, 37.5], rtol=1e-6)


def test_the_larger_of_two_that_are_out_comes_in_higher():
    worth = icm.after_hand([5.0, 3.0, 2.0, 3.0], [13.0, 0.0, 0.0, 0.0], (50, 30, 20))
    np.testing.assert_allclose(worth, [50, 25, 0, 25])
    worth = icm.after_hand([5.0, 3.0, 2.0], [8.0, 0.0, 2.0], (50, 30, 20))
    np.testing.assert_allclose(worth, [50 * 0.8 + 30 * 0.2, 20, 50 * 0.2 + 30 * 0.8], rtol=1e-6)


def test_double_chips_are_worth_less_than_double():
    once, twice = icm.values([10.0] * 4, (50, 30, 20))[0], icm.values([20.0, 0.0, 10.0, 10.0], (50, 30, 20))[0]
    assert float(twice) < 2 * float(once)
    np.testing.assert_allclose(icm.values([10.0, 30.0, 60.0], (100,)), [10, 30, 60], rtol=1e-6)  # winner takes all


@pytest.mark.parametrize(
    ("stacks", "payouts", "message"),
    [([1.0, -2.0], (1,), "stacks"), ([1.0, 2.0], (-1,), "payouts"), ([1.0], (), "a list"), ([1.0] * 13, (1,), "seats")],
)
def test_what_is_no_tournament_is_refused(stacks, payouts, message):
    with pytest.raises(ValueError, match=message):
        icm.values(stacks, payouts)
