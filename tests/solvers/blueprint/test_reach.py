"""How often decisions are reached: against all pairs of hands one by one, and against drawn deals."""

import itertools

import numpy as np
import pytest

from jaxpoker import cards, ranges
from jaxpoker.solvers.blueprint import reach
from jaxpoker.solvers.tree.lines import node_of

FLOP = "Qh7h2c"


def of_hands(blueprint, node, board, player):
    """[1326] what a player's own play makes of each combo on the way to ``node``, looked up one combo at a time."""
    found = np.ones(ranges.NUM_COMBOS)
    opened = {0: 0, 1: 3, 2: 4, 3: 5}
    on_board = cards.parse(board).tolist()
    for here, after in itertools.pairwise(blueprint.tree.path(node)):
        if blueprint.tree.action[after] < 0 or blueprint.tree.player[here] != player:
            continue
        seen = on_board[: opened[int(blueprint.tree.street[here])]]
        for combo, hole in enumerate(ranges.COMBOS.tolist()):
            if set(hole) & set(on_board):
                found[combo] = 0
            else:
                found[combo] *= blueprint.at(here)[blueprint.bucket(hole, seen), blueprint.tree.action[after]]
    return found


def test_a_decision_on_the_flop_is_reached_as_often_as_all_pairs_of_hands_say(any_blueprint):
    node = node_of(any_blueprint.tree, "cr25c/ca")
    player = int(any_blueprint.tree.player[node])
    own, other = (of_hands(any_blueprint, node, FLOP, seat) for seat in (player, 1 - player))
    held = np.zeros((ranges.NUM_COMBOS, 52), bool)
    np.put_along_axis(held, ranges.COMBOS, True, axis=1)
    live = ~held[:, cards.parse(FLOP)].any(axis=1)
    apart = ~(held.astype(int) @ held.T.astype(int)).astype(bool) & live[:, None] & live
    found = reach.of(any_blueprint, node, FLOP)
    assert 0 < found.hands < 1 and found.ci95 == 0
    assert found.hands == pytest.approx((apart * np.outer(own, other)).sum() / apart.sum(), rel=1e-6)
    combo = ranges.combo_index(*map(np.int32, cards.parse("AhKh").tolist()))
    exact = own[combo] * other[apart[combo]].sum() / apart[combo].sum()
    assert found.with_hand("AhKh") == pytest.approx(exact, rel=1e-6)
    assert found.with_hand("Qh3c") == 0  # the board has the queen
    assert found.among(live) == pytest.approx(found.hands, rel=1e-6)


def test_the_first_decision_is_always_reached(any_blueprint):
    found = reach.of(any_blueprint, 0)
    assert found.hands == pytest.approx(1) and found.with_hand("7s2c") == pytest.approx(1)


def test_decisions_before_the_flop_share_what_comes_to_the_one_before_them(any_blueprint):
    """The button raises, calls or folds as often as its combos do."""
    opened = any_blueprint.at(0)[any_blueprint.class_buckets]
    share = ranges.COMBOS_PER_CLASS / ranges.NUM_COMBOS
    raised = node_of(any_blueprint.tree, "r25")
    found = reach.of(any_blueprint, raised).hands
    assert found == pytest.approx(share @ opened[:, any_blueprint.tree.action[raised]], rel=1e-6)


def test_without_a_board_it_is_what_drawn_deals_come_to(any_blueprint):
    tree, rng = any_blueprint.tree, np.random.default_rng(3)
    node = node_of(tree, "cc/cr15c/c")
    drawn = []
    for _ in range(200):
        deck = rng.permutation(52)[:9].tolist()
        holes, board, product = (deck[:2], deck[2:4]), deck[4:], 1.0
        for here, after in itertools.pairwise(tree.path(node)):
            if tree.action[after] >= 0:
                seen = board[: [0, 3, 4, 5][int(tree.street[here])]]
                bucket = any_blueprint.bucket(holes[int(tree.player[here])], seen)
                product *= float(any_blueprint.at(here)[bucket, tree.action[after]])
        drawn.append(product)
    found = reach.of(any_blueprint, node)
    error = np.hypot(np.std(drawn) / len(drawn) ** 0.5, found.ci95 / 1.96)
    assert found.ci95 > 0 and abs(found.hands - np.mean(drawn)) < 4 * error
    assert 4 * error < found.hands  # that is not true of just anything


def test_a_board_of_another_street_is_refused(any_blueprint):
    with pytest.raises(ValueError, match="a board of 4 cards: at this decision there are 3"):
        reach.of(any_blueprint, node_of(any_blueprint.tree, "cc/"), "Qh7h2c3d")
