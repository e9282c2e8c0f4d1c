"""Agents of RLCard at our tables: they see what RLCard would show them."""

import jax
import numpy as np
import pytest
import rlcard
from rlcard import models
from rlcard.agents import RandomAgent
from rlcard.games.nolimitholdem.round import Action

import jaxpoker
from jaxpoker import match, players
from jaxpoker.adapters.rlcard import as_player
from jaxpoker.games import holdem, leduc, state_after

LEDUC, HOLDEM = jaxpoker.make("leduc"), jaxpoker.make("holdem", stack=100, small_blind=1, big_blind=2)


class Watches:
    """Keeps the state that it is shown, and says ``answer``."""

    def __init__(self, answer):
        self.answer, self.state = answer, None

    def eval_step(self, state):
        self.state = state
        return self.answer, {}


def test_random_agents_play_legally():
    for game, actions in ((LEDUC, 4), (HOLDEM, 5)):
        player = as_player(RandomAgent(actions), "random")
        result = match.play(game, [player, players.make("random", game)], jax.random.key(0), tables=64)
        assert result.mbb_per_hand[0].n >= 64


def test_rlcards_rule_players_raise_whenever_they_may():
    agent = models.load("leduc-holdem-rule-v1").agents[0]  # its trained ones need an older NumPy
    player = as_player(agent, "rules")
    state = LEDUC.init(jax.random.key(0))
    for _ in range(2):
        choice, _ = player.act(None, (), LEDUC, state, jax.random.key(0))
        assert int(choice) == leduc.RAISE
        state = LEDUC.step(state, choice)
    assert int(player.act(None, (), LEDUC, state, jax.random.key(0))[0]) == leduc.CALL
    won = match.play(LEDUC, [player, players.make("random", LEDUC)], jax.random.key(0), tables=256).mbb_per_hand[0]
    assert won.mean > won.ci95 > 0  # random play folds to it


def test_a_table_of_leduc_as_rlcard_shows_it():
    agent = Watches("raise")
    state = state_after(LEDUC, leduc.Deal.of("Kh Qs", "Js"), "raise, call, call")
    choice, _ = as_player(agent).act(None, (), LEDUC, state, jax.random.key(0))
    assert int(choice) == leduc.RAISE
    raw = agent.state["raw_obs"]
    assert (raw["hand"], raw["public_card"], raw["all_chips"], raw["my_chips"]) == ("SQ", "SJ", [3, 3], 3)
    assert agent.state["raw_legal_actions"] == ["raise", "check"] and list(agent.state["legal_actions"]) == [1, 3]
    assert np.nonzero(agent.state["obs"])[0].tolist() == [1, 3, 9, 24]


def test_a_table_of_holdem_as_rlcard_shows_it():
    theirs = rlcard.make("no-limit-holdem", {"seed": 1})
    shown, _ = theirs.reset()
    agent = Watches(Action.RAISE_POT)
    names = [card[1] + card[0].lower() for card in shown["raw_obs"]["hand"]]
    state = state_after(HOLDEM, holdem.Deal.of(["".join(names), ""], "", jax.random.key(0)), [], button=0)
    choice, _ = as_player(agent).act(None, (), HOLDEM, state, jax.random.key(0))
    ours = agent.state
    assert sorted(ours["raw_obs"]["hand"]) == sorted(shown["raw_obs"]["hand"])
    np.testing.assert_array_equal(ours["obs"][:52], shown["obs"][:52])
    assert set(ours["raw_obs"]) == set(shown["raw_obs"]) and set(ours) == set(shown)
    assert (ours["raw_obs"]["pot"], ours["raw_obs"]["my_chips"], ours["raw_obs"]["stakes"]) == (3, 1, [99, 98])
    assert int(choice) == 4  # the pot of 3 put in, as RLCard counts it


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="eval_step"):
        as_player(3)
    kuhn = jaxpoker.make("kuhn")
    with pytest.raises(Exception, match="leduc and holdem here, not kuhn"):
        as_player(Watches(0)).act(None, (), kuhn, kuhn.init(jax.random.key(0)), jax.random.key(0))
