"""Strategies in OpenSpiel's form and back: measured there and here, on its games and on ours."""

import jax
import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as policies
from open_spiel.python import rl_agent
from open_spiel.python.algorithms import cfr, exploitability, random_agent

import jaxpoker
from jaxpoker import match, players, solvers
from jaxpoker.adapters import openspiel
from jaxpoker.adapters.openspiel_policies import PlayerPolicy, agents_as_player, as_policy, of_policy


@pytest.fixture(scope="module", params=["kuhn", "leduc"])
def solved(request):
    """A game, what CFR+ makes of it in 20 iterations, and the exact game."""
    game = jaxpoker.make(request.param)
    solver = solvers.make("cfr+", game)
    return game, np.asarray(solver.average(solver.run(solver.init(), 20))), solver.game


@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_a_strategy_is_as_exploitable_there_as_here(solved, whose):
    game, strategy, exact = solved
    theirs = openspiel.as_game(game) if whose == "ours" else pyspiel.load_game(f"{game.name}_poker")
    policy = as_policy(game, strategy, theirs)
    here = float(solvers.exploitability(exact, strategy))
    assert here > 0.003
    assert exploitability.exploitability(theirs, policy) == pytest.approx(here, abs=1e-6)
    in_cpp = policies.python_policy_to_pyspiel_policy(policy)
    assert pyspiel.exploitability(theirs, in_cpp) == pytest.approx(here, abs=1e-6)
    for form in (policy, in_cpp):
        back = of_policy(game, form, theirs)
        known = back.sum(axis=1) > 0
        np.testing.assert_allclose(back[known], strategy[known], atol=1e-6)


def test_openspiels_average_strategy_is_as_exploitable_here(solved):
    game, _, exact = solved
    theirs = pyspiel.load_game(f"{game.name}_poker")
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    there = pyspiel.exploitability(theirs, solver.average_policy())
    assert float(solvers.exploitability(exact, of_policy(game, solver.average_policy(), theirs))) == pytest.approx(
        there, abs=1e-6
    )


def test_a_player_becomes_a_policy():
    game = jaxpoker.make("kuhn")
    theirs = pyspiel.load_game("python_kuhn_poker")
    policy = as_policy(game, players.make("random", game), theirs)
    assert exploitability.exploitability(theirs, policy) == pytest.approx(0.4583333, abs=1e-6)


def test_python_cfr_on_our_game_comes_home_as_a_table():
    game = jaxpoker.make("kuhn")
    solver = cfr.CFRPlusSolver(openspiel.as_game(game))
    for _ in range(20):
        solver.evaluate_and_update_policy()
    table = of_policy(game, solver.average_policy())
    there = exploitability.exploitability(openspiel.as_game(game), solver.average_policy())
    assert float(solvers.exploitability(solvers.make("cfr", game).game, table)) == pytest.approx(there, abs=1e-6)


def test_a_player_of_holdem_is_asked_state_by_state():
    theirs = openspiel.as_game(jaxpoker.make("holdem"), 3)
    policy = PlayerPolicy(theirs, players.entrant("dqn"))
    state = theirs.new_initial_state()
    state.apply_action(1)
    rng = np.random.default_rng(0)
    while not state.is_terminal():
        chances = policy.action_probabilities(state)
        assert set(chances) == set(state.legal_actions()) and sum(chances.values()) == pytest.approx(1, abs=1e-5)
        state.apply_action(int(rng.choice(list(chances), p=np.array(list(chances.values())) / sum(chances.values()))))


def test_mistakes_are_named():
    kuhn, leduc, holdem = (jaxpoker.make(name) for name in ("kuhn", "leduc", "holdem"))
    table = np.zeros((936, 3))
    with pytest.raises(ValueError, match=r"\[12, 2\], not \[936, 3\]"):
        as_policy(kuhn, table)
    with pytest.raises(ValueError, match="it is leduc_poker, or as_game"):
        as_policy(leduc, table, pyspiel.load_game("kuhn_poker"))
    with pytest.raises(ValueError, match="3 players"):
        as_policy(kuhn, np.zeros((12, 2)), pyspiel.load_game("kuhn_poker(players=3)"))
    with pytest.raises(ValueError, match=r"holdem.*PlayerPolicy"):
        of_policy(holdem, None)
    with pytest.raises(ValueError, match="remembers"):
        PlayerPolicy(openspiel.as_game(holdem, 3), _remembering())


def _remembering():
    def policy(params, memory, game, state):
        return state.legal_action_mask / state.legal_action_mask.sum(), memory

    return players.Entrant(players.from_policy("remembers", policy, init_memory=lambda params: jax.numpy.zeros(())))


def test_openspiels_learning_agents_sit_at_our_table():
    game = jaxpoker.make("leduc")
    agents = [random_agent.RandomAgent(player_id=seat, num_actions=game.num_actions) for seat in (0, 1)]
    player = agents_as_player(agents, "random agent")
    result = match.play(game, [player, players.make("random", game)], jax.random.key(0), tables=512)
    assert abs(result.mbb_per_hand[0].mean) < 3 * result.mbb_per_hand[0].ci95


def test_openspiels_agents_see_what_the_game_shows_them_there():
    game = jaxpoker.make("leduc")
    theirs = openspiel.as_game(game)
    state = theirs.new_initial_state()
    for action in (3, 2):
        state.apply_action(action)

    class Sees:
        def step(self, time_step, is_evaluation=False):
            assert is_evaluation
            assert time_step.observations["info_state"][1] == state.information_state_tensor(1)
            assert time_step.observations["legal_actions"][1] == state.legal_actions()
            return rl_agent.StepOutput(action=1, probs=None)

    choice, _ = agents_as_player([Sees(), Sees()]).act(None, (), game, state.game_state, jax.random.key(0))
    assert int(choice) == 1
