"""Networks that learn what beats somebody: what they see, and that the actor sees nothing that is hidden."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.models import responder

HOLDEM = jaxpoker.make("holdem", menu="75%, a")
LEDUC = jaxpoker.make("leduc")
TABLES = 64


@pytest.fixture(scope="module")
def worlds():
    """Hold'em tables after some random actions, and the same with all that the seat to act cannot see drawn anew."""

    @jax.jit
    def play(key):
        state = jax.vmap(HOLDEM.start)(HOLDEM.deal(key, (TABLES,), 20))
        for turn in range(5):
            action = core.random_action(jax.random.fold_in(key, turn), state.legal_action_mask)
            action = jnp.where((action == 0) | (action == 3), 1, action)  # nobody folds or is all-in
            state = jax.vmap(HOLDEM.step)(state, action)
        others = jax.vmap(HOLDEM.resample_hidden)(state, state.current_player, jax.random.split(key, TABLES))
        return state, others

    return play(jax.random.key(3))


def test_it_sees_its_own_win_probability_on_the_street_and_nothing_that_is_hidden(worlds):
    look = jax.jit(jax.vmap(functools.partial(responder.see, HOLDEM)))
    (seen, again) = (np.asarray(look(state, state.current_player)) for state in worlds)
    np.testing.assert_array_equal(seen, again)
    state = worlds[0]
    seat, street = np.asarray(state.current_player), np.asarray(state.street)
    steps = 4 * (len(responder.WIN_STEPS) - 1)
    win = np.asarray(state.deal.win_probability)[np.arange(TABLES), seat, street]
    np.testing.assert_array_equal(seen[:, -steps - 1], win)
    by_street = seen[:, -steps:].reshape(TABLES, 4, -1)
    assert len(set(street.tolist())) > 1 and not by_street[np.arange(4) != street[:, None]].any()


def test_the_policy_does_not_change_with_what_is_hidden_and_the_critics_value_does(worlds):
    network = responder.policy(HOLDEM)
    params = network.init(jax.random.key(0))
    said = jax.jit(lambda state: network.said(params, HOLDEM, state))
    first, second = (jax.device_get(said(state)) for state in worlds)
    np.testing.assert_array_equal(first.logits, second.logits)
    assert (first.value != second.value).mean() > 0.9


def test_steps_of_a_win_probability_are_passed_one_after_the_other():
    steps = np.asarray(responder.win_steps(jnp.float32([0.0, 0.525, 1.0])))
    assert steps[0].sum() == 0 and steps[2].sum() == len(responder.WIN_STEPS) - 1
    np.testing.assert_allclose(steps[1][:7], [1, 1, 1, 1, 1, 0.5, 0], atol=1e-6)


def test_other_games_are_seen_by_their_own_observation():
    network = responder.values(LEDUC)
    state = LEDUC.init(jax.random.key(0))
    seen = network.see(LEDUC, state, state.current_player)
    np.testing.assert_array_equal(seen, LEDUC.observe(state, state.current_player))
    assert network.values(network.init(jax.random.key(1)), seen).shape == (LEDUC.num_actions,)
    assert network.floats == LEDUC.observation_size and not network.weighs_wins


def test_hold_em_for_three_is_refused():
    with pytest.raises(ValueError, match="hold'em for 3 players: a responder plays heads-up"):
        responder.values(jaxpoker.make("holdem", num_players=3))
