"""Transitions of a learner's seat against a plain loop that reads whole games."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.learners.q_learning import transitions
from jaxpoker.learners.q_learning.transitions import SeatTurn, Transition

LEDUC = jaxpoker.make("leduc")  # two seats, three actions
GAMMA = 0.5  # exact in floats
after_turn = jax.jit(transitions.after_turn, static_argnums=2)
n_step = jax.jit(transitions.n_step, static_argnums=2)


def turn(is_own, name, action=0, reward=0, over=False):
    """A turn of one table; what the learner sees is called ``name``."""
    seen = np.zeros((1, LEDUC.observation_size), np.float32)
    seen[0, 0] = name
    legal = np.arange(3)[None] != name % 3
    return SeatTurn(seen, legal, np.int32([action]), np.array([is_own]), np.float32([reward]), np.array([over]))


def given_by(turns, tables=1):
    """Transitions ``[turns, tables]`` of them, where there are any, and who waits after the last."""
    waiting, rows = transitions.nobody_waits(LEDUC, tables), []
    for one in turns:
        waiting, *row = after_turn(waiting, one, GAMMA)
        rows.append(row)
    return jax.tree.map(lambda *x: np.stack(x), *rows), waiting


def read(given, gives):
    """Table, name, action, reward, discount, next name or None, next legal of each transition that is there."""
    given = jax.tree.map(np.asarray, given)
    found = []
    for at in np.argwhere(gives):
        row = jax.tree.map(lambda x, at=tuple(at): x[at], given)
        ends = row.discount == 0
        follows = None if ends else float(row.next_observation[0])
        legal = None if ends else tuple(row.next_legal.tolist())
        own = (float(row.observation[0]), int(row.action), float(row.reward), float(row.discount))
        found.append((int(at[1]), *own, follows, legal))
    return found


def told(turns):
    (given, gives), _ = given_by(turns)
    return read(given, gives)


def legal_of(name):
    return tuple(action != name % 3 for action in range(3))


def test_next_is_what_the_learner_sees_when_it_acts_again():
    found = told([turn(True, 1), turn(False, 2), turn(True, 3), turn(False, 4)])
    assert found == [(0, 1, 0, 0, GAMMA, 3, legal_of(3))]


def test_the_terminal_reward_is_not_lost_when_the_opponent_acts_last():
    found = told([turn(True, 1, action=2), turn(False, 2, reward=5, over=True), turn(True, 3)])
    assert found == [(0, 1, 2, 5, 0, None, None)]


def test_a_game_does_not_follow_from_the_one_before():
    found = told([turn(True, 1, reward=1, over=True), turn(True, 2), turn(False, 3), turn(True, 4)])
    assert found == [(0, 1, 0, 1, 0, None, None), (0, 2, 0, 0, GAMMA, 4, legal_of(4))]


def test_a_hand_without_a_decision_of_its_own_teaches_nothing():
    assert told([turn(False, 1, reward=-1, over=True), turn(False, 2), turn(False, 3, reward=4, over=True)]) == []


def by_plain_loop(turns, table, steps=1):
    """Game by game, all that is complete."""
    games, now = [], []
    for one in turns:
        now.append(one)
        if one.over[table]:
            games, now = [*games, (now, True)], []
    found = []
    for game, ended in [*games, (now, False)]:
        own = [i for i, one in enumerate(game) if one.is_own[table]]
        known = own if ended else own[:-1]
        for place, i in enumerate(known):
            paid, discount = 0.0, 1.0
            for step in range(place, min(place + steps, len(known))):
                until = own[step + 1] if step + 1 < len(own) else None
                paid += discount * sum(float(one.reward[table]) for one in game[own[step] : until])
                discount = 0.0 if until is None else GAMMA * discount
            follows = None if until is None else float(game[until].observation[table, 0])
            legal = None if until is None else tuple(game[until].legal[table].tolist())
            name, action = float(game[i].observation[table, 0]), int(game[i].action[table])
            found.append((table, name, action, paid, discount, follows, legal))
    return found


@pytest.mark.parametrize("steps", [1, 2, 3, 50])
def test_any_order_of_turns_by_a_plain_loop(steps):
    """Rewards at any time. At the end every table has a turn more, so that all games that ended are given."""
    random, tables, turns = np.random.default_rng(steps), 5, []
    for number in range(60):
        rewards = random.integers(-5, 6, tables) * (random.random(tables) < 0.3)
        rows = [
            turn(
                random.random() < 0.5,
                1 + number * tables + table,
                random.integers(3),
                rewards[table],
                random.random() < 0.1,
            )
            for table in range(tables)
        ]
        turns.append(jax.tree.map(lambda *x: np.concatenate(x), *rows))
    turns.append(jax.tree.map(lambda *x: np.concatenate(x), *[turn(False, 0)] * tables))
    (given, gives), _ = given_by(turns, tables)
    found = read(n_step(given, gives, steps), gives)
    expected = [row for table in range(tables) for row in by_plain_loop(turns, table, steps)]
    assert len(found) > 100
    assert sorted(found, key=str) == sorted(expected, key=str)


def test_one_step_is_the_transition_itself():
    turns = [turn(True, 1), turn(True, 2, reward=3), turn(True, 4, reward=5, over=True), turn(False, 6)]
    (given, gives), _ = given_by(turns)
    same = n_step(given, gives, 1)
    assert read(same, gives) == read(given, gives)
    assert isinstance(same, Transition)


def test_hands_are_told_whole_and_from_one_seat():
    """Random hands of Leduc: next shows the same seat and card later in the hand, and all that is won is there."""
    game, tables = LEDUC, 64
    seats = jnp.arange(tables) % 2

    def one(carry, key):
        state, waiting = carry
        act_key, deal_key = jax.random.split(key)
        legal, is_own = state.legal_action_mask, state.current_player == seats
        seen = jax.vmap(game.observe)(state, state.current_player)
        action = core.random_action(act_key, legal)
        after, rewards, over = core.play_on(game, state, action, deal_key)
        reward = jnp.take_along_axis(rewards, seats[:, None], axis=1)[:, 0]
        waiting, *given = transitions.after_turn(waiting, SeatTurn(seen, legal, action, is_own, reward, over), 1.0)
        return (after, waiting), (*given, jnp.where(waiting.open, reward, 0.0))

    @jax.jit
    def play(key):
        start = jax.vmap(game.start)(game.deal(key, (tables,)))
        return jax.lax.scan(one, (start, transitions.nobody_waits(game, tables)), jax.random.split(key, 60))

    (_, waiting), told = play(jax.random.key(0))
    row, gives, rewards = jax.tree.map(np.asarray, told)
    follows = gives & (row.discount > 0)
    assert follows.sum() > 300 and (gives & ~follows).sum() > 300
    before, after = row.observation[follows], row.next_observation[follows]
    np.testing.assert_array_equal(before[:, :8], after[:, :8])  # seat and card
    assert (before[:, 14:].sum(axis=1) < after[:, 14:].sum(axis=1)).all()  # actions
    assert not row.reward[follows].any()  # Leduc pays at the end
    still = np.where(np.asarray(waiting.open & waiting.over), waiting.paid, 0)
    won = rewards.sum(axis=0)  # [tables] of hands with a decision of the learner
    np.testing.assert_array_equal(np.where(gives, row.reward, 0).sum(axis=0) + still, won)
    assert np.abs(won).max() > 1
