"""What a response wins: exactly where the game is small, by matches in hold'em."""

import jax
import numpy as np
import pytest

from jaxpoker import match, players
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant
from jaxpoker.solvers.exact import best_response, exact_game, strategies
from jaxpoker.studies.respond import evaluation, targets


def test_a_best_response_makes_all_that_can_be_made_and_the_target_itself_nothing():
    target = targets.target_of("leduc", "scattered")
    game = exact_game.whole(target.game)
    table = strategies.of_player(game, *target.entrant)
    both = [best_response.best_response(game, table, seat).strategy for seat in range(2)]
    best = game.table((game.part(0, both[0]), game.part(1, both[1])))
    player = strategies.as_player(game, "best")
    found = evaluation.exact_gain(target, player, best)
    assert found.part == pytest.approx(1, abs=1e-5)
    assert found.best == pytest.approx(float(best_response.exploitability(game, table)), abs=1e-5)
    assert evaluation.exact_gain(target, player, table).value == pytest.approx(0, abs=1e-5)


def test_blocks_make_one_estimate():
    assert evaluation.pooled([Estimate(10.0, 3.0, 50), Estimate(20.0, 4.0, 50)]) == Estimate(15.0, 2.5, 100)


@pytest.mark.thorough
def test_hands_are_judged_in_blocks_of_other_deals(monkeypatch):
    """Two blocks are two matches with keys of their own."""
    monkeypatch.setattr(evaluation, "TABLES", 8)
    target = targets.target_of("holdem", "tag", menu="75%, a")
    caller = Entrant(players.make("call", target.game))
    key = jax.random.key(3)
    found = evaluation.judged(target, caller.player, None, key, 2 * 8 * 16)
    each = [
        match.play(
            target.game, [caller, target.entrant], jax.random.fold_in(key, i), None, 8, 8, win_samples=100, luck=False
        ).mbb_per_hand[0]
        for i in range(2)
    ]
    assert each[0] != each[1] and found == evaluation.pooled(each)
    assert found.n == 16 and np.isfinite(found.ci95)
