"""One decision of a solved spot as grids, tables, CSV and JSON."""

import csv
import io

import numpy as np
import pytest
from rich.console import Console

from jaxpoker import ranges
from jaxpoker.solvers import spots
from jaxpoker.solvers.spots import charts


def shown(renderable):
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(renderable)
    return console.export_text()


def test_the_shares_of_the_grid_are_the_frequencies_of_the_node(turn):
    node = turn.at("c")
    mix, reach = charts.class_mix(node), charts.class_shares(node) * ranges.COMBOS_PER_CLASS
    np.testing.assert_allclose(reach @ mix / reach.sum(), list(node.frequencies.values()), atol=1e-6)


def test_a_class_is_the_mean_of_its_hands(river):
    node = river.at("")
    kings = ranges.CLASS_NAMES.index("KK")
    held = np.flatnonzero(node.reach[0] * (kings == ranges.CLASS_OF_COMBO))
    assert len(held) == 1
    np.testing.assert_allclose(charts.class_mix(node)[kings], node.strategy[:, held[0]], atol=1e-6)
    assert charts.class_weights(river, node, 0)[kings] == pytest.approx(1 / 3)  # of the three that the board leaves


def test_weights_after_a_river_card_leave_out_its_chance(turn):
    node = spots.find(turn, "check, check; 2c")
    at_turn = turn.at("c")
    checked = at_turn.strategy[0]  # of IP, which checks behind
    there = node.reach[1] > 0
    assert there.any()
    np.testing.assert_allclose(charts.held(turn, node)[1][there], (at_turn.reach[1] * checked)[there], rtol=1e-4)


def test_csv_has_a_row_for_each_hand_of_both_players(river):
    rows = list(csv.DictReader(io.StringIO(spots.as_csv(river, river.at("c")))))
    assert [(row["player"], row["hand"]) for row in rows if row["player"] == "ip"] == [("ip", "AdKc"), ("ip", "AcQd")]
    assert list(rows[0]) == ["player", "hand", "weight", "ev", "equity", "check", "all-in 100"]
    ip = [row for row in rows if row["player"] == "ip"]
    assert [float(row["weight"]) for row in ip] == [1.0, 0.5]
    assert all(float(row["check"]) + float(row["all-in 100"]) == pytest.approx(1, abs=1e-5) for row in ip)
    assert all(row["check"] == "" for row in rows if row["player"] == "oop")


def test_hands_can_be_chosen(river):
    assert [row["hand"] for row in charts.rows(river, river.at(""), "KK")] == ["KhKd"]
    with pytest.raises(ValueError, match="nobody holds 'QQ'"):
        charts.hands_table(river, river.at(""), "QQ")


def test_json_has_both_ranges_and_evs_that_sum_to_the_pot(river):
    found = spots.as_json(river, river.at(""))
    assert found["player"] == "oop" and found["board"] == "Ks7h3d9h2c" and found["line"] == ""
    assert found["ev"]["oop"] + found["ev"]["ip"] == pytest.approx(100, abs=1e-3)
    assert sum(found["frequencies"].values()) == pytest.approx(1, abs=1e-5)
    assert ranges.parse(found["ranges"]["ip"]).sum() == pytest.approx(1.5)
    assert found["combos"] == {"oop": 3, "ip": 1.5}


def test_tables_and_grids_are_shown(turn):
    node = turn.at("c")
    text = shown(charts.grid(turn, node)) + shown(charts.summary(turn, node)) + shown(charts.range_grids(turn, node))
    assert "IP on Ks7h3d9h after check, pot 100" in text
    assert "IP bet 66" in text and "Range of OOP" in text
    assert "KsQs" not in shown(charts.hands_table(turn, node, "KQs")), "the board has the king of spades"
    assert "KdQd" in shown(charts.hands_table(turn, node, "KQs"))
