"""Who plays a gauntlet, and at which table."""

import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.errors import RunError
from jaxpoker.studies.gauntlet import entrants
from jaxpoker.studies.gauntlet.config import Config

HOLDEM = jaxpoker.make("holdem")


def test_a_blueprint_plays_the_stacks_and_blinds_that_it_is_for():
    player, game = entrants.player_and_game(Config("blueprint"))
    solved = players.entrant("blueprint")
    assert player.player == solved.player and game.stack == 100 * game.big_blind >= 1_000
    assert entrants.player_and_game(Config("blueprint", stack=20))[1].stack == 20 * game.big_blind
    assert entrants.player_and_game(Config("tag"))[1] == HOLDEM


def test_all_exploiters_and_rule_players_are_met_but_not_the_player_itself():
    met = entrants.opponents(Config("tag"), HOLDEM)
    rules = {"random", "call", "check-fold", "min-raise", "smart", "lag", "candid statistician", "random switcher"}
    assert set(met) == {*players.EXPLOITERS, *rules, "scared limper", "hothead maniac"}
    assert all(one.about and "\n" not in one.about for one in met.values())
    assert met["call"].about == "Checks or calls, always"
    assert len({one.entrant.player for one in met.values()}) == 2, "two programs play all of them"
    assert list(entrants.opponents(Config("tag", against=("lag", "dqn")), HOLDEM)) == ["lag", "dqn"]


def test_a_player_that_somebody_registers_is_met_too(forgets_names):
    jaxpoker.register("shy", lambda game: players.make("call", game)._replace(name="shy"), plays="holdem")
    assert "shy" in entrants.opponents(Config(), HOLDEM)


def test_nobody_to_play_against_is_said():
    with pytest.raises(RunError, match="nobody is left to play against tag: name others with --against"):
        entrants.opponents(Config("tag", against=("tag",)), HOLDEM)
    with pytest.raises(ValueError, match="unknown player 'nobody'"):
        entrants.opponents(Config(against=("nobody",)), HOLDEM)
