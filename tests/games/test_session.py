"""Many hands at one table: whose button it is, whose chips, and when it ends."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.games.holdem.table import MAX_CHIPS
from jaxpoker.games.session import Session

TABLES = 128


class Step(NamedTuple):
    """What a batch of tables shows at one action, as NumPy arrays."""

    hand_index: np.ndarray  # [tables] before the action
    button: np.ndarray  # [tables] before
    starting: np.ndarray  # [tables, players] chips before blinds
    decides: np.ndarray  # [tables]
    over: np.ndarray  # [tables] session over before
    ended: np.ndarray  # [tables] the action ended a hand
    rewards: np.ndarray  # [tables, players] of the hand after the action, in chips
    stacks: np.ndarray  # [tables, players] after the action, before the next hand
    after: np.ndarray  # [tables, players] starting stacks of the hand after the action
    hand_index_after: np.ndarray
    button_after: np.ndarray
    over_after: np.ndarray


class Played(NamedTuple):
    session: Session
    steps: list[Step]
    table: Any  # [tables, ...] at the end
    act: Any  # the compiled step


def starting(hand):
    return jnp.stack([seat.starting for seat in hand.seats], axis=-1)


def play(session, stacks, hands, seed=0):
    """Random play: fold, call, minimum raise and rarely all-in, as near as is legal."""
    game = session.game
    deals = jax.jit(game.deal, static_argnums=1)(jax.random.key(seed), (TABLES, hands))
    table = jax.jit(jax.vmap(lambda deals, stacks: session.start(deals, stacks=stacks)))(deals, jnp.asarray(stacks))

    def act(table, key):
        here = game.facing(table.hand)
        wanted = jnp.stack([jnp.int32(-1), *[here.price] * 3, *[here.min_raise_to] * 3, here.max_raise_to])
        choice = game.nearest_legal(table.hand, wanted[jax.random.randint(key, (), 0, 8)])
        turn = session.act(table, choice)
        step = Step(
            table.hand_index,
            table.hand.button,
            starting(table.hand),
            session.to_decide(table),
            table.over,
            turn.ended,
            turn.hand.rewards * turn.hand.big_blind,
            turn.hand.stacks,
            starting(turn.table.hand),
            turn.table.hand_index,
            turn.table.hand.button,
            turn.table.over,
        )
        return turn.table, step

    act = jax.jit(jax.vmap(act))
    steps = []
    for key in jax.random.split(jax.random.key(seed + 1), 1000):
        if np.asarray(table.over).all():
            return Played(session, steps, table, act)
        table, step = act(table, jax.random.split(key, TABLES))
        steps.append(jax.tree.map(np.asarray, step))
    raise AssertionError("sessions do not end")


@pytest.fixture(scope="module")
def heads_up():
    """Carried over, half of the tables with 1 to 20 chips each, so that blinds alone decide some hands."""
    session = Session(jaxpoker.make("holdem"), carry_over=True)
    most = np.where(np.arange(TABLES) % 2, 20, 400)[:, None]
    return play(session, np.random.default_rng(0).integers(1, most + 1, (TABLES, 2)), hands=10)


@pytest.fixture(scope="module")
def three_handed():
    session = Session(jaxpoker.make("holdem", num_players=3), carry_over=True)
    return play(session, np.random.default_rng(1).integers(1, 100, (TABLES, 3)), hands=30, seed=2)


@pytest.fixture(scope="module")
def reset():
    """Stacks of 1 to 40 chips, the same ones in every hand."""
    session = Session(jaxpoker.make("holdem"))
    return play(session, np.random.default_rng(2).integers(1, 41, (TABLES, 2)), hands=10, seed=4)


@pytest.fixture(params=["heads_up", "three_handed", "reset"])
def played(request):
    return request.getfixturevalue(request.param)


def between_hands(played):
    """(step, tables that went on to another hand in it)."""
    for step in played.steps:
        yield step, step.ended & ~step.over_after


@pytest.mark.thorough
def test_carried_over_chips_are_never_lost_or_made(heads_up, three_handed):
    for played in (heads_up, three_handed):
        total = played.steps[0].starting.sum(axis=1)
        for step in played.steps:
            np.testing.assert_array_equal(step.stacks[step.ended].sum(axis=1), total[step.ended])
            np.testing.assert_array_equal(step.after.sum(axis=1), total)


def test_the_next_hand_begins_with_what_the_last_one_left(heads_up, three_handed):
    for played in (heads_up, three_handed):
        for step, goes_on in between_hands(played):
            np.testing.assert_array_equal(step.after[goes_on], step.stacks[goes_on])


def test_rewards_are_what_the_stacks_changed_by(played):
    seen = 0
    for step in played.steps:
        change = (step.stacks - step.starting)[step.ended]
        np.testing.assert_allclose(step.rewards[step.ended], change, atol=1e-4)
        assert (step.rewards[~step.ended & ~step.over] == 0).all()
        seen += len(change)
    assert seen > 300


def test_the_button_moves_to_the_next_seat_with_chips(played):
    skipped = 0
    for step, goes_on in between_hands(played):
        for table in np.flatnonzero(goes_on):
            seats = step.after.shape[1]
            clockwise = [(step.button[table] + i) % seats for i in range(1, seats + 1)]
            expected = next(seat for seat in clockwise if step.after[table, seat] > 0)
            assert step.button_after[table] == expected
            skipped += expected != clockwise[0]
    assert skipped > 0 or played.session.game.num_players == 2


def test_heads_up_the_button_alternates(heads_up, reset):
    for played in (heads_up, reset):
        for step in played.steps:
            np.testing.assert_array_equal(step.button, step.hand_index % 2)


def test_a_session_ends_when_one_seat_has_all_the_chips_or_the_deals_are_used_up(played):
    num_hands = played.session.num_hands(jax.tree.map(lambda x: x[0], played.table))
    reasons = set()
    for step in played.steps:
        last = step.hand_index == num_hands - 1
        bust = (step.stacks > 0).sum(axis=1) == 1
        if not played.session.carry_over:
            bust[:] = False
        np.testing.assert_array_equal(step.over_after & ~step.over, step.ended & (last | bust))
        np.testing.assert_array_equal(step.hand_index_after, step.hand_index + (step.ended & ~(last | bust)))
        reasons |= {"bust"} if (step.ended & bust & ~last).any() else set()
        reasons |= {"deals"} if (step.ended & last & ~bust).any() else set()
    if played.session.game.num_players == 2:
        assert reasons == ({"bust", "deals"} if played.session.carry_over else {"deals"})


def test_reset_stacks_are_the_same_in_every_hand_and_all_hands_are_played(reset):
    for step in reset.steps:
        np.testing.assert_array_equal(step.starting, reset.steps[0].starting)
    assert (sum(step.ended.astype(int) for step in reset.steps) == 10).all()


def test_a_hand_that_the_blinds_decide_ends_with_the_next_act_and_counts(heads_up, reset):
    for played in (heads_up, reset):
        decided = [step.ended & ~step.decides for step in played.steps]
        assert sum(tables.sum() for tables in decided) >= 15
        for step, tables in zip(played.steps, decided, strict=True):
            live = ~step.over
            assert step.ended[live & ~step.decides].all()
            assert (np.abs(step.rewards[tables]) <= 2).all()
        paid = np.concatenate([step.rewards[t] for step, t in zip(played.steps, decided, strict=True)])
        assert (np.abs(paid).max(axis=1) > 0).mean() > 0.5  # the others are split


@pytest.mark.thorough
def test_what_is_chosen_in_a_hand_that_the_blinds_decided_does_not_matter():
    game = jaxpoker.make("holdem")
    session = Session(game, carry_over=True)
    deals = jax.jit(game.deal, static_argnums=1)(jax.random.key(5), (3,))
    table = jax.jit(session.start)(deals, stacks=jnp.array([1, 50]))
    assert not session.to_decide(table) and not table.over
    by_hand = jax.jit(game.start)(jax.tree.map(lambda x: x[0], deals), stacks=jnp.array([1, 50]))
    results = jax.jit(jax.vmap(session.act, in_axes=(None, 0)))(table, jnp.array([-1, 0, 2, 7, 99999]))
    assert results.ended.all() and not results.hand.illegal.any()
    for rewards in results.hand.rewards:
        np.testing.assert_array_equal(rewards, by_hand.rewards)
    assert np.abs(by_hand.rewards).tolist() in ([0.5, 0.5], [0, 0])


def test_nothing_changes_after_the_end(played):
    table, step = played.act(played.table, jax.random.split(jax.random.key(9), TABLES))
    assert not np.asarray(step.ended).any()
    for before, after in zip(jax.tree.leaves(played.table), jax.tree.leaves(table), strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.thorough
def test_a_session_is_its_hands_one_by_one():
    """Call, call, ... with stacks carried over and the button moving on, started by hand."""
    game = jaxpoker.make("holdem", num_players=3, stack=50, small_blind=5, big_blind=10)
    session, hands = Session(game, carry_over=True), 4
    deals = jax.jit(game.deal, static_argnums=1)(jax.random.key(11), (hands,))
    table = jax.jit(session.start)(deals)
    act = jax.jit(lambda table: session.act(table, game.nearest_legal(table.hand, 1_000 * (table.hand_index == 2))))
    results = []
    while not table.over:
        turn = act(table)
        if turn.ended:
            results.append(np.asarray(turn.hand.stacks))
        table = turn.table

    start = jax.jit(lambda i, stacks, button: game.start(jax.tree.map(lambda x: x[i], deals), stacks, button))
    act_alone = jax.jit(lambda hand, to: game.act(hand, game.nearest_legal(hand, to)))
    stacks, button, expected = np.full(3, 50), 0, []
    for i in range(hands):
        hand = start(i, jnp.asarray(stacks), button)
        while not hand.terminated:
            hand = act_alone(hand, 1_000 * (i == 2))
        stacks = np.asarray(hand.stacks)
        expected.append(stacks)
        if (stacks > 0).sum() == 1:
            break
        button = next(seat % 3 for seat in range(button + 1, button + 4) if stacks[seat % 3] > 0)
    np.testing.assert_array_equal(results, expected)


def test_other_games_have_sessions_too():
    game = jaxpoker.make("leduc")
    session = Session(game)
    deals = jax.jit(game.deal, static_argnums=1)(jax.random.key(12), (32, 5))
    table = jax.jit(jax.vmap(session.start))(deals)
    act = jax.jit(jax.vmap(lambda table: session.act(table, 1)))  # both always call
    rewards = np.zeros((32, 2))
    for move in range(20):
        assert not np.asarray(table.over).any()
        turn = act(table)
        assert (np.asarray(turn.ended) == (move % 4 == 3)).all()
        rewards += np.asarray(turn.hand.rewards)
        table = turn.table
    assert np.asarray(table.over).all()

    alone = jax.jit(jax.vmap(jax.vmap(game.start)))(deals)
    call = jax.jit(jax.vmap(jax.vmap(lambda state: game.step(state, 1))))
    for _ in range(4):
        alone = call(alone)
    assert np.asarray(core.is_over(alone)).all()
    np.testing.assert_array_equal(rewards, np.asarray(alone.rewards).sum(axis=1))


def test_only_holdem_has_stacks_to_carry_over():
    with pytest.raises(ValueError, match="leduc has no stacks to carry over: it is no StackGame"):
        Session(jaxpoker.make("leduc"), carry_over=True)


def test_all_the_chips_must_fit_one_seat():
    most = MAX_CHIPS // 2
    Session(jaxpoker.make("holdem", stack=most), carry_over=True)
    Session(jaxpoker.make("holdem", stack=most + 1))
    with pytest.raises(ValueError, match="chips at the table: one seat may win them all"):
        Session(jaxpoker.make("holdem", stack=most + 1), carry_over=True)
