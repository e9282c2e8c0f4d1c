"""Iterations by all algorithms."""

from __future__ import annotations

import pytest

from jaxpoker.solvers import subgame


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "linear", "dcfr", "pcfr+"])
def test_every_algorithm_comes_closer(river_spot, algorithm):
    few, many = (subgame.solve(river_spot, iterations=n, algorithm=algorithm) for n in (5, 60))
    assert many.exploitability < few.exploitability / 3
    assert sum(many.ev) == pytest.approx(100, abs=1e-3)
