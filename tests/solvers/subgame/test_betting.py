"""Bet sizes and betting trees."""

from __future__ import annotations

import numpy as np
import pytest

from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import betting
from jaxpoker.solvers.tree import lines


def tokens(spot: subgame.Spot, line: str) -> list[str]:
    tree = betting.tree(spot)
    node = lines.node_of(tree, line)
    return [lines.action_token(tree, node, int(slot)) for slot in np.flatnonzero(tree.legal(node))]


def spot_with(menu: object, stack: float = 400, board: str = "Ks7h3d9h2c", **more: object) -> subgame.Spot:
    return subgame.Spot(board=board, pot=100, stack=stack, oop="22+", ip="22+", menu=menu, **more)


@pytest.mark.parametrize(
    ("bet", "raise_", "line", "found"),
    [
        ("33%, 75%, a", "", "", ["c", "r33", "r75", "r400"]),
        ("33.4%", "", "", ["c", "r33"]),  # to the nearest chip
        ("33.5%", "", "", ["c", "r34"]),
        ("150", "", "", ["c", "r150"]),
        ("50%, 50, 0.5%", "", "", ["c", "r50", "r1"]),  # in the order of the menu; equal ones are one; at least a chip
        ("500%", "", "", ["c", "r400"]),  # more than the stack is all-in
        ("e", "", "", ["c", "r400"]),  # on the river geometric is all-in
        ("2e", "", "", ["c", "r100"]),  # (1 + 2 x 1)^2 = 900 / 100
        ("50%", "100%", "r50", ["f", "c", "r250"]),  # 50 and the pot of 200 after a call
        ("50%", "2.5x", "r50", ["f", "c", "r125"]),
        ("50%", "120", "r50", ["f", "c", "r120"]),
        ("50%", "1.2x", "r50", ["f", "c", "r100"]),  # below the smallest raise is the smallest
        ("50%", "a", "cr50", ["f", "c", "r400"]),
        ("50%", "", "r50", ["f", "c"]),
    ],
)
def test_sizes(menu_of, bet, raise_, line, found):
    assert tokens(spot_with(menu_of(bet, raise_)), line) == found


@pytest.mark.parametrize(
    ("options", "line", "found"),
    [
        ({"max_raises": 1}, "r50", ["f", "c"]),
        ({"max_raises": 2}, "r50", ["f", "c", "r150"]),
        ({"max_raises": 2}, "r50r150", ["f", "c"]),
        ({"add_all_in": 4}, "", ["c", "r50", "r400"]),
        ({"add_all_in": 3.9}, "", ["c", "r50"]),
        ({"force_all_in": 1.75}, "", ["c", "r400"]),  # 350 behind, 200 in the pot after a call
        ({"force_all_in": 1.74}, "", ["c", "r50"]),
        ({"all_in_share": 0.125}, "", ["c", "r400"]),
        ({"all_in_share": 0.13}, "", ["c", "r50"]),
    ],
)
def test_options(menu_of, options, line, found):
    assert tokens(spot_with(menu_of("50%", "50%", **options)), line) == found


def test_sizes_that_are_close_merge_into_the_larger(menu_of):
    assert tokens(spot_with(menu_of("50%, 60%, 100%", "", merge=0.1)), "") == ["c", "r60", "r100"]
    assert tokens(spot_with(menu_of("50%, 70%, 100%", "", merge=0.1)), "") == ["c", "r50", "r70", "r100"]


def test_players_and_streets_have_menus_of_their_own():
    menu = {
        "turn": {"oop": {"bet": "50%", "raise": "a"}, "ip": {"bet": "100%"}},
        "river": {"oop": {"bet": "25%", "donk": "10%"}, "ip": {"bet": "75%"}},
    }
    spot = spot_with(menu, board="Ks7h3d9h")
    assert tokens(spot, "") == ["c", "r50"]
    assert tokens(spot, "r50") == ["f", "c"]
    assert tokens(spot, "c") == ["c", "r100"]
    assert tokens(spot, "cr100") == ["f", "c", "r400"]
    assert tokens(spot, "cc/") == ["c", "r25"]
    assert tokens(spot, "cc/c") == ["c", "r75"]
    assert tokens(spot, "cr100c/") == ["c", "r30"], "oop called: it donks 10% of 300"
    assert tokens(spot, "r50c/") == ["c", "r50"], "ip called: 25% of 200 is no donk bet"


def test_bets_already_made_count_as_raises(menu_of):
    spot = spot_with(menu_of("50%", "50%", max_raises=2), stack=300, bets=(0, 50))
    assert tokens(spot, "") == ["f", "c", "r150"]
    assert tokens(spot, "r150") == ["f", "c"]


def test_the_shorter_stack_is_all_in(menu_of):
    spot = subgame.Spot("Ks7h3d9h2c", 100, "22+", "22+", menu_of("50%, a", "a"), stacks=(400, 120))
    assert tokens(spot, "") == ["c", "r50", "r120"]
    assert tokens(spot, "r50") == ["f", "c", "r120"]


@pytest.mark.parametrize("name", ["R1", "T1", "B0"])
def test_trees_have_the_nodes_of_an_independent_solver(reference, name):
    spot = subgame.Spot.from_json(reference[name])
    tree = betting.tree(spot)
    dealt = int((tree.street == 3).sum()) if spot.street == 2 else 0
    all_ins = int(((tree.kind == 2) & (tree.street == 2) & ~tree.is_fold(np.arange(tree.num_nodes))).sum())
    nodes = tree.num_nodes - dealt + 48 * (dealt + all_ins)
    assert nodes == reference[name]["reference"]["nodes_after_isomorphism"]
    root = reference[name]["reference"]["root_oop"]
    assert len(tokens(spot, "")) == len(root)
