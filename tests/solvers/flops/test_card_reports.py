"""Reports of a solved flop."""

from __future__ import annotations

import numpy as np
import pytest

from jaxpoker.solvers.flops import card_reports


def test_a_row_for_each_decision_of_the_flop(solved):
    rows = card_reports.flop_rows(solved)
    assert [row.line for row in rows] == ["", "c", "r5", "cr5"]
    assert rows[1].share + rows[2].share == pytest.approx(1, abs=1e-6)
    assert sum(rows[0].ev) == pytest.approx(solved.spot.pot, abs=1e-3)


def test_turn_cards_together_are_worth_what_the_line_is(solved):
    """After bet and call the EVs of the turns, by how likely they are, are the EV of the call."""
    rows = card_reports.turn_rows(solved, "r5c/")
    assert len(rows) == 49 and len({row.card for row in rows}) == 49
    weights = np.array([row.times for row in rows])
    mean = np.average([row.ev[0] for row in rows], weights=weights)
    node = solved.at("r5")
    fold, call = (node.frequencies[action] for action in ("f", "c"))
    whole = fold * node.pot + call * mean
    assert node.range_ev[0] == pytest.approx(whole, abs=0.02)


def test_kinds_of_cards_add_up(solved):
    rows = card_reports.turn_rows(solved, "r5c/")
    kinds = card_reports.by_kind(rows)
    assert sum(kind.cards for kind in kinds) == 49 and sum(kind.share for kind in kinds) == pytest.approx(1)
    mean = sum(kind.share * kind.ev[0] for kind in kinds)
    assert mean == pytest.approx(np.average([row.ev[0] for row in rows], weights=[row.times for row in rows]))
    assert card_reports.all_turn_rows(solved)["r5c/"] == rows


def test_river_cards_after_a_turn(solved):
    rows = card_reports.river_rows(solved, "r5c/cc/", "2d")
    assert len(rows) == 48
    assert {row.kind for row in rows} >= {"pairs the board", "third of a suit"}


def test_a_line_that_deals_no_card_is_named(solved):
    with pytest.raises(ValueError, match="'cc/', 'r5c/', 'cr5c/'"):
        card_reports.turn_rows(solved, "r5")
