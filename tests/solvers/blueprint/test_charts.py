"""What a blueprint plays, in words, bars, tables and grids."""

import csv
import io

import numpy as np
import pytest
from rich.console import Console

from jaxpoker import ranges
from jaxpoker.solvers.blueprint import charts
from jaxpoker.solvers.tree.lines import node_of, sequence_of


def shown(thing) -> str:
    console = Console(width=120, file=io.StringIO())
    console.print(thing)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("betting", "actions"),
    [
        ("", ["Fold", "Call 5", "Raise to 25", "All-in (60)"]),
        ("c", ["Check", "Raise to 25", "All-in (60)"]),
        ("r25", ["Fold", "Call 15", "All-in (60)"]),
        ("cc/", ["Check", "Bet 15", "All-in (50)"]),
        ("cc/r15", ["Fold", "Call 15", "All-in (50)"]),
    ],
)
def test_actions_are_said_as_players_say_them(any_blueprint, betting, actions):
    tree = any_blueprint.tree
    node = node_of(tree, betting)
    assert [charts.action_label(tree, node, action) for action in np.nonzero(tree.legal(node))[0].tolist()] == actions


@pytest.mark.parametrize(
    ("betting", "said"),
    [
        ("", "first to act"),
        ("r25", "BTN raises to 25"),
        ("r25c/c", "BTN raises to 25, BB calls 15 | BB checks"),
        ("ca", "BTN calls 5, BB goes all-in (60)"),
        ("cc/", "BTN calls 5, BB checks | first to act"),
    ],
)
def test_the_betting_before_a_decision_is_told(any_blueprint, betting, said):
    assert charts.situation(any_blueprint.tree, node_of(any_blueprint.tree, betting)) == said


def test_bars_are_as_long_as_actions_are_frequent_the_most_frequent_first():
    lines = charts.bars(["Fold", "Call 5", "Raise to 25"], [0.25, 0.0, 0.75])
    assert [line.split("%")[0].split()[0] for line in lines] == ["Raise", "Fold", "Call"]
    assert [line.count("█") for line in lines] == [30, 10, 0]


def test_a_card_says_who_holds_what_where(any_blueprint):
    node = node_of(any_blueprint.tree, "r25")
    lines = charts.card(any_blueprint, node, 5, "AhKh").splitlines()
    assert lines[:4] == [
        "Hand: AhKh",
        "Hand Strength: Premium (AA-TT, AK)",
        "Position: BB",
        "Situation: BTN raises to 25",
    ]
    mix = any_blueprint.at(node)[5]
    assert len(lines) == 5 + 3 and f"{max(mix):.1%}" in lines[5]


def test_before_the_flop_a_decision_is_exported_hand_by_hand(any_blueprint):
    node = node_of(any_blueprint.tree, "cr25")
    rows = list(csv.DictReader(io.StringIO(charts.as_csv(any_blueprint, node))))
    assert [row["hand"] for row in rows] == list(ranges.CLASS_NAMES)
    by_hand = {row["hand"]: row for row in rows}
    for hand, cards in {"AA": "AhAd", "72o": "7d2c", "T9s": "Ts9s"}.items():
        mix = [float(by_hand[hand][label]) for label in ("Fold", "Call 15", "All-in (60)")]
        np.testing.assert_allclose(mix, list(any_blueprint.mix(node, cards).values()), atol=1e-6)
        limped = any_blueprint.mix(0, cards)["check/call"]
        assert float(by_hand[hand]["reach"]) == pytest.approx(limped, abs=1e-6)


def test_after_the_flop_a_decision_is_exported_bucket_by_bucket(any_blueprint):
    node = node_of(any_blueprint.tree, "cc/")
    found = charts.as_json(any_blueprint, node)
    assert (found["position"], found["street"], found["sequence"]) == ("BB", "flop", "cc/")
    assert [row["bucket"] for row in found["strategy"]] == list(range(9))
    checks = [row["Check"] for row in found["strategy"]]
    np.testing.assert_allclose(checks, any_blueprint.at(node)[:, 1], atol=1e-6)


def test_a_table_has_a_line_for_each_bucket_that_a_hand_may_have(any_blueprint):
    lines = [line for line in shown(charts.table(any_blueprint, 0)).splitlines() if "%" in line]
    assert len(lines) == len(set(any_blueprint.class_buckets.tolist()))
    assert "Premium" in lines[0] or "premium" in lines[0]
    assert f"{any_blueprint.at(0)[5, 2]:.1%}" in lines[0]


def test_a_grid_is_of_all_169_hands_with_the_largest_bet_first(any_blueprint):
    grid = shown(charts.grid(any_blueprint, 0))
    assert "BTN: first to act" in grid and all(name in grid for name in ("AA", "72o", "AKs"))
    assert [grid.index(word) for word in ("All-in", "Raise to", "Call", "Fold")] == sorted(
        grid.index(word) for word in ("All-in", "Raise to", "Call", "Fold")
    )
    with pytest.raises(ValueError, match="on the flop"):
        charts.grid(any_blueprint, node_of(any_blueprint.tree, "cc/"))


def test_decisions_worth_a_look_are_the_first_ones_of_both(any_blueprint):
    tree = any_blueprint.tree
    assert [sequence_of(tree, node) for node in charts.opening_nodes(tree)] == ["", "c", "r25"]
