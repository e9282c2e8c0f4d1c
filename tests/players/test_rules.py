"""The rule players, decision by decision."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.games import bets
from jaxpoker.games.leduc import RAISE

GAME = jaxpoker.make("holdem")  # heads-up, blinds 1/2, 200 chips
TABLES = 256


@pytest.fixture(scope="module")
def table(play_out):
    """``table(*to, stacks=…)``: heads-up after those actions, in chips."""
    start = jax.jit(lambda stacks: GAME.start(GAME.deal(jax.random.key(0)), stacks=stacks))
    act = jax.jit(GAME.act)

    def after(*actions, stacks=(200, 200)):
        state = start(jnp.array(stacks))
        return play_out(act, state, actions)

    return after


@pytest.fixture(scope="module")
def chips():
    """``chips(name, state)``: what that player goes to."""
    rules = {name: players.make(name, GAME) for name in ("call", "check-fold", "min-raise")}

    @jax.jit
    def all_chips(state):
        return {name: player.act(None, (), GAME, state, jax.random.key(0))[0] for name, player in rules.items()}

    return lambda name, state: int(all_chips(state)[name])


class Decisions(NamedTuple):
    """At each of many decisions."""

    facing: bets.Facing
    menu: np.ndarray  # [decisions, actions] chips
    legal: np.ndarray  # [decisions, actions] bool
    to: dict[str, np.ndarray]  # [decisions] by player
    policies: dict[str, np.ndarray]  # [decisions, actions] by player, of those that have one


@pytest.fixture(scope="module")
def hands():
    """Every decision of random three-handed play with all kinds of stacks: states [decisions, ...]."""
    game = jaxpoker.make("holdem", num_players=3)
    random = players.make("random", game)
    stacks = jax.random.randint(jax.random.key(1), (TABLES, 3), 1, 60)
    deals = jax.jit(game.deal, static_argnums=1)(jax.random.key(2), (TABLES,))
    state = jax.jit(jax.vmap(lambda deal, stacks: game.start(deal, stacks=stacks)))(deals, stacks)

    @jax.jit
    @jax.vmap
    def step(state, key):
        return game.act(state, random.act(None, (), game, state, key)[0])

    seen = []
    for key in jax.random.split(jax.random.key(3), 100):
        live = ~np.asarray(state.terminated)
        if not live.any():
            break
        seen.append(jax.tree.map(lambda x, live=live: np.asarray(x)[live], state))
        state = step(state, jax.random.split(key, TABLES))
        assert not np.asarray(state.illegal).any()
    seen = jax.tree.map(lambda *x: np.concatenate(x)[:1024], *seen)
    return game, seen


@pytest.fixture(scope="module")
def decisions(hands):
    """Those decisions: spots, chips of the menu, what of it is legal, what each rule player goes to, policies."""
    game, states = hands
    rules = {name: players.make(name, game) for name in players.SIMPLE}

    @jax.jit
    @jax.vmap
    def decide(state):
        to = {name: player.act(None, (), game, state, jax.random.key(7))[0] for name, player in rules.items()}
        with_policy = {name: player for name, player in rules.items() if player.policy is not None}
        policies = {name: player.policy(None, (), game, state)[0] for name, player in with_policy.items()}
        return Decisions(game.facing(state), *game.choices(state), to, policies)

    decided = jax.tree.map(np.asarray, decide(states))
    assert len(decided.legal) == 1024
    return decided


def test_call_never_folds_and_never_raises(decisions):
    facing, to = decisions.facing, decisions.to
    np.testing.assert_array_equal(to["call"], np.minimum(facing.price, facing.own_bet + facing.stack))


def test_check_fold_puts_no_chip_in(decisions):
    facing, to = decisions.facing, decisions.to
    free = facing.price == facing.own_bet
    assert free.any() and (~free).any()
    np.testing.assert_array_equal(to["check-fold"], np.where(free, facing.own_bet, -1))


def test_min_raise_raises_the_minimum_whenever_it_may_and_never_folds(decisions):
    facing, to = decisions.facing, decisions.to
    assert facing.may_raise.any() and (~facing.may_raise).any()
    call = np.minimum(facing.price, facing.own_bet + facing.stack)
    np.testing.assert_array_equal(to["min-raise"], np.where(facing.may_raise, facing.min_raise_to, call))


def test_before_the_flop(table, chips):
    assert chips("call", table()) == 2  # limps
    assert chips("check-fold", table()) == -1  # folds even the small blind
    assert chips("min-raise", table()) == 4
    assert chips("call", table(2)) == chips("check-fold", table(2)) == 2  # the big blind checks
    assert chips("min-raise", table(2)) == 4
    assert chips("call", table(9)) == 9
    assert chips("check-fold", table(9)) == -1
    assert chips("min-raise", table(9)) == 16


def test_after_the_flop(table, chips):
    assert [chips(name, table(2, 2)) for name in ("call", "check-fold", "min-raise")] == [0, 0, 2]
    assert [chips(name, table(2, 2, 10)) for name in ("call", "check-fold", "min-raise")] == [10, -1, 20]


def test_short_stacks(table, chips):
    assert chips("min-raise", table(stacks=(3, 200))) == 3  # all-in below the minimum
    assert chips("min-raise", table(200)) == 200  # nobody left to raise: a call
    assert chips("call", table(200, stacks=(200, 50))) == 50
    assert chips("min-raise", table(120, stacks=(200, 50))) == 50
    assert chips("check-fold", table(200)) == -1


def test_min_raise_against_itself_ends_all_in(table, chips):
    state, act, raises = table(), jax.jit(GAME.act), []
    while not state.terminated:
        raises.append(chips("min-raise", state))
        state = act(state, jnp.int32(raises[-1]))
    assert raises == [*range(4, 200, 2), 200, 200]
    assert state.showdown
    assert np.asarray(state.committed).tolist() == [200, 200]


def test_random_takes_each_legal_action_of_the_menu_alike(table):
    keys = jax.random.split(jax.random.key(4), 8000)
    player = players.make("random", GAME)

    @jax.jit
    def asked(state):
        drawn = jax.vmap(lambda key: player.act(None, (), GAME, state, key)[0])(keys)
        return *GAME.choices(state), drawn, player.policy(None, (), GAME, state)[0]

    to, legal, drawn, policy = map(np.asarray, asked(table(7)))  # sizes that all come to different chips
    chips, counts = np.unique(drawn, return_counts=True)
    assert chips.tolist() == sorted(to[legal].tolist())
    expected = 8000 / legal.sum()
    assert ((counts - expected) ** 2 / expected).sum() < 3 * legal.sum()
    np.testing.assert_allclose(policy, legal / legal.sum(), rtol=1e-6)


def test_random_in_leduc_is_uniform_over_what_is_legal():
    game = jaxpoker.make("leduc")
    player = players.make("random", game)
    keys = jax.random.split(jax.random.key(6), 400)

    @jax.jit
    def asked(key):
        state = game.init(key)
        policies = [player.policy(None, (), game, after)[0] for after in (state, game.step(state, RAISE))]
        return *policies, jax.vmap(lambda key: player.act(None, (), game, state, key)[0])(keys)

    first, raised, actions = map(np.asarray, asked(jax.random.key(5)))
    assert first.tolist() == [0, 0.5, 0.5]
    np.testing.assert_allclose(raised, [1 / 3] * 3)
    assert set(actions.tolist()) == {1, 2}


@pytest.mark.parametrize("name", ["random", "call", "check-fold"])
def test_policies_are_distributions_over_legal_actions_and_agree_with_act(decisions, name):
    policy, chosen = decisions.policies[name], decisions.to[name]
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-6)
    assert (policy[~decisions.legal] == 0).all() and (policy >= 0).all()
    assert (((decisions.menu == chosen[:, None]) & (policy > 0)).any(axis=1)).all()
    if name != "random":
        assert (policy.max(axis=1) == 1).all()


def test_where_nobody_may_call_the_callers_have_no_policy(table):
    push_fold = jaxpoker.make("holdem", menu="push/fold")
    assert push_fold.bet_menu.action_name(bets.CALL) == "check/call"
    for name in ("call", "check-fold"):
        assert players.make(name, push_fold).policy is None
        assert players.make(name, GAME).policy is not None
