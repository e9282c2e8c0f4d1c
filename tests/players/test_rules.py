"""The rule players, decision by decision."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.games import bets

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
    key = jax.random.key(0)
    compiled = {
        name: jax.jit(lambda state, act=player.act: act(None, (), GAME, state, key)[0])
        for name, player in rules.items()
    }
    return lambda name, state: int(compiled[name](state))


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
    """The spots of those decisions, and what each rule player goes to in them."""
    game, states = hands
    rules = {name: players.make(name, game) for name in ("call", "check-fold", "min-raise")}

    @jax.jit
    @jax.vmap
    def decide(state):
        to = {name: player.act(None, (), game, state, jax.random.key(0))[0] for name, player in rules.items()}
        return game.spot(state), to

    spot, to = jax.tree.map(np.asarray, decide(states))
    assert len(spot.price) == 1024
    return spot, to


def test_call_never_folds_and_never_raises(decisions):
    spot, to = decisions
    np.testing.assert_array_equal(to["call"], np.minimum(spot.price, spot.own_bet + spot.stack))


def test_check_fold_puts_no_chip_in(decisions):
    spot, to = decisions
    free = spot.price == spot.own_bet
    assert free.any() and (~free).any()
    np.testing.assert_array_equal(to["check-fold"], np.where(free, spot.own_bet, -1))


def test_min_raise_raises_the_minimum_whenever_it_may_and_never_folds(decisions):
    spot, to = decisions
    assert spot.may_raise.any() and (~spot.may_raise).any()
    call = np.minimum(spot.price, spot.own_bet + spot.stack)
    np.testing.assert_array_equal(to["min-raise"], np.where(spot.may_raise, spot.min_raise_to, call))


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
    state = table(7)  # sizes that all come to different chips
    to, legal = (np.asarray(x) for x in GAME.choices(state))
    keys = jax.random.split(jax.random.key(4), 8000)
    player = players.make("random", GAME)
    drawn = np.asarray(jax.jit(jax.vmap(lambda key: player.act(None, (), GAME, state, key)[0]))(keys))
    chips, counts = np.unique(drawn, return_counts=True)
    assert chips.tolist() == sorted(to[legal].tolist())
    expected = 8000 / legal.sum()
    assert ((counts - expected) ** 2 / expected).sum() < 3 * legal.sum()
    np.testing.assert_allclose(player.policy(None, (), GAME, state)[0], legal / legal.sum(), rtol=1e-6)


def test_random_in_leduc_is_uniform_over_what_is_legal():
    game = jaxpoker.make("leduc")
    player = players.make("random", game)
    state = jax.jit(game.init)(jax.random.key(5))
    assert np.asarray(player.policy(None, (), game, state)[0]).tolist() == [0, 0.5, 0.5]
    raised = jax.jit(game.step)(state, 2)
    np.testing.assert_allclose(player.policy(None, (), game, raised)[0], [1 / 3] * 3)
    act = jax.jit(jax.vmap(lambda key: player.act(None, (), game, state, key)[0]))
    actions = act(jax.random.split(jax.random.key(6), 400))
    assert set(np.asarray(actions).tolist()) == {1, 2}


@pytest.mark.parametrize("name", ["random", "call", "check-fold"])
def test_policies_are_distributions_over_legal_actions_and_agree_with_act(hands, name):
    game, states = hands
    player = players.make(name, game)

    @jax.jit
    @jax.vmap
    def both(state):
        chosen, _ = player.act(None, (), game, state, jax.random.key(7))
        to, _ = game.choices(state)
        return player.policy(None, (), game, state)[0], state.legal_action_mask, to, chosen

    policy, legal, to, chosen = (np.asarray(x) for x in both(states))
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-6)
    assert (policy[~legal] == 0).all() and (policy >= 0).all()
    assert (((to == chosen[:, None]) & (policy > 0)).any(axis=1)).all()
    if name != "random":
        assert (policy.max(axis=1) == 1).all()


def test_where_nobody_may_call_the_callers_have_no_policy(table):
    push_fold = jaxpoker.make("holdem", menu="push/fold")
    assert push_fold.bet_menu.action_name(bets.CALL) == "check/call"
    for name in ("call", "check-fold"):
        assert players.make(name, push_fold).policy is None
        assert players.make(name, GAME).policy is not None
