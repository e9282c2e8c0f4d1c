"""How much memory a spot takes."""

from __future__ import annotations

import pytest

from jaxpoker.errors import RunError
from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import solving


def test_memory_is_known_before_and_refused_when_it_does_not_fit(river_spot, reference):
    turn = subgame.Spot.from_json(reference["T1"])
    need = solving.memory_of(turn)
    tables = reference["T1"]["reference"]["tables_gb_f32"] * 1e9
    assert tables < need.tables < 2 * tables, "padding takes less than half"
    assert need.total < 2 * tables + 0.5e9
    with pytest.raises(RunError, match="GB of memory"):
        subgame.solve(river_spot, iterations=1, memory_gb=0.001)
