"""Double DQN: targets, losses and updates by hand, and values that are known exactly."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker.learners.q_learning import replay
from jaxpoker.learners.q_learning.double_dqn import DoubleDQN, Learned
from jaxpoker.learners.q_learning.transitions import Transition
from jaxpoker.models.qnet import QNetwork

# The simplest network: Q = observation @ params, two floats and three actions.
LINEAR = QNetwork(lambda key: jax.random.normal(key, (2, 3)), lambda params, observation: observation @ params)
Q = np.array([[1.0, 2.0, 5.0], [0.5, -1.0, 3.0]])
TARGET = np.array([[10.0, -20.0, 40.0], [7.0, 30.0, -60.0]])

BATCH = Transition(  # of three
    observation=np.float32([[1, 0], [0, 1], [1, 1]]),
    action=np.int32([0, 2, 1]),
    reward=np.float32([0.5, -3.0, 4.0]),
    next_observation=np.float32([[1, 0], [0, 1], [1, 0]]),
    next_legal=np.array([[True, True, False], [True, True, True], [True, True, True]]),
    discount=np.float32([0.9, 0.9, 0.0]),
)
# Row 0: of Q's 1 and 2 (5 is not legal) action 1 is the best; Q⁻ says -20, though 10 is its own largest legal one.
# Row 1: Q's best of .5, -1, 3 is action 2; Q⁻ says -60. Row 2: the game is over.
Y = np.array([0.5 + 0.9 * -20, -3 + 0.9 * -60, 4.0])
ERROR = np.array([1.0, 3.0, 2.0 - 1.0]) - Y  # Q(s, a) is 1, 3 and 2 - 1


def learned(learner, params=Q, target=TARGET):
    params, target = jnp.asarray(params, jnp.float32), jnp.asarray(target, jnp.float32)
    return Learned(params, target, learner._optimiser.init(params), jnp.zeros((), jnp.int32))


@functools.partial(jax.jit, static_argnums=0)
def targets(learner, state, batch):
    return learner.targets(state.params, batch, LINEAR.values(state.target, batch.next_observation))


def one_step(learner):
    """The update of one gradient step: of a batch without an axis of steps."""

    def update(state, batch, weight):
        state, error, metrics = learner.update(state, jax.tree.map(lambda x: jnp.asarray(x)[None], batch), weight[None])
        return state, error[0], metrics

    return jax.jit(update)


def test_q_chooses_and_the_copy_values():
    learner = DoubleDQN(LINEAR)
    found = np.asarray(targets(learner, learned(learner), BATCH))
    np.testing.assert_allclose(found, Y, rtol=1e-6)
    plain = BATCH.reward + BATCH.discount * np.where(BATCH.next_legal, BATCH.next_observation @ TARGET, -1e9).max(1)
    assert (found[:2] < plain[:2]).all()  # which is what DQN without the double would learn


@pytest.mark.parametrize("huge", [1e6, np.nan])
def test_values_of_illegal_actions_change_nothing(huge):
    """Whatever Q and its copy say of the action that is not legal in the next state."""
    learner = DoubleDQN(LINEAR)
    only = jax.tree.map(lambda x: x[:1], BATCH)
    params, target = Q.copy(), TARGET.copy()
    params[0, 2] = target[0, 2] = huge
    np.testing.assert_allclose(targets(learner, learned(learner, params, target), only), Y[:1], rtol=1e-6)


def test_after_the_end_there_is_only_the_reward():
    """Whatever the next observation says, which belongs to no decision of this game."""
    learner = DoubleDQN(LINEAR)
    end = jax.tree.map(lambda x: x[2:], BATCH)._replace(next_observation=np.float32([[np.inf, np.nan]]))
    np.testing.assert_array_equal(targets(learner, learned(learner), end), [4.0])


def huber(error, border):
    size = np.abs(error)
    return np.where(size <= border, error**2 / 2, border * (size - border / 2)), np.clip(error, -border, border)


@pytest.mark.parametrize("border", [None, 1.0, 30.0])
def test_loss_and_two_updates_by_numpy(border):
    """Adam's first two steps by its formulas, without a cut."""
    learner = DoubleDQN(LINEAR, learning_rate=0.01, huber=border, max_gradient=1e9)
    weight, rate = np.array([1.0, 0.5, 0.25]), 0.01
    state, params, first, second = learned(learner), Q.copy(), np.zeros((2, 3)), np.zeros((2, 3))
    update = one_step(learner)
    for step in (1, 2):
        state, error, metrics = update(state, BATCH, jnp.asarray(weight))
        chosen = BATCH.next_observation @ params
        chosen = np.where(BATCH.next_legal, chosen, -np.inf).argmax(1)
        y = BATCH.reward + BATCH.discount * (BATCH.next_observation @ TARGET)[np.arange(3), chosen]
        expected = (BATCH.observation @ params)[np.arange(3), BATCH.action] - y
        each, slope = (expected**2, 2 * expected) if border is None else huber(expected, border)
        gradient = np.zeros((2, 3))
        for row in range(3):
            gradient[:, BATCH.action[row]] += weight[row] * slope[row] * BATCH.observation[row] / 3
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        moved = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        params = params - rate * moved
        np.testing.assert_allclose(error, expected, rtol=1e-4)
        np.testing.assert_allclose(metrics["loss"], (weight * each).mean(), rtol=1e-4)
        np.testing.assert_allclose(metrics["gradient_norm"], np.sqrt((gradient**2).sum()), rtol=1e-4)
        np.testing.assert_allclose(state.params, params, rtol=1e-5)
        if step == 1:
            np.testing.assert_allclose(error, ERROR, rtol=1e-5)
            np.testing.assert_allclose(metrics["q_magnitude"], (1 + 3 + 1) / 3, rtol=1e-5)
    np.testing.assert_array_equal(state.target, np.float32(TARGET))


def test_the_copy_and_epsilon_go_by_updates():
    learner = DoubleDQN(LINEAR, sync_every=3)
    update = one_step(learner)
    state, copies = learned(learner), []
    for done in range(7):
        assert int(state.updates) == done
        before = np.asarray(state.target)
        state, _, metrics = update(state, BATCH, jnp.ones(3))
        if (np.asarray(state.target) != before).any():
            np.testing.assert_array_equal(state.target, state.params)
            copies.append(done + 1)
        np.testing.assert_allclose(metrics["epsilon"], 0.9995 ** (done + 1), rtol=1e-6)
    assert copies == [3, 6]
    assert DoubleDQN(LINEAR).sync_every == 400
    ends = [float(learner.epsilon_after(jnp.int32(updates))) for updates in (0, 4_604, 4_605, 10**6)]
    np.testing.assert_allclose(ends, [1, 0.9995**4_604, 0.1, 0.1], rtol=1e-4)


def test_steps_at_once_are_steps_one_by_one():
    """With a copy that comes up to date after the third of them, and again after the sixth."""
    learner = DoubleDQN(LINEAR, learning_rate=0.05, sync_every=3)
    shift = np.arange(6, dtype=np.float32)[:, None]
    batches = jax.tree.map(lambda x: np.stack([x] * 6), BATCH)
    batches = batches._replace(reward=batches.reward + shift)
    weight = np.ones((6, 3), np.float32) * (1 + shift)
    one_by_one, errors, update_one = learned(learner), [], one_step(learner)
    for step in range(6):
        one = jax.tree.map(lambda x, step=step: x[step], batches)
        one_by_one, error, _ = update_one(one_by_one, one, weight[step])
        errors.append(error)
    at_once, update = learned(learner), jax.jit(learner.update)
    for half in (slice(0, 3), slice(3, 6)):
        part = jax.tree.map(lambda x, half=half: x[half], batches)
        at_once, error, _ = update(at_once, part, weight[half])
        np.testing.assert_allclose(error, np.stack(errors[half]), rtol=1e-5)
    for a, b in zip(jax.tree.leaves(one_by_one), jax.tree.leaves(at_once), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_explorers_take_any_legal_action_epsilon_of_the_time():
    learner = DoubleDQN(LINEAR, epsilon=(0.4, 0.4))
    count = 20_000
    seen, legal = np.tile([1.0, 0.0], (count, 1)), np.tile([True, True, False], (count, 1))
    action = jax.jit(learner.explore)(learned(learner), seen, legal, jax.random.key(0))
    share = np.bincount(action, minlength=3) / count
    assert share[2] == 0  # Q's favourite, which is not legal
    assert abs(share[1] - 0.8) < 4.5 * np.sqrt(0.8 * 0.2 / count)


def test_values_of_a_game_that_is_known_exactly():
    """Three rounds in which the seat may stop for what the round pays or go on: 1, 3, 2, and going on at last pays 0.

    The third action would pay 100, but is not legal. Drawn from a replay, by priority, Q comes to the exact values.
    """
    table = QNetwork(lambda key: jnp.zeros((3, 3)), lambda params, observation: observation @ params)
    learner = DoubleDQN(table, learning_rate=0.02, huber=None, sync_every=20)
    gamma, pays = 0.9, np.array([1.0, 3.0, 2.0])
    here = np.repeat(np.eye(3, dtype=np.float32), 2, axis=0)  # each round with both actions
    action = np.tile(np.int32([0, 1]), 3)
    ends = (action == 0) | (here[:, 2] == 1)
    follows = np.roll(here, -2, axis=0)
    reward = np.where(action == 0, np.repeat(pays, 2), 0).astype(np.float32)
    legal = np.tile([True, True, False], (6, 1))
    rows = Transition(here, action, reward, follows, legal, np.where(ends, 0, gamma).astype(np.float32))
    ring = replay.empty(jax.tree.map(lambda x: x[0], rows), 16, prioritised=True)
    ring = jax.jit(replay.add)(ring, rows, np.ones(6, bool))

    update = one_step(learner)

    def step(carry, key):
        state, ring = carry
        batch = replay.sample(ring, key, 8)
        state, error, _ = update(state, batch.rows, batch.weight)
        return (state, replay.with_errors(ring, batch.place, error)), None

    state = learner.init(jax.random.key(0))
    state = state._replace(params=state.params.at[:, 2].set(100.0), target=state.target.at[:, 2].set(100.0))
    keys = jax.random.split(jax.random.key(1), 1_500)
    (state, _), _ = jax.jit(lambda carry: jax.lax.scan(step, carry, keys))((state, ring))
    exact = [[1, gamma * 3], [3, gamma * 2], [2, 0]]
    np.testing.assert_allclose(state.params[:, :2], exact, atol=0.02)


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="sync_every = 0: it is 1 update or more"):
        DoubleDQN(LINEAR, sync_every=0)
    with pytest.raises(ValueError, match=r"huber = 0.0: the border is above 0"):
        DoubleDQN(LINEAR, huber=0.0)
    with pytest.raises(ValueError, match=r"epsilon = \(0.1, 0.5\)"):
        DoubleDQN(LINEAR, epsilon=(0.1, 0.5))
