"""The replay ring: which rows are there, and how often each is drawn."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker.learners.q_learning import replay

CAPACITY = 600  # three blocks of priorities, the last one not full
ROW = {"number": jax.ShapeDtypeStruct((), jnp.int32), "pair": jax.ShapeDtypeStruct((2,), jnp.float32)}
add, with_errors = jax.jit(replay.add), jax.jit(replay.with_errors)
sample = jax.jit(replay.sample, static_argnums=2)


def rows(numbers):
    numbers = np.asarray(numbers)
    return {"number": jnp.asarray(numbers, jnp.int32), "pair": jnp.asarray(np.stack([numbers, -numbers], 1), float)}


def filled(count, prioritised=False, batch=100):
    """A ring to which the numbers from 0 on were added."""
    ring = replay.empty(ROW, CAPACITY, prioritised)
    for first in range(0, count, batch):
        numbers = first + np.arange(batch)
        ring = add(ring, rows(numbers), jnp.asarray(numbers < count))
    return ring


def drawn(ring, count=30_000, seed=0):
    batch = sample(ring, jax.random.key(seed), count)
    numbers = np.asarray(batch.rows["number"])
    np.testing.assert_array_equal(batch.rows["pair"], np.stack([numbers, -numbers], 1))  # rows stay together
    np.testing.assert_array_equal(ring.rows["number"][batch.place], numbers)
    return numbers, batch


@pytest.mark.parametrize("prioritised", [False, True])
@pytest.mark.parametrize("count", [50, 600, 601, 1_750])
def test_the_latest_rows_are_drawn_alike_and_no_others(count, prioritised):
    """After so many rows, across the end of the ring and round again: no row that was overwritten or never there."""
    numbers, batch = drawn(filled(count, prioritised))
    kept = min(count, CAPACITY)
    times = np.bincount(numbers, minlength=count)
    assert not times[: count - kept].any() and len(times) == count
    expected = 30_000 / kept
    chi2 = ((times[-kept:] - expected) ** 2 / expected).sum()
    assert chi2 < kept + 5 * np.sqrt(2 * kept)
    np.testing.assert_array_equal(batch.age, count - 1 - numbers)
    np.testing.assert_allclose(batch.weight, 1, rtol=1e-4)


def test_only_rows_to_keep_are_added_and_in_their_order():
    ring = replay.empty(ROW, 5)
    ring = add(ring, rows([1, 2, 3, 4]), jnp.array([False, True, False, True]))
    assert ring.rows["number"].tolist() == [2, 4, 0, 0, 0] and (int(ring.at), int(ring.size)) == (2, 2)
    ring = add(ring, rows([5, 6, 7, 8]), jnp.array([True, True, True, True]))
    assert ring.rows["number"].tolist() == [8, 4, 5, 6, 7] and (int(ring.at), int(ring.size)) == (1, 5)
    ring = add(ring, rows([9, 9, 9, 9]), jnp.zeros(4, bool))
    assert ring.rows["number"].tolist() == [8, 4, 5, 6, 7] and (int(ring.at), int(ring.size)) == (1, 5)


@pytest.mark.parametrize("prioritised", [False, True])
def test_an_empty_ring_has_nothing_to_learn_from(prioritised):
    assert (sample(replay.empty(ROW, CAPACITY, prioritised), jax.random.key(0), 8).weight == 0).all()


def test_rows_are_drawn_by_priority():
    ring = filled(900, prioritised=True)  # 300 to 899
    error = np.where(np.arange(CAPACITY) % 3 == 0, 0.0, np.arange(CAPACITY) / 100)  # by place
    ring = with_errors(ring, jnp.arange(CAPACITY), jnp.asarray(-error))
    _, batch = drawn(ring)
    p = (error + replay.LEAST_ERROR) ** 0.6
    share = p / p.sum()
    times = np.bincount(batch.place, minlength=CAPACITY)
    assert (np.abs(times - 30_000 * share) <= 1 + 5 * np.sqrt(30_000 * share)).all()
    counts = 1 / share[np.asarray(batch.place)]
    np.testing.assert_allclose(batch.weight, counts / counts.max(), rtol=1e-3)


def test_new_rows_are_as_important_as_any_was():
    ring = filled(600, prioritised=True)
    ring = with_errors(ring, jnp.array([7]), jnp.array([50.0]))
    ring = with_errors(ring, jnp.arange(CAPACITY), jnp.zeros(CAPACITY))
    ring = add(ring, rows([1_000]), jnp.array([True]))
    p = np.asarray(ring.priorities.p).ravel()
    np.testing.assert_allclose(p[:2], [(50 + replay.LEAST_ERROR) ** 0.6, replay.LEAST_ERROR**0.6], rtol=1e-5)
    assert not p[CAPACITY:].any()


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="6 rows at once into a replay of 5"):
        replay.add(replay.empty(ROW, 5), rows(range(6)), jnp.ones(6, bool))
    with pytest.raises(ValueError, match="capacity = 0: a replay holds 1 row or more"):
        replay.empty(ROW, 0)
