"""What PokerNet sees of a table, and its decisions there against Algorithm 1 of the paper."""

import collections
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games.holdem.table import Deal
from jaxpoker.models import pokernet as net

GAME = jaxpoker.make("holdem", stack=1000, small_blind=5, big_blind=10)  # heads-up; seat 0 has the button
TABLES = 512


# --- features ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table(play_out):
    """``table(*to, stacks=…, button=…)``: the state after those actions."""
    start = jax.jit(lambda stacks, button: GAME.start(Deal.of(HOLE, BOARD), stacks=stacks, button=button))
    act = jax.jit(GAME.act)

    def after(*actions, stacks=(1000, 1000), button=0):
        state = start(jnp.array(stacks), button)
        return play_out(act, state, actions)

    return after


@pytest.fixture(scope="module")
def features_of():
    return jax.jit(lambda state, win_probability: net.features(GAME, state, win_probability))


HOLE, BOARD = np.array([[0, 1], [2, 3]]), np.array([20, 25, 30, 35, 40])
WIN = 0.625

# (actions "to", stacks, button) -> street, own chips in, the opponent's chips in, call, pot
FEATURES = {
    "the small blind opens": ((), (1000, 1000), 0, (0, 5, 10, 5, 15)),
    "the small blind opens in seat 1": ((), (1000, 1000), 1, (0, 5, 10, 5, 15)),
    "the big blind's option": ((10,), (1000, 1000), 0, (0, 10, 10, 0, 20)),
    "the big blind faces a raise to 30": ((30,), (1000, 1000), 0, (0, 10, 30, 20, 40)),
    "the small blind faces a reraise to 90": ((30, 90), (1000, 1000), 0, (0, 30, 90, 60, 120)),
    "the big blind opens the flop": ((10, 10), (1000, 1000), 0, (1, 10, 10, 0, 20)),
    "the button after a check on the flop": ((30, 30, 0), (1000, 1000), 0, (1, 30, 30, 0, 60)),
    "the button faces 60 on the flop": ((30, 30, 60), (1000, 1000), 0, (1, 30, 90, 60, 120)),
    "a check-raise on the flop": ((10, 10, 0, 20, 75), (1000, 1000), 0, (1, 30, 85, 55, 115)),
    "the turn": ((10, 10, 20, 20), (1000, 1000), 0, (2, 30, 30, 0, 60)),
    "a bet of 20 on the turn": ((10, 10, 0, 0, 20), (1000, 1000), 1, (2, 10, 30, 20, 40)),
    "the river": ((10, 10, 0, 0, 0, 0), (1000, 1000), 0, (3, 10, 10, 0, 20)),
    "a bet of 150 on the river": ((10, 10, 0, 0, 40, 40, 0, 150), (1000, 1000), 0, (3, 50, 200, 150, 250)),
    "all-in on the river": ((10, 10, 0, 0, 0, 0, 990), (1000, 1000), 0, (3, 10, 1000, 990, 1010)),
    "all-in before the flop": ((1000,), (1000, 1000), 0, (0, 10, 1000, 990, 1010)),
    "a stack of 1700 all-in against 300": ((1700,), (1700, 300), 0, (0, 10, 1700, 290, 1710)),
    "300 face a stack of 1700 all-in": ((60, 1700), (300, 1700), 0, (0, 60, 1700, 240, 1760)),
    "both have more than a starting stack in": ((1200, 1200, 100), (1400, 1400), 0, (1, 1200, 1300, 100, 2500)),
    "own chips above a starting stack": ((500, 1100, 1100, 0), (1400, 1300), 0, (1, 1100, 1100, 0, 2200)),
    "two chips behind the small blind": ((), (7, 1993), 0, (0, 5, 10, 2, 15)),
    "a short big blind": ((), (1992, 8), 0, (0, 5, 8, 3, 13)),
}


@pytest.mark.parametrize(("actions", "stacks", "button", "chips"), FEATURES.values(), ids=FEATURES)
def test_features(table, features_of, actions, stacks, button, chips):
    street, own, other, call, pot = chips
    seen = features_of(table(*actions, stacks=stacks, button=button), WIN)
    assert seen.dtype == jnp.float32
    expected = np.zeros(8)
    expected[street] = 1
    expected[4:] = WIN, min(own / 1000, 1), min(other / 1000, 1), call / (call + pot)
    np.testing.assert_allclose(seen, expected, rtol=1e-6)


def test_pot_odds_written_out(table, features_of):
    """A call of 5 into 15 is a quarter; half a pot is a quarter, a pot a third."""
    np.testing.assert_allclose(features_of(table(), WIN), [1, 0, 0, 0, WIN, 0.005, 0.01, 0.25])
    np.testing.assert_allclose(features_of(table(10, 10, 10), WIN), [0, 1, 0, 0, WIN, 0.01, 0.02, 0.25], rtol=1e-6)
    np.testing.assert_allclose(features_of(table(10, 10, 20), WIN), [0, 1, 0, 0, WIN, 0.01, 0.03, 1 / 3], rtol=1e-6)
    np.testing.assert_allclose(features_of(table(1000), WIN), [1, 0, 0, 0, WIN, 0.01, 1, 0.495], rtol=1e-6)


def test_chips_are_parts_of_the_games_stack(table, features_of):
    """Not of what a seat starts the hand with."""
    state = table(30, stacks=(700, 1300))
    deep = jaxpoker.make("holdem", stack=2000, small_blind=5, big_blind=10)
    of_deep = jax.jit(lambda state: net.features(deep, state, WIN))
    np.testing.assert_allclose(features_of(state, WIN)[5:7], [0.01, 0.03], rtol=1e-6)
    np.testing.assert_allclose(of_deep(state)[5:7], [0.005, 0.015], rtol=1e-6)


def test_three_players_are_refused():
    ring = jaxpoker.make("holdem", num_players=3)
    with pytest.raises(ValueError, match="PokerNet plays one opponent, not 2: hold'em with num_players=2"):
        jax.eval_shape(lambda key: net.features(ring, ring.init(key), WIN), jax.random.key(0))


# --- decisions --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chips():
    """``chips(state, o)``: chips "to", after making sure that they are legal."""

    @jax.jit
    def of(state, output):
        to = net.chips_to(GAME, GAME.facing(state), output)
        return to, GAME.act(state, to).illegal

    def legal_chips(state, output):
        to, illegal = of(state, jnp.float32(output))
        assert not illegal
        return int(to)

    return legal_chips


EVEN = (1000, 1000)
FOLD = -1

# actions "to", stacks, {o: chips "to"}. Where o is exactly at a bound, it is a sum of few powers of two.
DECISIONS = {
    # x = 5, r_min = 10, k = floor(100 o): one big blind more than the price of 10 from 0.01 on
    "the small blind opens": (
        (),
        EVEN,
        {
            -1: FOLD,
            -1e-6: FOLD,
            0: 10,
            1 / 256: 10,
            1 / 128: 10,
            1 / 64: 20,
            0.125: 130,
            0.5: 510,
            0.984375: 990,
            1: 1000,
        },
    ),
    # x = 0
    "the big blind's option": ((10,), EVEN, {-1: 10, -1e-6: 10, 0: 10, 1 / 128: 10, 1 / 64: 20, 1 / 32: 40, 0.25: 260}),
    "nothing to call on the flop": (
        (10, 10),
        EVEN,
        {-0.5: 0, 0: 0, 1 / 128: 0, 1 / 64: 10, 0.25: 250, 0.75: 750, 1: 990},
    ),
    # x = 20: the raise is by k big blinds on top of the price, 30
    "a raise to 30": ((30,), EVEN, {-0.5: FOLD, 0: 30, 1 / 64: 30, 1 / 32: 60, 0.25: 280, 0.5: 530}),
    # x = r_min = 65: above 0.065 it would raise, but six big blinds are too few; seven are enough
    "a reraise to 95": ((30, 95), EVEN, {-0.5: FOLD, 1 / 32: 95, 0.0645: 95, 0.0655: 95, 0.0695: 95, 0.0705: 165}),
    # x = r_min = 390
    "a large reraise": ((110, 500), EVEN, {-0.5: FOLD, 0.25: 500, 0.389: 500, 0.391: 890, 0.4375: 930, 0.5: 1000}),
    # a check-raise: x = r_min = 190
    "a check-raise to 240": ((10, 10, 0, 50, 240), EVEN, {0.125: 240, 0.1875: 240, 0.195: 430, 0.25: 490, 0.75: 990}),
    # the street before had a raise by 190, this one has a bet of 20 alone: x = r_min = 20
    "a bet of 20 on the turn": ((10, 10, 50, 240, 240, 20), EVEN, {1 / 64: 20, 1 / 32: 50, 0.125: 140}),
    # exactly at x / ss = 1/8: no call any more, but twelve big blinds are less than r_min = 125
    "a bet of 125": ((10, 10, 125), EVEN, {0.1249: 125, 0.125: 125, 0.1299: 125, 0.1301: 255}),
    # exactly at x / ss: all-in; just below a call
    "a reraise to 750": ((375, 750), EVEN, {0.37499: 750, 0.375: 1000}),
    "a bet of 500": ((10, 10, 500), EVEN, {0.49999: 500, 0.5: 990}),
    # the opponent is all-in: no raise
    "all-in before the flop": ((1000,), EVEN, {-0.01: FOLD, 0: 1000, 0.5: 1000, 0.99: 1000, 1: 1000}),
    "all-in on the river": ((10, 10, 0, 0, 0, 0, 990), EVEN, {-0.01: FOLD, 0.5: 990, 1: 990}),
    # 50 behind the small blind: all-in where the call and the raise take them all, 10 + 50 > 55 but 10 + 40 < 55
    "a short small blind": ((), (55, 1945), {-0.5: FOLD, 0: 10, 1 / 32: 40, 0.0475: 50, 0.0505: 55, 0.5: 55, 1: 55}),
    # exactly the stack is all-in, too
    "a stack of six big blinds": ((), (60, 1940), {0.0475: 50, 0.0505: 60, 0.0625: 60}),
    # x = 60, 40 left: a call is all-in
    "short of a call": ((70,), (1950, 50), {-0.5: FOLD, 0: 50, 0.03: 50, 0.07: 50, 1: 50}),
    # x = r_min = 100, 145 left: all-in is not a full raise but what ten big blinds come to
    "short of a minimum raise": ((110,), (1845, 155), {1 / 32: 110, 0.099: 110, 0.101: 155, 0.125: 155, 1: 155}),
    # x = r_min = 45, 50 left: four big blinds would be all-in
    "a call but for five chips": ((55,), (1940, 60), {1 / 32: 55, 0.044: 55, 0.046: 60}),
    # chips that a stack of 500 cannot match are raised all the same
    "a big stack opens": ((), (1500, 500), {-0.5: FOLD, 0.25: 260, 0.75: 760, 1: 1010}),
    "a big stack faces all-in": ((10, 500), (1500, 500), {-0.5: FOLD, 0.25: 500, 0.75: 500, 1: 500}),
    # o = 1 is a starting stack, not all that there is
    "deeper than a starting stack": ((10,), (1400, 1400), {1: 1010}),
}


@pytest.mark.parametrize(("actions", "stacks", "expected"), DECISIONS.values(), ids=DECISIONS)
def test_decisions(table, chips, actions, stacks, expected):
    state = table(*actions, stacks=stacks)
    assert {output: chips(state, output) for output in expected} == expected


def algorithm_1(output, call, stack, own_bet, smallest_raise, may_raise):
    """The chips "to" of the paper's algorithm for starting stacks of 1,000 and a big blind of 10, in whole numbers."""
    if output < 0:
        return own_bet if call == 0 else FOLD
    if output < Fraction(call, 1000) or not may_raise:
        return own_bet + min(call, stack)
    raise_by = 10 * math.floor(output * 1000 / 10)
    if call + raise_by >= stack:
        return own_bet + stack
    return own_bet + call + (raise_by if raise_by >= smallest_raise else 0)


@pytest.fixture(scope="module")
def random_spots():
    """Decisions of random play with stacks carried over: states, outputs [n] in 1/4096, chips, illegal, features.

    Such outputs, their 1000-fold and a hundred of them are exact in float32.
    """
    rng = np.random.default_rng(7)
    first = rng.integers(1, 2000, TABLES)
    stacks = np.where(rng.random((TABLES, 1)) < 0.5, np.stack([first, 2000 - first], 1), 1000)
    deals = jax.jit(lambda key: GAME.deal(key, (TABLES,)))(jax.random.key(8))
    start = jax.jit(jax.vmap(lambda deal, stacks, button: GAME.start(deal, stacks=stacks, button=button)))
    state = start(deals, stacks, np.arange(TABLES) % 2)

    @jax.jit
    @jax.vmap
    def step(state, output, wish):
        to = net.chips_to(GAME, GAME.facing(state), output)
        features = net.features(GAME, state, jnp.float32(WIN))
        return GAME.act(state, GAME.nearest_legal(state, wish)), (to, GAME.act(state, to).illegal, features)

    spots = []
    while not state.terminated.all():
        price = np.ptp(np.stack(state.bets), axis=-1) * 4096 // 1000
        outputs = np.choose(
            rng.integers(0, 4, TABLES),
            (
                rng.integers(-1500, 4097, TABLES),
                rng.integers(-50, 256, TABLES),
                256 * rng.integers(0, 17, TABLES),
                np.minimum(price + rng.choice([-20, -1, 0, 0, 1, 10, 20, 40], TABLES), 4096),
            ),
        )
        wishes = np.choose(
            rng.integers(0, 4, TABLES),
            (0, 0, rng.integers(1, 1 + rng.integers(10, 2000, TABLES)), 125 * rng.integers(1, 9, TABLES)),
        )
        after, decided = step(state, np.float32(outputs / 4096), np.int32(wishes))
        live = ~np.asarray(state.terminated)
        spots.append(jax.tree.map(lambda x, live=live: np.asarray(x)[live], (state, outputs, *decided)))
        state = after
    return jax.tree.map(lambda *x: np.concatenate(x), *spots)


def test_decisions_are_algorithm_1_wherever_random_play_leads(random_spots):
    state, outputs, chips, illegal, _ = random_spots
    assert len(chips) > 1500
    assert not illegal.any()
    seen = collections.Counter()
    for row, to in enumerate(chips):
        me, other = (state.seats[(state.current_player[row] + i) % 2] for i in range(2))
        own_bet, stack = int(me.bet[row]), int(me.behind[row])
        call, output = int(other.bet[row]) - own_bet, Fraction(int(outputs[row]), 4096)
        may_raise = stack > call and other.behind[row] > 0
        smallest_raise = max(10, int(state.last_raise[row]))
        expected = algorithm_1(output, call, stack, own_bet, smallest_raise, may_raise)
        assert to == expected, (output, call, stack, own_bet, smallest_raise, may_raise)
        pays = to - own_bet
        seen["fold"] += to == FOLD
        seen["check"] += pays == 0
        seen["call"] += 0 < pays == call
        seen["call for less"] += 0 < pays < call
        seen["raise"] += call < pays < stack
        seen["all-in"] += call < pays == stack
        seen["no raise allowed"] += output > Fraction(call, 1000) and not may_raise
        seen["raise too small"] += call == pays and may_raise and output >= Fraction(call, 1000) > 0
        seen["exactly at the call"] += output == Fraction(call, 1000) > 0
    assert len(seen) == 9
    assert min(seen.values()) >= 5, seen


def test_features_are_parts_of_one_wherever_random_play_leads(random_spots):
    *_, features = random_spots
    assert np.isfinite(features).all()
    assert ((features >= 0) & (features <= 1)).all()
    assert (features[:, :4].sum(axis=1) == 1).all()
    assert (features[:, 7] < 1).all()
    assert (features.max(axis=0)[[0, 1, 2, 3, 6]] == 1).all()  # every street, and all-in with a starting stack or more
