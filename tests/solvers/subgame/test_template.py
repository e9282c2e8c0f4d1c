"""Trees without chips: spots that share one program."""

from __future__ import annotations

import pytest

from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import betting, template


@pytest.mark.thorough
def test_an_all_in_on_the_turn_fits_a_template_that_bets_the_river(menu_of, oracle):
    """The shorter stack is all-in on the turn, where the deeper one goes on."""
    turns = [
        subgame.Spot("Kh 7h 3d 9h", 100, "KQs, 99, A5s:0.5", "AK:0.3, 88, JTs", menu_of("75%", "100%"), stack=stack)
        for stack in (75, 600)
    ]
    both = subgame.solve_many(turns, iterations=2)
    for solved, spot in zip(both, turns, strict=True):
        known = oracle(solved)
        assert solved.game.masked
        assert solved.ev == pytest.approx([known.ev(0), known.ev(1)], abs=1e-2)
        assert solved.exploitability == pytest.approx(known.exploitability(), abs=1e-2)
        assert solved.ev == pytest.approx(subgame.solve(spot, iterations=2).ev, abs=1e-2)


def test_spots_that_differ_in_chips_alone_have_one_shape(menu_of):
    menu = menu_of("50%", "100%", max_raises=2)
    shapes = {
        template.shape_of(betting.tree(subgame.Spot("Ks 7h 3d 9h 2c", pot, "22+", "22+", menu, stack=20 * pot)))
        for pot in (10, 97, 1000)
    }
    assert len(shapes) == 1
