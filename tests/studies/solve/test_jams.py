"""What a run of push/fold for many shows; two seats, so that nothing is sampled."""

import io

import numpy as np
import pytest
from rich.console import Console

from jaxpoker.studies.solve import jams
from jaxpoker.studies.solve.config import Config


def test_ranges_and_figures(tmp_path):
    config = Config(game="pushfold", stacks=(10.0, 10.0), payouts=(60.0, 40.0)).resolved()
    game = jams.game_of(config)
    table = game.uniform()
    table[:169] = [0, 1]  # all jams, half of them called
    said = io.StringIO()
    found = jams.show(Console(file=said, width=120), game, table, config, tmp_path)
    assert found["percents"] == pytest.approx({"SB after folds": 100, "BB after SB in": 50})
    assert found["nash_conv"] == pytest.approx(sum(found["gains"])) and min(found["gains"]) >= 0
    assert "gains_sampled_anew" not in found
    assert "prizes 60 40" in said.getvalue() and "100.0%" in said.getvalue()
    assert (tmp_path / "jams.png").is_file() and (tmp_path / "calls.png").is_file()
    rows = jams.as_csv(game, table).splitlines()
    assert rows[1] == "AA,SB after folds,1.000000" and len(rows) == 1 + 2 * 169


def test_stacks_and_antes_are_in_big_blinds():
    config = Config(game="pushfold", stacks=(8.0, 12.0), small_blind=50, big_blind=100, ante=10).resolved()
    stakes = jams.game_of(config).stakes
    np.testing.assert_allclose(stakes.posted, [0.6, 1.1])
    assert stakes.stacks == (8, 12) and stakes.unit() == "big blinds"
