"""Whom responses are learned against."""

import numpy as np
import pytest

import jaxpoker
from jaxpoker.errors import RunError
from jaxpoker.solvers.exact import best_response, exact_game, strategies, strategy_charts
from jaxpoker.studies.respond import targets


@pytest.fixture(scope="module")
def kuhn():
    return exact_game.whole(jaxpoker.make("kuhn"))


def table_of(game, to):
    target = targets.target_of(game.game.name, to)
    return np.asarray(strategies.of_player(game, *target.entrant))


def test_who_always_calls_in_kuhn_checks_and_calls(kuhn):
    found = table_of(kuhn, "call")
    calls = {kuhn.row_text(row).split("|")[1].strip(): int(found[row].argmax()) for row in range(kuhn.num_rows)}
    assert calls == {"": 0, "bet": 1, "pass": 0, "pass bet": 1} and set(found.ravel().tolist()) == {0.0, 1.0}
    # a king bets and is called, a queen and a jack check: antes of 2, 0 and -1 in the mean of three hands
    value = sum(float(best_response.best_response(kuhn, found, seat).value) for seat in range(2)) / 2
    assert value == pytest.approx(1 / 3)


def test_strategies_by_name_are_strategies(kuhn):
    for name in targets.FIXED:
        best_response.require_strategy(kuhn, table_of(kuhn, name))
    scattered = table_of(kuhn, "scattered")
    np.testing.assert_array_equal(scattered, table_of(kuhn, "scattered"))
    assert len(np.unique(scattered)) > kuhn.num_rows
    noisy, equilibrium = table_of(kuhn, "noisy"), table_of(kuhn, "equilibrium")
    np.testing.assert_allclose(noisy, 0.5 * equilibrium + 0.25, atol=1e-6)


def test_the_strategy_of_a_solve_run_is_read_from_its_folder(kuhn, tmp_path):
    wanted = table_of(kuhn, "scattered")
    file = tmp_path / targets.STRATEGY_FILE
    file.write_text(strategy_charts.as_csv(kuhn, wanted))
    for to in (tmp_path, file):
        np.testing.assert_allclose(table_of(kuhn, str(to)), wanted, atol=2e-6)
        assert targets.target_of("kuhn", str(to)).name == tmp_path.name
    for content in (file.read_text().replace("J |,", "X |,", 1), "", "information set,a\nJ |,much\n"):
        file.write_text(content)
        with pytest.raises(RunError, match=r"strategy.csv is no strategy of kuhn, or damaged"):
            targets.target_of("kuhn", str(tmp_path))


def test_a_blueprint_is_met_at_its_own_stacks_and_others_at_a_hundred_big_blinds():
    own, other = (targets.target_of("holdem", to, menu="75%, a").game for to in ("blueprint", "tag"))
    assert (own.stack, own.big_blind) == (1_000, 10) and (other.stack, other.big_blind) == (10_000, 100)
    assert own.bet_menu.num_actions == 4
    assert targets.target_of("holdem", "tag", stack=20).game.stack == 2_000
    with pytest.raises(ValueError, match="--stack 1: at least 2 big blinds"):
        targets.target_of("holdem", "tag", stack=1)


def test_who_is_not_there_is_named():
    with pytest.raises(ValueError, match="--to 'shark': leduc has random, equilibrium, call, noisy, scattered"):
        targets.target_of("leduc", "shark")
    with pytest.raises(ValueError, match="unknown player 'shark'"):
        targets.target_of("holdem", "shark")
