"""Transitions of one seat against a plain loop that reads whole games."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.learners import transitions
from jaxpoker.learners.transitions import Turn

LEDUC = jaxpoker.make("leduc")  # two seats, three actions
GAMMA = 0.9
after_turn = jax.jit(transitions.after_turn, static_argnums=2)


def turn(seat, name, action=0, rewards=(0, 0), over=False, learns=True):
    """A turn of one table; what its seat sees is called ``name``."""
    seen = np.zeros((1, LEDUC.observation_size), np.float32)
    seen[0, 0] = name
    legal = np.arange(3)[None] != name % 3
    arrays = (np.int32([seat]), np.int32([action]), np.array([learns]), np.float32([rewards]), np.array([over]))
    return Turn(jnp.asarray(seen), jnp.asarray(legal), *map(jnp.asarray, arrays))


def told(turns, tables=1):
    """All transitions that ``turns`` give: (table, seat, name, action, reward, next name or None, next legal)."""
    waiting, found = transitions.nobody_waits(LEDUC, tables), []
    for one in turns:
        waiting, given, gives = after_turn(waiting, one, GAMMA)
        given, gives = jax.tree.map(np.asarray, (given, gives))
        for table, seat in np.argwhere(gives):
            row = jax.tree.map(lambda x, at=(table, seat): x[at], given)
            assert row.discount in (0, np.float32(GAMMA))
            ends = row.discount == 0
            follows = None if ends else float(row.next_observation[0])
            legal = None if ends else tuple(row.next_legal.tolist())
            own = (float(row.observation[0]), int(row.action), round(float(row.reward), 4))
            found.append((int(table), int(seat), *own, follows, legal))
    return found, waiting


def legal_of(name):
    return tuple(action != name % 3 for action in range(3))


def test_next_is_what_the_same_seat_sees_when_it_acts_again():
    found, _ = told([turn(0, 1), turn(1, 2), turn(0, 3), turn(1, 4)])
    assert found == [(0, 0, 1, 0, 0, 3, legal_of(3)), (0, 1, 2, 0, 0, 4, legal_of(4))]


def test_the_terminal_reward_is_not_lost_when_the_opponent_acts_last():
    found, _ = told([turn(0, 1, action=2), turn(1, 2, rewards=(5, -5), over=True), turn(0, 3)])
    assert found == [(0, 0, 1, 2, 5, None, None), (0, 1, 2, 0, -5, None, None)]


def test_a_game_does_not_follow_from_the_one_before():
    found, _ = told([turn(0, 1, rewards=(1, -1), over=True), turn(0, 2), turn(1, 3), turn(0, 4)])
    assert found == [(0, 0, 1, 0, 1, None, None), (0, 0, 2, 0, 0, 4, legal_of(4))]


def test_a_seat_that_never_acted_has_nothing_to_learn():
    found, _ = told([turn(0, 1, rewards=(-1, 1), over=True), turn(1, 2)])
    assert found == [(0, 0, 1, 0, -1, None, None)]


def test_decisions_of_an_opponent_are_not_learned_from():
    turns = [turn(0, 1), turn(1, 2, learns=False), turn(0, 3), turn(1, 4, rewards=(2, -2), over=True, learns=False)]
    found, _ = told([*turns, turn(1, 5, learns=False)])
    assert found == [(0, 0, 1, 0, 0, 3, legal_of(3)), (0, 0, 3, 0, 2, None, None)]


def by_plain_loop(turns, table):
    """Game by game and seat by seat, all that is complete."""
    games, now = [], []
    for one in jax.tree.map(np.asarray, turns):
        now.append(one)
        if one.over[table]:
            games, now = [*games, (now, True)], []
    found = []
    for game, ended in [*games, (now, False)]:
        for seat in range(2):
            own = [i for i, one in enumerate(game) if one.seat[table] == seat]
            for i, until in zip(own, [*own[1:], None], strict=False):
                if not game[i].learns[table] or (until is None and not ended):
                    continue
                paid = round(sum(float(one.rewards[table, seat]) for one in game[i:until]), 4)
                follows = None if until is None else float(game[until].observation[table, 0])
                legal = None if until is None else tuple(game[until].legal[table].tolist())
                name, action = float(game[i].observation[table, 0]), int(game[i].action[table])
                found.append((table, seat, name, action, paid, follows, legal))
    return found


@pytest.mark.parametrize("seed", [0, 1])
def test_any_order_of_turns_by_a_plain_loop(seed):
    """Rewards for anybody at any time. Games that end with the very last turn are still to be given."""
    random, tables, turns = np.random.default_rng(seed), 5, []
    for number in range(60):
        rewards = random.integers(-5, 6, (tables, 2)) * (random.random((tables, 2)) < 0.3)
        rows = [
            turn(
                random.integers(2),
                1 + number * tables + table,
                random.integers(3),
                rewards[table],
                random.random() < 0.2,
                random.random() < 0.8,
            )
            for table in range(tables)
        ]
        turns.append(jax.tree.map(lambda *x: jnp.concatenate(x), *rows))
    found, waiting = told(turns, tables)
    still = int((waiting.open & waiting.over).sum())
    expected = [row for table in range(tables) for row in by_plain_loop(turns, table)]
    assert len(expected) == len(found) + still and len(found) > 150
    assert set(found) <= set(expected) and len(set(found)) == len(found)


def test_hands_are_told_whole_and_from_one_seat():
    """Random hands of Leduc: next shows the same seat and card later in the hand, and all that is won is there."""
    game, tables = LEDUC, 32

    def one(carry, key):
        state, waiting = carry
        act_key, deal_key = jax.random.split(key)
        legal, seat = state.legal_action_mask, state.current_player
        seen = jax.vmap(game.observe)(state, seat)
        action = core.random_action(act_key, legal)
        after, rewards, over = core.play_on(game, state, action, deal_key)
        now = Turn(seen, legal, seat, action, jnp.ones(tables, bool), rewards, over)
        waiting, *given = transitions.after_turn(waiting, now, 1.0)
        return (after, waiting), (*given, rewards)

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
    still = np.asarray(jnp.where(waiting.open & waiting.over, waiting.paid, 0))
    won = rewards.sum(axis=0)  # [tables, seats]: in Leduc nobody wins without a decision
    np.testing.assert_array_equal(np.where(gives, row.reward, 0).sum(axis=0) + still, won)
    assert np.abs(won).max() > 1
