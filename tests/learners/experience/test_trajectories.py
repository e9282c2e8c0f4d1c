"""Advantages seat by seat against a plain loop, and what a segment keeps."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.learners.experience import trajectories
from jaxpoker.learners.experience.trajectories import Decision, Trajectory
from jaxpoker.models import observer
from jaxpoker.models.policy import Output

LEDUC = jaxpoker.make("leduc")
advantages = jax.jit(trajectories.advantages)
TURNS, TABLES, SEATS = 40, 6, 3


class Table(NamedTuple):
    """As much of a state as advantages need."""

    current_player: jax.Array


def segment(seed: int) -> tuple[Trajectory, Table, jax.Array]:
    """Turns in any order of seats, with rewards for anybody at any time, and the tables after it."""
    random = np.random.default_rng(seed)
    actors = random.integers(0, SEATS, (TURNS + 1, TABLES)).astype(np.int32)
    values, end_value = random.normal(size=(TURNS, TABLES)), random.normal(size=TABLES)
    rewards = random.normal(size=(TURNS, TABLES, SEATS)) * (random.random((TURNS, TABLES, SEATS)) < 0.4)
    over = random.random((TURNS, TABLES)) < 0.1
    decision = Decision(*(jnp.asarray(x, jnp.float32) for x in (values, values, values)), jnp.ones(values.shape, bool))
    played = Trajectory(Table(jnp.asarray(actors[:-1])), decision, jnp.asarray(rewards, jnp.float32), jnp.asarray(over))
    return played, Table(jnp.asarray(actors[-1])), jnp.asarray(end_value, jnp.float32)


def by_plain_loop(played: Trajectory, end: Table, end_value: jax.Array, discount: float, trace: float):
    """Advantage of every decision, None where what it is paid is not known: game by game and seat by seat."""
    actors, end_actor = np.asarray(played.state.current_player), np.asarray(end.current_player)
    values, rewards, over = (np.asarray(x, np.float64) for x in (played.decision.value, played.rewards, played.over))
    found = [[None] * TABLES for _ in range(TURNS)]
    for table in range(TABLES):
        games, turns = [], []
        for turn in range(TURNS):
            turns.append(turn)
            if over[turn, table]:
                games, turns = [*games, (turns, True)], []
        for of_game, ended in [*games, (turns, False)]:
            for seat in range(SEATS):
                own = [turn for turn in of_game if actors[turn, table] == seat]
                steps = []  # (decision, what it was paid, value of the next one)
                for i, turn in enumerate(own):
                    until = own[i + 1] if i + 1 < len(own) else of_game[-1] + 1
                    paid = sum(rewards[k, table, seat] for k in range(turn, until))
                    if i + 1 < len(own):
                        steps.append((turn, paid, values[own[i + 1], table]))
                    elif ended:
                        steps.append((turn, paid, 0.0))
                    elif end_actor[table] == seat:
                        steps.append((turn, paid, float(end_value[table])))
                for i, (turn, _, _) in enumerate(steps):
                    found[turn][table] = sum(
                        (discount * trace) ** k * (paid + discount * ahead - values[at, table])
                        for k, (at, paid, ahead) in enumerate(steps[i:])
                    )
    return found


@pytest.mark.parametrize("trace", [1.0, 0.9, 0.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_advantages_go_from_decision_to_decision_of_one_seat(seed, trace):
    played, end, end_value = segment(seed)
    found = advantages(played, end, end_value, 0.97, trace)
    expected = by_plain_loop(played, end, end_value, 0.97, trace)
    complete = np.asarray(found.complete)
    assert complete.tolist() == [[x is not None for x in row] for row in expected]
    assert 0 < (~complete).sum() <= TABLES * (SEATS - 1)  # a decision of each seat that is not to act
    known = np.array([x for row in expected for x in row if x is not None])
    np.testing.assert_allclose(np.asarray(found.advantage)[complete], known, atol=1e-5)
    np.testing.assert_allclose(found.returns, found.advantage + played.decision.value, atol=1e-6)


def test_with_a_full_trace_returns_are_discounted_sums():
    """One seat, one game: r0 + γ r1 + γ² r2, whatever the values are."""
    rewards = jnp.asarray([[[1.0]], [[10.0]], [[100.0]]])
    values = jnp.asarray([[5.0], [-3.0], [7.0]])
    decision = Decision(values, values, values, values > -9)
    seat = jnp.zeros((3, 1), jnp.int32)
    played = Trajectory(Table(seat), decision, rewards, jnp.asarray([[False], [False], [True]]))
    found = advantages(played, Table(seat[0]), jnp.asarray([99.0]), 0.5, 1.0)
    np.testing.assert_allclose(found.returns[:, 0], [1 + 5 + 25, 10 + 50, 100], rtol=1e-6)


def test_illegal_actions_are_never_drawn_and_probabilities_are_of_legal_ones():
    @jax.jit
    def decide(key):
        start = jax.vmap(LEDUC.start)(LEDUC.deal(key, (500,)))  # nobody has raised: there is no fold
        output = Output(jnp.asarray([[50.0, 0.0, 1.0]] * 500), jnp.zeros(500))
        return trajectories.decide(observer.network(LEDUC), output, start, key)

    decision = decide(jax.random.key(1))
    assert set(np.asarray(decision.action).tolist()) == {1, 2}
    chance = np.where(np.asarray(decision.action) == 2, np.e, 1) / (1 + np.e)
    np.testing.assert_allclose(np.exp(decision.log_probability), chance, rtol=1e-5)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_rewards_are_those_of_the_games_that_ended_and_new_ones_follow(name):
    game = jaxpoker.make(name)
    network = observer.network(game)
    params = network.init(jax.random.key(0))

    @jax.jit
    def play(key):
        decide = trajectories.by_network(network, params, game)
        tables = jax.vmap(game.start)(game.deal(key, (32,)))
        return trajectories.collect(game, network, decide, tables, key, 24)

    end, played = play(jax.random.key(1))
    paid = np.asarray(played.rewards).any(axis=-1)
    assert paid.sum() > 50 and not paid[~np.asarray(played.over)].any()
    assert not np.asarray(end.terminated).any()
    np.testing.assert_allclose(np.asarray(played.rewards).sum(axis=-1), 0, atol=1e-6)
    again = play(jax.random.key(1))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), (end, played), again))
