"""All-ins of three before the flop against sampled equities of single match-ups."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import equity, ranges
from jaxpoker.solvers.push_fold import three_way

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def known():
    return three_way.sampled(0, 1_024)


@pytest.mark.parametrize(
    "hands", [("AA", "KK", "QQ"), ("AKs", "JTs", "88"), ("72o", "A5s", "T9o"), ("KQo", "KJo", "AKo")]
)
def test_who_is_the_best_of_three(known, hands):
    shares = equity.equity(*hands, samples=100_000)
    numbers = [ranges.CLASS_NAMES.index(hand) for hand in hands]
    for at, share in enumerate(shares):
        one, two = (number for place, number in enumerate(numbers) if place != at)
        assert float(known.first[numbers[at], one, two]) == pytest.approx(share.equity, abs=0.03)
        assert known.first[numbers[at], one, two] == known.first[numbers[at], two, one]
    everybody = sum(known.first[i, j, k] for i, j, k in (numbers, np.roll(numbers, 1), np.roll(numbers, 2)))
    assert float(everybody) == pytest.approx(1, abs=1e-5)


def test_against_two_random_hands(known):
    """Published: aces win 73.4% of pots with two random hands, deuces 30.7%."""
    matchups = equity.matchups().combos
    for hand, share in (("AA", 0.734), ("22", 0.307), ("AKs", 0.507)):
        number = ranges.CLASS_NAMES.index(hand)
        others = matchups[number] / matchups[number].sum()
        found = np.einsum("jk,j,k", known.first[number], others, others)
        assert float(found) == pytest.approx(share, abs=0.012)


def test_sums_over_two_hands_are_sums_over_the_orders(known):
    rng = np.random.default_rng(0)
    one, two = rng.random((2, 1, 169, 169)).astype(np.float32) / 169
    worth = rng.normal(size=(1, 6))
    found = np.asarray(three_way.expected(known, jnp.asarray(one), jnp.asarray(two), worth))[0]
    i = 17
    first, beats = known.first.astype(np.float64), known.beats.astype(np.float64)
    total = 0.0
    for (own, a, b), pays in zip(three_way.ORDERS, worth[0], strict=True):
        order = sorted(range(3), key=lambda seat, places=(own, a, b): -places[seat])  # best first
        for j, k in itertools.product(range(169), repeat=2):
            held = (i, j, k)
            _, second, third = (held[seat] for seat in order)
            best = held[order[0]]
            chance = beats[second, third] - first[second, best, third]
            total += pays * chance * one[0, i, j] * two[0, i, k]
    assert float(found[i]) == pytest.approx(total, abs=1e-3)
