"""Which cards change what, after a line in words."""

from __future__ import annotations

import csv
import io

import pytest
from rich.console import Console

from jaxpoker.solvers import flops, subgame
from jaxpoker.solvers.spots import next_cards


@pytest.fixture(scope="module")
def flop():
    spot = subgame.Spot(board="Ks7h3h", pot=10, stack=30, oop="AA, 76s", ip="KQs, 88", menu="100%")
    return flops.solve(spot, iterations=10)


def test_turns_and_rivers_by_kind_and_card_by_card(flop):
    assert len(next_cards.rows(flop, "check, check")) == 49
    rivers = next_cards.rows(flop, "check, check; 2c; check, check")
    assert len(rivers) == 48 and {row.card for row in rivers}.isdisjoint({*flop.spot.board, 0})
    console = Console(record=True, width=200)
    console.print(next_cards.table(flop, "bet 10, call"))
    assert "pairs the board" in (shown := console.export_text()) and "IP check after check" in shown
    rows = list(csv.DictReader(io.StringIO(next_cards.as_csv(flop, "check, check"))))
    assert len(rows) == 49 and rows[0]["card"] == "2c"
    assert float(rows[0]["OOP check"]) + float(rows[0]["OOP bet 10"]) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("line", ["", "check", "bet 10, fold", "sing"])
def test_a_line_after_which_no_card_comes_is_named(flop, line):
    with pytest.raises(ValueError, match="no card is dealt after"):
        next_cards.rows(flop, line)


def test_a_turn_is_refused():
    spot = subgame.Spot(board="Ks7h3h2c", pot=10, stack=10, oop="AA, 76s", ip="KQs, 88", menu="a")
    with pytest.raises(ValueError, match="told of flops"):
        next_cards.rows(subgame.solve(spot, iterations=1), "check, check")
