"""Values, equity and exploitability are those of loops over all pairs of hands and all river cards."""

from __future__ import annotations

import numpy as np
import pytest

from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import hand_places
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


def test_equity_is_the_share_of_showdowns_won(solved_river, oracle):
    known, view = oracle(solved_river), solved_river.at("c")
    won = known.won(tuple(solved_river.spot.board))
    for player, sign in ((0, 1), (1, -1)):
        theirs = view.reach[1 - player, known.hands[1 - player]]
        apart, share = (known.apart, (1 + won) / 2) if player == 0 else (known.apart.T, (1 + sign * won.T) / 2)
        expected = (apart * share) @ theirs / (apart @ theirs)
        np.testing.assert_allclose(view.equity[player, known.hands[player]], expected, atol=1e-5)


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


def test_exchanged_suits_change_nothing(turn_spot):
    """Later iterations differ: rounding decides between actions that are worth the same."""
    halved, every_card = (subgame.solve(turn_spot, iterations=4, symmetric=on) for on in (True, False))
    assert len(halved.places.orders) == 2 and len(every_card.places.orders) == 1
    assert len(halved.places.deal.times) == 35 and halved.places.deal.times.sum() == 48
    assert halved.ev == pytest.approx(every_card.ev, abs=1e-3)
    assert halved.exploitability == pytest.approx(every_card.exploitability, abs=1e-3)
    for line, card in (("", ""), ("cc/", "2c"), ("cc/", "2s"), ("cc/c", "Ts")):
        ours, theirs = halved.at(line, card), every_card.at(line, card)
        np.testing.assert_allclose(ours.ev, theirs.ev, atol=1e-2)
        np.testing.assert_allclose(ours.strategy, theirs.strategy, atol=1e-4)


def test_a_range_that_is_not_symmetric_keeps_all_suits(turn_spot):
    given = {"board": turn_spot.board, "pot": 100, "stack": 180, "ip": turn_spot.ip, "menu": turn_spot.menu}
    assert len(hand_places.of(subgame.Spot(oop="KQs", **given)).orders) == 2
    assert len(hand_places.of(subgame.Spot(oop="KQs, AcKc:0.5", **given)).orders) == 1


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "linear", "dcfr", "pcfr+"])
def test_every_algorithm_comes_closer(river_spot, algorithm):
    few, many = (subgame.solve(river_spot, iterations=n, algorithm=algorithm) for n in (5, 60))
    assert many.exploitability < few.exploitability / 3
    assert sum(many.ev) == pytest.approx(100, abs=1e-3)
