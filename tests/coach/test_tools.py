"""Pot odds, equity against ranges and the ranges that actions imply."""

import jax
import numpy as np
import pytest

from jaxpoker import cards, equity, ranges
from jaxpoker.coach import implied_range, player_model, pot_odds, range_equity
from jaxpoker.players import styles
from jaxpoker.solvers import blueprint

KEY = jax.random.key(0)


def combo(text: str) -> int:
    return int(ranges.combo_index(*cards.parse(text).tolist()))


# --- pot odds ---------------------------------------------------------------------------------


def test_six_into_twelve_needs_a_third():
    assert pot_odds.required_equity(12, 6) == pytest.approx(1 / 3)


def test_pot_odds_of_many_spots_at_once():
    found = pot_odds.required_equity(np.array([12.0, 30.0, 15.0]), np.array([6.0, 10.0, 5.0]))
    np.testing.assert_allclose(found, [1 / 3, 0.25, 0.25], rtol=1e-6)


def test_chips_that_a_short_stack_cannot_win_are_not_in_its_pot(spot):
    state = spot("AhKh", [1000], button=1, stacks=(60, 1000))  # seat 0 is the big blind with 6 big blinds
    assert int(state.pot) == 1010
    assert int(jax.jit(pot_odds.pot_to_win)(state, 0)) == 10 + 60  # its own blind, and 60 of the other stack
    assert pot_odds.required_equity(70, 50) == pytest.approx(50 / 120)


def test_stack_to_pot_is_of_the_smaller_stack(spot):
    of_player = jax.jit(pot_odds.stack_to_pot)
    assert float(of_player(spot("AhKh"), 0)) == pytest.approx(990 / 15)
    assert float(of_player(spot("AhKh", stacks=(1000, 400)), 0)) == pytest.approx(390 / 15)


# --- equity -----------------------------------------------------------------------------------


@pytest.mark.parametrize("villain", ["random", "22+, A2s+:0.5, KTs+"])
@pytest.mark.parametrize("board", ["", "Kd7s2d", "Kd7s2d5c", "Kd7s2d5cQh"])
def test_equity_against_a_range_is_that_of_full_enumeration(villain, board):
    hole = "KcQd" if "Qh" not in board else "KcQs"
    found = range_equity.against_weights(cards.parse(hole), cards.parse(board), ranges.parse(villain))
    if board:
        exact = equity.equity(hole, villain, board=board, method="exact")
        assert float(found.mean) == pytest.approx(exact.equity, abs=1e-5)
    elif villain == "random":
        assert float(found.mean) == pytest.approx(equity.equity(hole, "random").equity, abs=1e-5)
    else:
        sampled = equity.equity(hole, villain, method="sample", samples=400_000)
        assert abs(float(found.mean) - sampled.equity) < 4 * sampled.standard_error
    assert float(found.standard_error) == 0


def test_a_range_that_the_board_blocks_is_no_range():
    found = range_equity.against_weights(cards.parse("AhKh"), cards.parse("AdAcQs"), ranges.parse("AsAd"))
    assert np.isnan(float(found.mean))


# --- implied ranges ---------------------------------------------------------------------------


def test_a_player_who_always_calls_tells_nothing(game, spot, model):
    state = spot("AhKh", [10, 10, 0], board="2c7d9hJsQc")  # the button limps, the big blind checks twice
    found = np.asarray(implied_range.implied_by_actions(model("call"), game, state, 0, KEY))
    known = np.isin(ranges.COMBOS, cards.parse("AhKh2c7d9h")).any(axis=1)
    assert (found[known] == 0).all() and (found[~known] == 1).all()


def test_what_the_model_never_does_tells_nothing(game, spot, model):
    state = spot("AhKh", [10, 40])  # a calling station raises
    found = np.asarray(implied_range.implied_by_actions(model("call"), game, state, 0, KEY))
    assert set(found.tolist()) == {0.0, 1.0}


def test_a_tight_raise_implies_the_hands_that_a_tight_player_raises(game, spot):
    tag = player_model.named("tag", game)
    state = spot("3h2d", [30], button=1)  # it opens to three big blinds
    found = np.asarray(implied_range.implied_by_actions(tag, game, state, 0, KEY))
    raises = styles.standing() <= styles.TIGHT_AGGRESSIVE.raises
    possible = found > 0
    np.testing.assert_allclose(found[raises & possible], 1, rtol=1e-5)
    np.testing.assert_allclose(found[~raises & possible], implied_range.TREMBLE, rtol=1e-4)


def test_the_blueprints_first_action_implies_its_strategy(game, spot):
    solved = blueprint.load_shipped()
    state = spot("2h2d", [25], button=1)  # 2.5 x, one of its sizes
    model = player_model.named("blueprint", game)
    found = np.asarray(implied_range.implied_by_actions(model, game, state, 0, KEY))
    likely = {
        hand: sum(p for name, p in solved.mix(0, hand).items() if "2.5x" in name) for hand in ("AhAs", "7h2s", "Th9h")
    }
    likely = {hand: (1 - implied_range.TREMBLE) * p + implied_range.TREMBLE for hand, p in likely.items()}
    best = "AhAs" if likely["AhAs"] > 0.1 else "Th9h"
    for hand, p in likely.items():
        # A raise to 4 x is another size: what is left of it at this distance is less than one in fifty.
        assert found[combo(hand)] / found[combo(best)] == pytest.approx(p / likely[best], rel=0.05)


def test_a_raise_between_two_sizes_is_some_of_both(game, spot):
    here = jax.jit(game.facing)(spot("AhKh", [10, 10, 0]))  # nothing to call, 20 in the pot
    chips, mix = np.array([[0, 7, 15]] * 3), np.eye(3, dtype=np.float32)  # [hands, sizes]: each takes one of them
    likelihood = jax.jit(implied_range.likelihood)
    checks, third, large = (np.asarray(likelihood(here, to, chips, mix)) for to in (0, 7, 15))
    tremble = implied_range.TREMBLE
    np.testing.assert_allclose(checks, [1, tremble, tremble], rtol=1e-5)
    assert third[1] == large[2] == 1 and third[0] == large[0] == pytest.approx(tremble)
    between = np.asarray(likelihood(here, 11, chips, mix))
    assert between[0] == pytest.approx(tremble) and 0.2 < between[1] <= 1 and 0.2 < between[2] <= 1


def test_the_range_does_not_move_with_what_the_hero_cannot_see(game, spot):
    shipped = player_model.named("blueprint", game)
    actions = [25, 25, 0]
    ranges_found = [
        implied_range.implied_by_actions(shipped, game, spot("AhKh", actions, board, villain), 0, KEY)
        for board, villain in (("2c7d9hJsQc", "3c4d"), ("2c7d9hAsAd", "JhJd"))
    ]
    np.testing.assert_array_equal(*ranges_found)
