"""Training files in sections become flat settings, or an error that says what has no place."""

import copy

import pytest
import yaml

from jaxpoker.games import bets
from jaxpoker.runs import RunError
from jaxpoker.studies.solve import training_file


@pytest.fixture
def default(repository):
    return yaml.safe_load((repository / "experiments" / "configs" / "default.yaml").read_text())


def test_the_default_file_is_100_big_blinds_with_the_solvers_menu(default):
    found = training_file.settings(default, "f.yaml")
    assert bets.parse(found.pop("menu")) == bets.MENUS["solver"]
    assert found == {
        "game": "holdem",
        "stack": 100.0,
        "small_blind": 1.0,
        "big_blind": 2.0,
        "cards": "rank_based",
        "buckets": [6, 9, 9, 9],
        "iterations": 1000,
        "log_every": 10,
        "checkpoint_every": 100,
    }


def test_flat_files_are_told_apart(default):
    assert training_file.is_sectioned(default)
    assert not training_file.is_sectioned({"game": "holdem", "stack": 20})


def test_other_types_and_sizes_are_read():
    values = {
        "card_abstraction": {"type": "equity_bucketing"},
        "action_abstraction": {"preflop": {"raises": [3, "all-in"]}, "postflop": {"bets": [0.5, 1.25]}},
    }
    found = training_file.settings(values, "f.yaml")
    assert found["cards"] == "equity"
    assert bets.parse(found["menu"]) == bets.parse("preflop: 3x, a; postflop: 50%, 125%; raises: 3")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["solver"], {}, "'solver' has no place"),
        (["game", "num_players"], 6, "f.yaml: game: 'num_players' has no place"),
        (["storage", "engine"], "x", "f.yaml: storage: 'engine' has no place"),
        (["game", "big_blind"], 0, "game.big_blind 0 is no number of chips"),
        (["game", "small_blind"], float("nan"), "game.small_blind nan is no number of chips"),
        (["game", "starting_stack"], "many", "game.starting_stack 'many' is no number of chips"),
        (["card_abstraction", "type"], "neural", "types are rank_based, equity_bucketing"),
        (["card_abstraction", "type"], ["equity"], r"type \['equity'\]: types are"),
        (["card_abstraction", "num_buckets"], {"preflop": 6}, "lacks 'flop'"),
        (["action_abstraction", "preflop", "raises"], [], "write a list"),
        (["action_abstraction", "postflop", "bets"], ["half"], "'half' is no size"),
        (["action_abstraction", "postflop", "bets"], [float("inf")], "inf is no size"),
        (["action_abstraction", "postflop", "raises"], [1], "'raises' has no place"),
        (["training"], 5, "training is 5, not a section"),
        (["training", "checkpoint_dir"], "data", "checkpoint_dir 'data': checkpoints are in the run's own folder"),
        (
            ["storage", "backend"],
            "disk",
            r"storage.backend 'disk': tables are trained in memory; write backend: memory",
        ),
        (["storage", "cache_size"], 100_000, "storage.cache_size 100000 is of tables on disk: leave it out"),
        (["storage", "flush_frequency"], 1_000, "storage.flush_frequency 1000 is of tables on disk"),
    ],
)
def test_what_cannot_be_understood_is_named(default, path, value, message):
    values = copy.deepcopy(default)
    section = values
    for name in path[:-1]:
        section = section[name]
    section[path[-1]] = value
    with pytest.raises(RunError, match=message):
        training_file.settings(values, "f.yaml")
