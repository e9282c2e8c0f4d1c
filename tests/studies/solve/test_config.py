"""What a run of solve is about, when some of it is left out."""

import dataclasses

import pytest

from jaxpoker.studies.solve.config import NOTHING, SHIPPED, Config


def test_nothing_said_is_a_continue_from_the_strategy_that_ships():
    config = Config().resolved()
    assert (config.start, config.algorithm, config.sampling) == (SHIPPED, "cfr+", "public")
    assert config.menu is None and config.stack is None  # the strategy says so
    assert config.resolved() == config  # a resumed run has it in its file


@pytest.mark.parametrize(
    "said",
    [
        {"stack": 20.0},
        {"cards": "equity"},
        {"sampling": "external"},
        {"merged": True},
        {"ante": 1.0},
    ],
)
def test_a_game_of_ones_own_starts_from_nothing(said):
    config = Config(**said).resolved()
    assert config.start == NOTHING and config.menu == "solver" and config.stack is not None
    assert config.resolved() == config
    with pytest.raises(ValueError, match="--start shipped: game, stakes and cards are those"):
        Config(**said, start=SHIPPED).resolved()


def test_a_strategy_may_go_on_with_other_bet_sizes():
    assert Config(menu="solver").resolved().start == NOTHING  # a menu alone is a game of one's own
    other = Config(start=SHIPPED, menu="solver").resolved()
    assert (other.start, other.menu) == (SHIPPED, "solver") and other.resolved() == other


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"play_cost": -0.1}, "--play-cost -0.1: from 0 to below 1"),
        ({"play_cost": 0.1, "game": "leduc"}, "--play-cost 0.1"),
        ({"play_cost": 0.1, "sampling": "external"}, "--play-cost 0.1"),
        ({"shares": (1.0, 1.0, 0.3, 0.0)}, "--shares 1.0 1.0 0.3 0.0: four parts above 0"),
        ({"shares": (1.0, 1.0, 0.3, 0.1), "sampling": "outcome"}, "--shares 1.0 1.0 0.3 0.1"),
    ],
)
def test_costs_and_shares_are_of_holdem_by_boards(said, message):
    with pytest.raises(ValueError, match=message):
        Config(**said)


def test_a_strategy_may_go_on_with_other_buckets():
    finer = Config(start=SHIPPED, buckets=(169, 300, 300, 300), counts_as=100).resolved()
    assert (finer.start, finer.buckets, finer.counts_as) == (SHIPPED, (169, 300, 300, 300), 100)
    assert Config(buckets=(169, 300, 300, 300)).resolved().start == NOTHING  # of a game of one's own
    assert Config().resolved().counts_as == 2_000
    with pytest.raises(ValueError, match="--counts-as 5: name the strategy that counts so much, with --start"):
        Config(start=NOTHING, counts_as=5).resolved()


@pytest.mark.parametrize("game", ["kuhn", "leduc", "pushfold"])
def test_other_games_continue_from_nothing(game):
    assert Config(game=game).resolved().start == NOTHING
    assert Config(game=game).resolved().iterations == 10_000


def test_nothing_can_be_asked_for():
    config = dataclasses.replace(Config(), start=NOTHING).resolved()
    assert config.cards == "rank_based" and config.stack == 100


def test_push_fold_for_many_needs_a_few_iterations_and_a_stack_each():
    config = Config(game="pushfold", stacks=(20.0, 10.0, 5.0), payouts=(50.0, 30.0)).resolved()
    assert config.jams and config.num_players == 3 and config.stack is None
    assert (config.iterations, config.algorithm) == (200, "dcfr")
    assert config.resolved() == config
    assert not Config(game="pushfold").resolved().jams  # heads-up in chips is exact
    assert Config(game="leduc", players=3).num_players == 3


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"game": "leduc", "players": 4}, "--players 4: leduc is solved for 2 to 3"),
        ({"game": "holdem", "players": 6}, "--players 6: holdem is solved for 2 to 2"),
        ({"game": "kuhn", "stacks": (1.0, 2.0)}, "--stacks: only push/fold has them, not kuhn"),
        ({"game": "pushfold", "players": 3, "stacks": (1.0, 2.0)}, "--players 3 with 2 --stacks"),
        ({"game": "pushfold", "stack": 5.0, "stacks": (1.0, 2.0)}, "--stack 5 with --stacks: give one of them"),
        ({"game": "pushfold", "stacks": (1.0,) * 7}, "--stacks of 7 players: push/fold is for 2 to 6"),
    ],
)
def test_seats_that_do_not_fit_are_refused(said, message):
    with pytest.raises(ValueError, match=message):
        Config(**said)
