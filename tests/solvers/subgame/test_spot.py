"""Spots: what they are read from, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from jaxpoker.solvers import subgame

GOOD = {"board": "Ks 7h 3d 9h 2c", "pot": 100, "stack": 400, "oop": "22+", "ip": "A2s+", "menu": "50%, a"}


def test_a_spot_of_json_is_the_same_after_a_detour(reference):
    for name in ("R1", "T1", "B0"):
        spot = subgame.Spot.from_json(reference[name])
        again = subgame.Spot.from_json(json.loads(json.dumps(spot.as_json())))
        assert again.menu == spot.menu and again.board == spot.board and again.stacks == spot.stacks
        np.testing.assert_array_equal(again.ranges, spot.ranges)


def test_a_file_may_hold_it(tmp_path, reference):
    path = tmp_path / "one.json"
    path.write_text(json.dumps(reference["R1"]))
    assert subgame.Spot.from_json(path).pot == 100
    with pytest.raises(ValueError, match="cannot read"):
        subgame.Spot.from_json(tmp_path / "none.json")
    path.write_text("{")
    with pytest.raises(ValueError, match="not JSON"):
        subgame.Spot.from_json(path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"board": "Ks 7h 3d 9h 9h"}, "appears twice"),
        ({"board": "Ks 7h 3d 9h 9x"}, "unknown card"),
        ({"board": [50, 50, 1, 2, 3]}, "twice in board"),
        ({"board": [52, 0, 1, 2, 3]}, "not a card id"),
        ({"board": "Ks 7h"}, "a board of 2 cards"),
        ({"board": "Ks 7h 3d 9h 2c 4c"}, "a board of 6 cards"),
        ({"oop": ""}, "range of oop: the range is empty"),
        ({"oop": "AA:0"}, "range of oop is empty"),
        ({"oop": np.full(1326, np.nan)}, "range of oop: weights"),
        ({"oop": np.ones(169)}, "range of oop: a range has 1326"),
        ({"ip": "KsKh, 7h7d"}, "blocks every hand in the range of ip"),
        ({"oop": "AcAd", "ip": "AcAh, AdAs"}, "no hand of oop can be held"),
        ({"pot": 0}, "pot is 0 chips"),
        ({"pot": float("nan")}, "pot=nan"),
        ({"pot": -5}, "below 0"),
        ({"pot": "much"}, "pot='much'"),
        ({"stack": 0}, "stack of oop is 0 chips"),
        ({"stack": float("inf")}, "stack of oop=inf"),
        ({"stack": None}, "a stack .* or stacks"),
        ({"stacks": (1, 2)}, "not both"),
        ({"rake": 1.5}, "rake=1.5"),
        ({"rake": float("nan")}, "rake=nan"),
        ({"bets": (1, 2, 3)}, "two numbers"),
        ({"to_act": 2}, "to_act=2"),
        ({"bets": (0, 50), "to_act": 1}, "to_act=1"),
        ({"menu": ""}, "has no sizes"),
        ({"menu": "50%, huge"}, "unknown bet size 'huge'"),
        ({"menu": "0%"}, "unknown bet size '0%'"),
        ({"menu": {"turn": {"oop": {"bet": "50%"}}}}, "no legal bet"),
        ({"menu": {"river": {"utg": {}}}}, "'oop' and 'ip'"),
        ({"menu": {"rivr": {}}}, "unknown street 'rivr'"),
        ({"menu": {"river": {"oop": {"bets": "50%"}}}}, "'bet', 'raise' and 'donk'"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(change, says):
    with pytest.raises(ValueError, match=says):
        subgame.Spot(**{**GOOD, **change})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bord": "x"}, "unknown field 'bord'"),
        ({"add_allin_threshold": -1}, "add_all_in=-1"),
        ({"donk": {"river": "5y"}}, "unknown bet size '5y'"),
    ],
)
def test_json_likewise(change, says):
    menu = {"river": {"oop": {"bet": "50%"}, "ip": {"bet": "50%"}}}
    with pytest.raises(ValueError, match=says):
        subgame.Spot.from_json({**GOOD, "menu": menu, **change})
    with pytest.raises(ValueError, match="needs 'pot'"):
        subgame.Spot.from_json({name: value for name, value in GOOD.items() if name != "pot"})


def test_a_tree_too_large_is_refused(menu_of):
    many = menu_of("10%, 20%, 30%, 40%, 50%, 60%, 70%", "2.1x, 2.4x, 2.7x, 3x, 3.5x, 4x, 5x, 6x")
    spot = subgame.Spot(**{**GOOD, "board": "Ks 7h 3d 9h", "stack": 100_000, "menu": many})
    with pytest.raises(ValueError, match="the tree has more than"):
        subgame.solve(spot, iterations=1)
