"""Locked decisions stay as they are, and the others are solved around them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from jaxpoker import ranges
from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import NodeLock
from jaxpoker.solvers.tree import lines


def test_against_a_locked_player_the_other_plays_a_best_response(river_spot, oracle):
    """All decisions of ip locked: oop's EV is that of the oracle's best response."""
    tree = subgame.solve(river_spot, iterations=1).tree
    locks = []
    for node in tree.decisions(player=1):
        tokens = [lines.action_token(tree, node, int(slot)) for slot in np.flatnonzero(tree.legal(node))]
        locks.append(NodeLock(lines.sequence_of(tree, node), dict(zip(tokens, _some(len(tokens)), strict=True))))
    solved = subgame.solve(river_spot, iterations=300, locks=locks)
    after = solved.at("c")
    assert after.frequencies == pytest.approx(
        dict(zip(after.actions, _some(len(after.actions)), strict=True)), abs=1e-5
    )
    best = oracle(solved).ev(0, best=True)
    assert solved.ev[0] == pytest.approx(best, abs=0.0005 * river_spot.pot)
    assert solved.exploitability_percent < 0.05, "what is locked cannot gain"


def _some(actions: int) -> list[float]:
    shares = np.arange(1.0, actions + 1)
    return (shares / shares.sum()).tolist()


def test_a_lock_of_some_hands_holds_these_and_no_others(river_spot):
    locked = NodeLock("c", {"c": 0.25, "r50": 0.75}, hands="77, JTs")
    free, held = (subgame.solve(river_spot, iterations=60, locks=locks).at("c") for locks in ((), (locked,)))
    bet = held.strategy[held.actions.index("r50")]
    inside = (ranges.parse("77, JTs") > 0) & (held.reach[1] > 0)
    np.testing.assert_allclose(bet[inside], 0.75, atol=1e-6)
    assert not np.allclose(bet[~inside & (held.reach[1] > 0)], 0.75, atol=0.2)
    assert not np.allclose(free.strategy[free.actions.index("r50")][inside], 0.75, atol=0.1)


def test_a_lock_after_one_river_card(turn_spot):
    """It breaks the symmetry of suits."""
    solved = subgame.solve(turn_spot, iterations=3, locks=[NodeLock("cc/", {"c": 0.125, "r75": 0.875}, card="2c")])
    assert len(solved.places.orders) == 1
    there, elsewhere = (solved.at("cc/", card) for card in ("2c", "2s"))
    held = there.reach[0] > 0
    np.testing.assert_allclose(there.strategy[1][held], 0.875, atol=1e-6)
    assert not np.allclose(elsewhere.strategy[1][elsewhere.reach[0] > 0], 0.875, atol=0.1)


def test_locks_are_data(river_spot):
    lock = NodeLock("c", {"c": 0.25, "r50": 0.75}, hands="77, JTs")
    again = NodeLock.from_json(json.loads(json.dumps(lock.as_json())))
    assert again.as_json() == lock.as_json()
    one, other = (subgame.solve(river_spot, iterations=5, locks=[x]) for x in (lock, again))
    assert one.ev == other.ev


@pytest.mark.parametrize(
    ("lock", "says"),
    [
        (NodeLock("c", {"c": 0.5, "r51": 0.5}), "no action 'r51'"),
        (NodeLock("c", {"c": 0.5}), "sum to 1"),
        (NodeLock("c", {"c": float("nan"), "r50": 1}), "sum to 1"),
        (NodeLock("cf", {"c": 1}), "unknown betting sequence"),
        (NodeLock("c", {"c": 1}, card="2h"), "no river card"),
        (NodeLock("c", np.ones((2, 3))), r"\[3, 1326\]"),
    ],
)
def test_bad_locks_are_refused(river_spot, lock, says):
    with pytest.raises(ValueError, match=says):
        subgame.solve(river_spot, iterations=1, locks=[lock])
