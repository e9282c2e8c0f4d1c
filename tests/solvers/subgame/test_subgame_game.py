"""Values, equity and exploitability are those of loops over all pairs of hands and all river cards."""

from __future__ import annotations

import numpy as np
import pytest

from jaxpoker.solvers import subgame
from jaxpoker.solvers.tree import lines

POT = 1e-4  # of the pot: what rounding may differ by


def same_values(solved, oracle, nodes) -> None:
    """Root, nodes and best responses are the oracle's."""
    known, close = oracle(solved), POT * solved.spot.whole_pot
    assert solved.ev == pytest.approx([known.ev(0), known.ev(1)], abs=close)
    assert solved.exploitability == pytest.approx(known.exploitability(), abs=close)
    for line, card in nodes:
        view = solved.at(line, card)
        for player in (0, 1):
            expected = known.node_ev(player, line, card)
            found = view.ev[player, known.hands[player]]
            held = ~np.isnan(found)
            assert held.any()
            np.testing.assert_allclose(found[held], expected[held], atol=close)


def test_river_values_are_those_of_all_pairs_of_hands(solved_river, oracle):
    nodes = [(lines.sequence_of(solved_river.tree, node), -1) for node in solved_river.tree.decisions()]
    same_values(solved_river, oracle, nodes)


@pytest.mark.parametrize(
    "change",
    [
        {"rake": 0.05, "rake_cap": 6.0},
        {"stacks": (260, 90)},
        {"bets": (0, 60), "stack": 200},
        {"to_act": 1},
        {"pot": 5.5, "stack": 12.5},
        {"oop": "54s, 65s, A5s", "board": "Ts Js Qs Ks As"},  # everybody ties
    ],
    ids=["rake with a cap", "uneven stacks", "facing a bet", "after a check", "half chips", "the board plays"],
)
def test_other_rivers_likewise(river_spot, oracle, change):
    given = {"board": river_spot.board, "pot": 100, "oop": river_spot.oop, "ip": river_spot.ip, "menu": river_spot.menu}
    stacks = {} if "stacks" in change or "stack" in change else {"stack": 260}
    solved = subgame.solve(subgame.Spot(**{**given, **stacks, **change}), iterations=10)
    every = [(lines.sequence_of(solved.tree, node), -1) for node in solved.tree.decisions()]
    same_values(solved, oracle, every)


def test_turn_values_are_those_of_all_river_cards(solved_turn, oracle):
    tree = solved_turn.tree
    on_turn = [(lines.sequence_of(tree, node), -1) for node in tree.decisions(street=2)]
    river = [lines.sequence_of(tree, node) for node in tree.decisions(street=3)[:6]]
    seven_of_spades, two_of_clubs = 39 + 5, 0
    same_values(
        solved_turn, oracle, on_turn + [(line, card) for line in river for card in (seven_of_spades, two_of_clubs)]
    )
