"""Clusters under the earth mover's distance: k-medians of curves."""

import jax
import numpy as np
import pytest
from scipy import stats

from jaxpoker.solvers.abstraction import clustering
from jaxpoker.solvers.abstraction.equity_distributions import THRESHOLDS


def test_the_distance_is_the_earth_movers():
    rng = np.random.default_rng(0)
    values = rng.integers(0, THRESHOLDS + 1, (2, 46))  # bins of 46 rivers
    curves = (values[:, :, None] <= np.arange(THRESHOLDS)).sum(axis=1)  # [2, thresholds]
    distance = clustering.nearest(curves[:1].T, curves[1:])[1]
    assert distance[0] / 46 == pytest.approx(stats.wasserstein_distance(*values))


def test_k_medians_finds_groups_that_lie_apart():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 3, 600)
    points = np.array([[0, 5, 9], [20, 40, 40], [40, 40, 46]])[group].T + rng.integers(0, 2, (3, 600))
    found = clustering.k_medians(points, 3, jax.random.key(0))
    label, distance = clustering.nearest(points, found.centres)
    assert len(set(zip(label.tolist(), group.tolist(), strict=True))) == 3
    for cluster in range(3):
        members = np.sort(points[:, label == cluster], axis=1)
        np.testing.assert_array_equal(found.centres[cluster], members[:, (members.shape[1] - 1) // 2])
    assert distance.sum() == found.distances[-1]


def test_each_move_of_k_medians_gains():
    points = np.sort(np.random.default_rng(2).integers(0, 47, (THRESHOLDS, 3_000)), axis=0).astype(np.uint8)
    found = clustering.k_medians(points, 12, jax.random.key(1))
    assert len(found.distances) > 3 and (np.diff(found.distances[:-1]) < 0).all()
    assert (np.diff(found.centres, axis=1) >= 0).all()  # curves again
    again = clustering.k_medians(points, 12, jax.random.key(1))
    np.testing.assert_array_equal(found.centres, again.centres)
    assert not np.array_equal(found.centres, clustering.k_medians(points, 12, jax.random.key(2)).centres)


def test_k_medians_of_few_different_points_leaves_clusters_alone():
    points = np.array([[1, 1, 1, 7, 7, 7]])
    found = clustering.k_medians(points, 4, jax.random.key(0))
    assert found.distances[-1] == 0 and set(found.centres.reshape(-1)) == {1, 7}
    with pytest.raises(ValueError, match="cannot make 7 clusters of 6 points"):
        clustering.k_medians(points, 7, jax.random.key(0))
