"""Double DQN at many tables: phases, replay, past selves; and hands as the learner tells them."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.learners.q_learning.double_dqn import DoubleDQN
from jaxpoker.learners.q_learning.dqn import DQN, MARKS, Phase
from jaxpoker.models import qnet
from jaxpoker.players import Entrant
from jaxpoker.solvers.exact import best_response, exact_game, strategies

LEDUC = jaxpoker.make("leduc")
RULE = DoubleDQN(qnet.network(LEDUC), learning_rate=1e-3, huber=None, sync_every=16)
RANDOM = Entrant(players.make("random", LEDUC))


def learner(**settings):
    """One phase against random and another against past selves."""
    phases = (Phase("A", (1.0, 0.0), 3, RULE), Phase("B", (0.0, 1.0), 4, RULE))
    chosen = {"game": LEDUC, "opponents": (RANDOM,), "phases": phases, "tables": 64, "turns": 8, "snapshot_every": 2}
    return DQN(**(chosen | {"decisions_per_step": 64, "capacity": 1_024} | settings))


@pytest.fixture(scope="module")
def trained():
    """States and metrics after each update of both phases."""
    dqn = learner()
    state, states, rows = dqn.init(jax.random.key(0)), [], []
    for _ in range(dqn.updates):
        state, metrics = dqn.update(state)
        states.append(jax.device_get(dataclasses.replace(state, key=0)))
        rows.append(jax.device_get(metrics))
    return dqn, states, rows


def test_gradient_steps_go_by_decisions(trained):
    dqn, states, rows = trained
    assert dqn.gradient_steps == 64 * 8 // 64 == 8
    assert [int(state.learned.updates) for state in states] == [8, 16, 24, 8, 16, 24, 32]  # a phase counts its own
    assert [int(row["phase"]) for row in rows] == [0, 0, 0, 1, 1, 1, 1]
    assert all(row["decisions"] == 512 and 0 < row["own_decisions"] < 512 for row in rows)


def test_a_phase_goes_on_from_the_network_before_it_with_an_empty_replay(trained):
    dqn, states, _ = trained
    after_a, first_of_b = states[2], states[3]
    assert int(after_a.replay.size) > int(first_of_b.replay.size) > 0
    for kept, snapshot in zip(
        jax.tree.leaves(dqn.after_phase(after_a, 0)), jax.tree.leaves(first_of_b.pool.params), strict=True
    ):
        np.testing.assert_array_equal(kept, snapshot[0])  # the first past self of B
    assert int(first_of_b.pool.taken) == 2  # and the one of step 4


def test_the_album_has_the_network_after_each_third(trained):
    _, states, _ = trained
    last = states[-1]
    for place, step in enumerate((1, 2, 3, 3 + 2, 3 + 3, 3 + 4)):  # of 4 updates: after 2, 3 and 4
        then = jax.tree.leaves(states[step - 1].learned.params)
        for kept, params in zip(jax.tree.leaves(last.album), then, strict=True):
            assert len(kept) == 2 * MARKS
            np.testing.assert_array_equal(kept[place], params)


def test_actions_are_counted_round_by_round(trained):
    dqn, _, rows = trained
    for street in dqn.streets:
        for row in rows:
            assert abs(sum(row[f"action/{street}/{action}"] for action in dqn.actions) - 1) < 1e-5


def test_states_say_all_that_an_update_depends_on(trained):
    """Begun again in the middle of a phase, it ends with the same bits."""
    dqn, states, _ = trained
    state = dqn.init(jax.random.key(0))
    for _ in range(5):
        state, _ = dqn.update(state)
    again = jax.tree.map(jnp.asarray, jax.device_get(dataclasses.replace(state, key=0)))
    again = dataclasses.replace(again, key=jax.random.key(0))
    for _ in range(2):
        again, _ = dqn.update(again)
    for a, b in zip(
        jax.tree.leaves(states[-1]), jax.tree.leaves(jax.device_get(dataclasses.replace(again, key=0))), strict=True
    ):
        np.testing.assert_array_equal(a, b)


@pytest.mark.thorough
def test_it_learns_what_beats_a_player():
    """Against random play of Leduc the most that can be made is 2.374 antes; what has learned nothing makes less than
    half of it."""
    phase = Phase("C", (1.0, 0.0), 60, dataclasses.replace(RULE, sync_every=100, epsilon_decay=0.998))
    dqn = learner(phases=(phase,), tables=256, decisions_per_step=64, capacity=20_000, reward_scale=0.2)
    state = dqn.init(jax.random.key(1))
    game = exact_game.whole(LEDUC)
    uniform = game.uniform()

    def makes(state):
        own = strategies.of_player(game, dqn.player, state.learned.params)
        return sum(float(best_response.value_against(game, own, uniform, seat)) for seat in range(2)) / 2

    before = makes(state)
    for _ in range(dqn.updates):
        state, _ = dqn.update(state)
    assert before < 1.2
    assert 1.9 < makes(state) < 2.375


def test_priorities_and_transitions_of_three_steps_learn_too():
    dqn = learner(prioritised=True, steps=3)
    state = dqn.init(jax.random.key(0))
    before = jax.tree.leaves(jax.device_get(state.learned.params))
    state, metrics = dqn.update(state)
    after = jax.tree.leaves(state.learned.params)
    assert np.isfinite(metrics["loss"])
    assert all((np.asarray(a) != b).any() for a, b in zip(after, before, strict=True))


def test_it_begins_with_the_network_that_is_given():
    params = RULE.network.init(jax.random.key(7))
    state = learner(first=params).init(jax.random.key(0))
    for a, b in zip(jax.tree.leaves(state.learned.params), jax.tree.leaves(params), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"decisions_per_step": 100}, "512 decisions of an update, 100 for each gradient step"),
        ({"capacity": 500}, "a replay of 500 transitions: an update brings up to 512"),
        ({"steps": 0}, "steps = 0: it is 1 or more"),
        ({"phases": ()}, "a learner has phases"),
        ({"game": jaxpoker.make("chicago", num_players=2)}, "tells actions by street, and chicago has none"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        learner(**settings)


@pytest.mark.thorough
def test_hands_of_hold_em_are_told_from_the_learners_own_view():
    """Its cards stay its cards from a decision to the next, and all that is won is there."""
    game = jaxpoker.make("holdem", menu="nine")
    rule = DoubleDQN(qnet.network(game))
    opponent = Entrant(players.make("random", game))
    settings = {"tables": 64, "turns": 24, "decisions_per_step": 1_536, "capacity": 1_536}
    dqn = DQN(game, (opponent,), (Phase("A", (1.0, 0.0), 1, rule),), **settings)
    state = dqn.init(jax.random.key(0))
    play = jax.jit(lambda state, key: dqn._play(dqn.phases[0], state, (None, state.learned.params), key))
    _, waiting, given, gives, played = jax.device_get(play(state, jax.random.key(1)))
    follows = gives & (given.discount > 0)
    assert follows.sum() > 100 and (gives & ~follows).sum() > 100
    cards = slice(0, 34)
    np.testing.assert_array_equal(given.observation[follows][:, cards], given.next_observation[follows][:, cards])
    assert (given.observation[gives][:, cards].sum(axis=1) == 4).all()  # two cards, a rank and a suit each
    assert not given.reward[follows].any()  # hold'em pays at the end
    # what the hands that ended with a decision of the learner paid is all there
    told = given.reward[gives].sum() + waiting.paid[waiting.open & waiting.over].sum()
    assert abs(told - float(played["return"]) * int(played["hands"])) <= 1.0 * int(played["hands"])  # walks pay blinds
    assert np.abs(given.reward[gives]).max() == 100
