"""Strategies of small games for people: as CSV that can be read back, and as tables."""

import csv
import io

import numpy as np
import pytest
from rich.console import Console

from jaxpoker.solvers.exact import strategy_charts


def shown(table) -> list[str]:
    console = Console(width=100, file=io.StringIO())
    console.print(table)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("name", ["kuhn", "leduc", "push_fold"])
def test_the_whole_strategy_can_be_read_back(request, any_strategy, name):
    game = request.getfixturevalue(name)
    strategy = any_strategy(game, 0)
    header, *rows = csv.reader(io.StringIO(strategy_charts.as_csv(game, strategy)))
    assert header == ["information set", *strategy_charts.action_names(game)]
    assert [row[0] for row in rows] == [game.row_text(row) for row in range(game.num_rows)]
    np.testing.assert_array_equal([[cell != "" for cell in row[1:]] for row in rows], game.legal_rows())
    np.testing.assert_allclose([[float(cell or 0) for cell in row[1:]] for row in rows], strategy, atol=1e-6)


def test_actions_have_the_names_of_the_game(kuhn, leduc, push_fold):
    assert strategy_charts.action_names(kuhn) == ["pass", "bet"]
    assert strategy_charts.action_names(leduc) == ["fold", "call", "raise"]
    assert strategy_charts.action_names(push_fold)[::2] == ["fold", "all-in"]


def test_kuhns_table_has_all_twelve_information_sets(kuhn):
    strategy = kuhn.uniform()
    strategy[0] = 0.25, 0.75  # the jack, first to act
    lines = [line.split() for line in shown(strategy_charts.table(kuhn, strategy)) if "%" in line]
    assert len(lines) == 12
    assert [line[1] for line in lines] == list("JQK" * 4)
    assert lines[0][:3] == ["0", "J", "–"] and {"25.0%", "75.0%"} <= set(lines[0])
    assert [line[0] for line in lines[::3]] == ["0", "1", "1", "0"]  # after "", bet, pass, pass bet


def test_leducs_table_is_before_the_public_card_and_of_one_suit(leduc):
    lines = shown(strategy_charts.table(leduc, leduc.uniform()))
    rows = [line.split() for line in lines if "%" in line]
    assert "before the public card" in lines[0]
    before = [leduc.row_text(row) for row in range(leduc.num_rows) if leduc.row_text(row).count("|") == 1]
    assert len(rows) == len(before) / 2
    assert {row[1] for row in rows} == {"J", "Q", "K"}
