"""Whom networks of hold'em meet."""

import jax

import jaxpoker
from jaxpoker import players
from jaxpoker.studies import holdem_rivals


def test_rule_players_and_the_blueprint_are_met():
    everybody = holdem_rivals.everybody(jaxpoker.make("holdem"))
    assert list(everybody) == [*holdem_rivals.RULES, "blueprint"]
    assert everybody["blueprint"].params is not None and everybody["tag"].params is None


def test_who_folds_to_every_bet_loses_to_those_who_bet():
    game = jaxpoker.make("holdem")
    found = holdem_rivals.short_evaluation(game, players.entrant("check-fold", game), jax.random.key(0), 64)
    assert list(found) == ["mbb/random", "mbb/tag", "mbb/lag", "mbb/call"]
    assert max(found["mbb/random"], found["mbb/lag"]) < 0
