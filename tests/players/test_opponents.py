"""The opponents of the neuroevolution experiment: every line of their rules, and what can be won from them."""

import dataclasses
import itertools
import math

import eval7
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, equity, match, players, ranges
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import Deal
from jaxpoker.players import Player, opponents

GAME = jaxpoker.make("holdem", stack=1000, small_blind=5, big_blind=10)  # heads-up; seat 0 has the button
DRAWS = 4000
TABLES = 160
ANY = 10**9


# --- one table, one decision ------------------------------------------------------------------


@pytest.fixture(scope="module")
def table(play_out):
    """``table(*to, hand=…, wins=…, stacks=…)``: after those actions; both hold the hand's ranks and win alike."""
    start = jax.jit(lambda deal, stacks: GAME.start(deal, stacks=stacks))
    act = jax.jit(GAME.act)

    def after(*actions, hand="7c2d", wins=0.5, stacks=(1000, 1000)):
        twin = hand.translate(str.maketrans("cd", "hs"))
        unused = [card for card in range(52) if card not in cards.parse(hand + twin)]
        deal = Deal.of(cards.parse(hand + twin).reshape(2, 2), jnp.array(unused[::9][:5]))
        wins = jnp.broadcast_to(jnp.asarray(wins, jnp.float32), (2, 4))
        state = start(dataclasses.replace(deal, win_probability=wins), jnp.array(stacks))
        return play_out(act, state, actions)

    return after


@pytest.fixture(scope="module")
def chips(chips_of):
    """``chips(name, state)``: [DRAWS] what that player goes to, with as many keys."""
    return chips_of(GAME, (*players.FAMILIES["seed"], *players.FAMILIES["paper"]), DRAWS)


def test_families():
    assert set(players.FAMILIES) == {"seed", "paper"}
    assert len(set(players.OPPONENTS)) == len(players.OPPONENTS) == 9
    for name in players.OPPONENTS:
        assert players.make(name, GAME).name == name
        with pytest.raises(ValueError, match=f"player '{name}' plays holdem, not leduc"):
            players.make(name, jaxpoker.make("leduc"))
    with pytest.raises(ValueError, match=r"players are random, .*, smart, .*, random switcher"):
        players.make("clever", GAME)


# --- starting hands ---------------------------------------------------------------------------


def test_sklansky_malmuth_groups():
    group = dict(zip(ranges.CLASS_NAMES, opponents.GROUP_OF_CLASS.tolist(), strict=True))
    expected = {
        1: "AA JJ AKs",
        2: "TT AJs KQs AKo",
        3: "99 JTs ATs AQo",
        4: "88 98s J9s AJo KTs",
        5: "77 A9s A5s A2s 65s JTo",
        6: "66 55 ATo QTo K9s 54s",
        7: "44 22 K8s K2s 98o Q8s 43s",
        8: "A9o K9o J7s 32s 42s 54o",
        9: "72o 32o A8o J7o Q7s 52s T6s Q8o K8o 63s 97o",
    }
    for number, hands in expected.items():
        assert {group[hand] for hand in hands.split()} == {number}, f"group {number}"
    assert np.bincount(opponents.GROUP_OF_CLASS).tolist() == [0, 5, 5, 6, 8, 18, 10, 18, 15, 84]


def test_no_starting_hand_is_in_two_groups():
    listed = sum((ranges.parse(hands) > 0).astype(int) for hands in opponents.SKLANSKY_MALMUTH)
    assert listed.max() == 1


# --- the seed family --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "check_fold", "call", "min_raise"),
    [
        ((), -1, 10, 20),
        ((10,), 10, 10, 20),
        ((35,), -1, 35, 60),
        ((10, 10), 0, 0, 10),
        ((10, 10, 40), -1, 40, 80),
        ((1000,), -1, 1000, 1000),
    ],
)
def test_check_fold_call_and_raise(table, chips, actions, check_fold, call, min_raise):
    state = table(*actions)
    assert set(chips("check-fold", state).tolist()) == {check_fold}
    assert set(chips("call", state).tolist()) == set(chips("calling machine", state).tolist()) == {call}
    assert set(chips("raise", state).tolist()) == {min_raise}


SMART_PREFLOP = {
    "group 9 folds the small blind": ("7c2d", (), {-1: 1}),
    "group 9 checks the big blind": ("7c2d", (10,), {10: 1}),
    "group 9 folds to the smallest raise": ("7c2d", (20,), {-1: 1}),
    "group 8 limps": ("Kc9d", (), {10: 1}),
    "group 7 limps": ("4c4d", (), {10: 1}),
    "group 8 checks the big blind": ("Kc9d", (10,), {10: 1}),
    "group 8 folds to a raise of its limp": ("Kc9d", (10, 20), {-1: 1}),
    "group 7 folds to a raise of its blind": ("4c4d", (20,), {-1: 1}),
    "group 6 raises a fifth of the time": ("AcTd", (), {10: 0.8, 20: 0.1, 30: 0.1}),
    "group 5 raises a fifth of the time": ("7c7d", (10,), {10: 0.8, 20: 0.1, 30: 0.1}),
    "group 5 raises to 4 big blinds at most": ("7c7d", (20,), {20: 0.8, 30: 0.2 / 3, 40: 0.4 / 3}),
    "group 6 calls up to 4 big blinds, and no raise fits": ("6c6d", (40,), {40: 1}),
    "group 6 folds above 4 big blinds": ("6c6d", (41,), {-1: 1}),
    "group 4 raises half the time, a tenth of that all-in": ("8c8d", (), {10: 0.5, 20: 0.225, 30: 0.225, 1000: 0.05}),
    "group 3 does so too": ("AcQd", (10,), {10: 0.5, 20: 0.225, 30: 0.225, 1000: 0.05}),
    "group 3 calls any amount": ("9c9d", (1000,), {1000: 1}),
    "group 2 raises half the time, a fifth of that all-in": ("AcKd", (), {10: 0.5, 20: 0.2, 30: 0.2, 1000: 0.1}),
    "group 1 does so too": ("AcAd", (10,), {10: 0.5, 20: 0.2, 30: 0.2, 1000: 0.1}),
    "group 1 calls any amount": ("KcKd", (1000,), {1000: 1}),
    "a reraise is one to two times the smallest, 40": (
        "AcAd",
        (25,),
        {25: 0.5, 40: 0.1, 50: 0.1, 60: 0.1, 70: 0.1, 1000: 0.1},
    ),
    "a size floored below the minimum, 36, is a call": (
        "AcAd",
        (23,),
        {23: 0.5 + 0.4 / 9, 40: 0.4 * 10 / 36, 50: 0.4 * 10 / 36, 60: 0.4 * 10 / 36, 70: 0.4 * 2 / 36, 1000: 0.1},
    ),
    "a size above the stack is all-in": ("AcAd", (500,), {500: 0.5, 990: 0.4 / 99, 1000: 0.1 + 0.4 * 98 / 99}),
}


@pytest.mark.parametrize(("hand", "actions", "shares"), SMART_PREFLOP.values(), ids=SMART_PREFLOP)
def test_smart_before_the_flop(table, chips, hand, actions, shares, require_shares):
    for wins in (0.1, 0.9):  # only the group counts
        require_shares(chips("smart", table(*actions, hand=hand, wins=wins)), shares)


LIMPED = (10, 10)
SMART_POSTFLOP = {
    "above .8 it bets half the time, half of that all-in": (0.81, LIMPED, {0: 0.5, 10: 0.25, 990: 0.25}),
    "above .8 it raises half the time, half of that all-in": (
        0.81,
        (*LIMPED, 20),
        {20: 0.5, 40: 0.0625, 50: 0.0625, 60: 0.0625, 70: 0.0625, 990: 0.25},
    ),
    "above .8 it calls any amount": (0.81, (*LIMPED, 990), {990: 1}),
    "up to .8 it bets a fifth of the time": (0.8, LIMPED, {0: 0.8, 10: 0.2}),
    "above .4 it raises a fifth of the time": (0.41, (*LIMPED, 10), {10: 0.8, 20: 0.1, 30: 0.1}),
    "up to .8 it calls until a third of 1,000 chips is in": (0.8, (*LIMPED, 323), {323: 1}),
    "up to .8 it folds to one chip more": (0.8, (*LIMPED, 324), {-1: 1}),
    "up to .8 it raises to 10 + 320 chips at most": (
        0.8,
        (*LIMPED, 150),
        {150: 0.8, 300: 0.2 / 30, 310: 0.2 / 30, 320: 0.2 * 28 / 30},
    ),
    "up to .8 no raise fits behind a bet of 200": (0.8, (*LIMPED, 200), {200: 1}),
    "with more than a third in it checks": (0.8, (400, 400), {0: 1}),
    "with more than a third in it folds": (0.8, (400, 400, 10), {-1: 1}),
    "at .4 it checks": (0.4, LIMPED, {0: 1}),
    "at .4 it folds": (0.4, (*LIMPED, 10), {-1: 1}),
    "on the river as on the flop": (0.81, (*LIMPED, 0, 0, 0, 0), {0: 0.5, 10: 0.25, 990: 0.25}),
}


@pytest.mark.parametrize(("wins", "actions", "shares"), SMART_POSTFLOP.values(), ids=SMART_POSTFLOP)
def test_smart_after_the_flop(table, chips, wins, actions, shares, require_shares):
    for hand in ("7c2d", "AcAd"):  # only the win probability counts
        require_shares(chips("smart", table(*actions, hand=hand, wins=wins)), shares)


def test_smart_with_a_short_stack(table, chips, require_shares):
    require_shares(chips("smart", table(hand="AcAd", stacks=(15, 1000))), {10: 0.5, 15: 0.5})  # no full raise left
    require_shares(chips("smart", table(hand="AcAd", stacks=(25, 1000))), {10: 0.5, 20: 0.2, 25: 0.3})
    require_shares(chips("smart", table(hand="AcTd", stacks=(25, 1000))), {10: 0.8, 20: 0.1, 25: 0.1})


def test_smart_reads_its_own_win_probability_of_the_street(table, chips, require_shares):
    wins = np.full((2, 4), 0.9)
    wins[1, 1] = 0.1  # the big blind's on the flop
    require_shares(chips("smart", table(*LIMPED, 20, wins=1 - wins)), {-1: 1})  # seat 0, on the flop .1
    require_shares(chips("smart", table(*LIMPED, wins=wins)), {0: 1})
    require_shares(chips("smart", table(*LIMPED, 0, 0, wins=wins)), {0: 0.5, 10: 0.25, 990: 0.25})


# --- the paper family -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "limper", "maniac"),
    [
        ((), 10, 30),  # limps; calls 5 and raises by 20
        ((10,), 10, 30),
        ((20,), -1, 60),  # folds to the smallest raise; calls 10 and raises by 40
        ((10, 20), -1, 60),
        ((10, 10), 0, 20),
        ((10, 10, 10), -1, 50),
        ((10, 10, 0), 0, 20),
        ((100, 100, 200), -1, 800),
        ((100, 100, 400), -1, 900),  # short: all-in
        ((1000,), -1, 1000),  # nobody left to raise: a call
    ],
)
def test_scared_limper_and_hothead_maniac(table, chips, actions, limper, maniac):
    state = table(*actions)
    assert set(chips("scared limper", state).tolist()) == {limper}
    assert set(chips("hothead maniac", state).tolist()) == {maniac}


def test_the_scared_limper_limps_all_in(table, chips):
    assert set(chips("scared limper", table(stacks=(8, 1000))).tolist()) == {8}


def test_the_calling_machine_calls_all_in(table, chips):
    assert set(chips("calling machine", table(900, stacks=(1000, 60))).tolist()) == {60}


CANDID = {
    "checks below .625": (0.62, LIMPED, {0: 1}),
    "bets half the pot from .625": (0.625, LIMPED, {10: 1}),
    "bets half the pot below .75": (0.74, LIMPED, {10: 1}),
    "bets three quarters from .75": (0.75, LIMPED, {15: 1}),
    "bets three quarters below .875": (0.87, LIMPED, {15: 1}),
    "bets the pot from .875": (0.875, LIMPED, {20: 1}),
    "checks the big blind": (0.62, (10,), {10: 1}),
    "raises from the big blind by the pot": (0.9, (10,), {30: 1}),
    # 20 to call into 40: the odds are 1/3, f is 60/80
    "folds below the odds": (0.33, (*LIMPED, 20), {-1: 1}),
    "calls (.5 - 1/3) / (.75 - 1/3) of the time": (0.5, (*LIMPED, 20), {-1: 0.6, 20: 0.4}),
    "always calls at f": (0.75, (*LIMPED, 20), {20: 1}),
    "raises (.9 - .75) / .25 of the time, by the pot": (0.9, (*LIMPED, 20), {20: 0.4, 80: 0.6}),
    "always raises the nuts": (1.0, (*LIMPED, 20), {80: 1}),
    # the small blind calls 5 into 15: the odds are 1/4, f is 20/30
    "as small blind folds below the odds": (0.24, (), {-1: 1}),
    "as small blind calls (.5 - 1/4) / (2/3 - 1/4) of the time": (0.5, (), {-1: 0.4, 10: 0.6}),
    "as small blind raises (.8 - 2/3) / (1/3) of the time": (0.8, (), {10: 0.6, 30: 0.4}),
    "calls all-in with what it would raise": (1.0, (1000,), {1000: 1}),
}


@pytest.mark.parametrize(("wins", "actions", "shares"), CANDID.values(), ids=CANDID)
def test_candid_statistician(table, chips, wins, actions, shares, require_shares):
    require_shares(chips("candid statistician", table(*actions, wins=wins)), shares)


def test_the_candid_statistician_counts_only_chips_that_it_can_win(table, chips, require_shares):
    """40 chips behind and 990 bet into a pot of 20: it plays 40 for 60, odds .4, f = 100/120."""
    state = table(*LIMPED, 0, 990, wins=0.5, stacks=(1000, 50))
    call = (0.5 - 0.4) / (100 / 120 - 0.4)
    require_shares(chips("candid statistician", state), {40: call, -1: 1 - call})


def test_the_candid_statistician_with_a_free_small_blind_does_not_divide_by_zero(chips, require_shares):
    @jax.jit
    def start(key):
        deal = dataclasses.replace(GAME.deal(key), win_probability=jnp.ones((2, 4)))
        return GAME.start(deal, small_blind=0)

    state = start(jax.random.key(1))  # f = 1: it calls the nuts
    require_shares(chips("candid statistician", state), {10: 1})


# --- the random switcher ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def switches(table):
    """``[sessions, 200]`` whom the switcher plays like at each of its actions, and what it does, facing half a pot."""
    state = table(*LIMPED, 10, wins=0.5)  # 10 into 30: odds .25, f = 2/3
    switcher = players.make("random switcher", GAME)

    def session(key):
        def act(memory, key):
            to, memory = switcher.act(None, switcher.new_hand(memory), GAME, state, key)
            return memory, (memory.player, to)

        return jax.lax.scan(act, switcher.init_memory(None), jax.random.split(key, 200))[1]

    return jax.tree.map(np.asarray, jax.jit(jax.vmap(session))(jax.random.split(jax.random.key(2), 500)))


def test_the_switcher_stays_with_a_player_for_50_actions_over_hands(switches):
    like, _ = switches
    blocks = like.reshape(500, 4, 50)
    assert (blocks == blocks[:, :, :1]).all()


def test_the_switcher_draws_each_of_the_four_alike_and_anew(switches):
    like = switches[0][:, ::50]  # [sessions, 4] draws
    counts = np.bincount(like.ravel(), minlength=4)
    assert len(counts) == 4 and ((counts - 500) ** 2 / 500).sum() < 16.3  # chi², three degrees of freedom, 0.1%
    same = like[:, 1:] == like[:, :-1]
    assert abs(same.mean() - 0.25) < 4.5 * math.sqrt(0.25 * 0.75 / same.size)


def test_the_switcher_does_what_the_drawn_player_does(switches):
    like, to = switches
    names = players.FAMILIES["paper"]
    did = {name: set(to[like == place].tolist()) for place, name in enumerate(names)}
    expected = {"scared limper": {-1}, "calling machine": {10}, "hothead maniac": {50}}
    assert did == {**expected, "candid statistician": {-1, 10}}
    calls = (to[like == 3] == 10).mean()  # with probability (.5 - .25) / (2/3 - .25)
    assert abs(calls - 0.6) < 4.5 * math.sqrt(0.6 * 0.4 / (like == 3).sum())


# --- whole hands ------------------------------------------------------------------------------


class WithWins(Holdem):
    """Hold'em whose deals come with win probabilities."""

    def deal(self, key, shape=(), win_samples=20):
        return jax.jit(super().deal, static_argnums=(1, 2))(key, shape, win_samples)


def everybody(game, names=players.OPPONENTS):
    """Plays like any of ``names``, drawn at each decision; its memory keeps what every one of them would do."""
    all_players = [players.make(name, game) for name in names]

    def init_memory(params):
        return [player.init_memory(params) for player in all_players], jnp.zeros(len(names), jnp.int32)

    def act(params, memory, game, state, key):
        draw_key, key = jax.random.split(key)
        did = [p.act(None, own, game, state, key) for p, own in zip(all_players, memory[0], strict=True)]
        to = jnp.stack([to for to, _ in did])
        return to[jax.random.randint(draw_key, (), 0, len(names))], ([own for _, own in did], to)

    return Player("everybody", act, init_memory=init_memory)


@pytest.mark.thorough
def test_nobody_acts_illegally_or_on_what_it_cannot_see():
    """At every decision all nine would do the same in a world that the player cannot tell from this one."""
    game = WithWins(**vars(GAME))
    assert players.check(everybody(game), None, game, jax.random.key(3), tables=TABLES) > 3 * TABLES


def test_nobody_looks_at_hidden_cards_to_work_out_its_win_probability():
    two = everybody(GAME, ("smart", "candid statistician"))
    assert players.check(two, None, GAME, jax.random.key(3), tables=32) > 3 * 32


@pytest.fixture(scope="module")
def decisions():
    """All decisions of hands of everybody with stacks of 1 to 300 chips: states, spots, chips of each [decisions]."""
    mixed = everybody(GAME)
    stacks = jax.random.randint(jax.random.key(4), (TABLES, 2), 1, 300)
    deals = WithWins(**vars(GAME)).deal(jax.random.key(5), (TABLES,))
    state = jax.jit(jax.vmap(lambda deal, stacks: GAME.start(deal, stacks=stacks)))(deals, stacks)
    memory = mixed.init_memory(None)

    @jax.jit
    @jax.vmap
    def step(state, key):
        to, (_, all_to) = mixed.act(None, memory, GAME, state, key)
        return GAME.act(state, to), (GAME.facing(state), all_to)

    seen = []
    for key in jax.random.split(jax.random.key(6), 40):
        live = ~np.asarray(state.terminated)
        after, (spot, all_to) = step(state, jax.random.split(key, TABLES))
        seen.append(jax.tree.map(lambda x, live=live: np.asarray(x)[live], (state, spot, all_to)))
        state = after
    assert np.asarray(state.terminated).all() and not np.asarray(state.illegal).any()
    states, spots, all_to = jax.tree.map(lambda *x: np.concatenate(x), *seen)
    assert len(all_to) > 500
    return states, spots, dict(zip(players.OPPONENTS, all_to.T, strict=True))


def test_all_actions_of_all_opponents_are_legal(decisions):
    _, spot, chips = decisions
    for name, to in chips.items():
        call = to == spot.own_bet + spot.to_call
        raises = spot.may_raise & (to >= spot.min_raise_to) & (to <= spot.max_raise_to)
        assert np.where(to < 0, spot.may_fold & (to == -1), call | raises).all(), name


def test_smart_never_passes_its_limits(decisions):
    states, spot, chips = decisions
    row = np.arange(len(spot.pot))
    seat, street, starting = states.current_player, states.street, np.stack([s.starting for s in states.seats], -1)
    starting, hole = starting[row, seat], np.stack(states.deal.hole_cards, -1).reshape(-1, 2, 2)[row, seat]
    wins = states.deal.win_probability[row, seat, street]
    group = opponents.GROUP_OF_CLASS[ranges.CLASS_OF_COMBO[ranges.combo_index(hole[:, 0], hole[:, 1])]]
    preflop_limit = np.select([group == 9, group >= 7, group >= 5], [0, 10, 40], ANY)
    limit = np.where(street == 0, preflop_limit, np.where(wins > 0.8, ANY, np.where(wins > 0.4, starting // 3, 0)))
    to = chips["smart"]
    puts_in = np.where(to < 0, 0, to - spot.own_bet)
    committed = starting - spot.stack
    assert (puts_in <= np.maximum(limit - committed, 0)).all()
    could_call = committed + spot.to_call <= limit
    assert (to[could_call] >= 0).all()  # within its limit it never folds
    bets_or_raises = to > spot.price
    multiple = to % 10 == 0
    assert (multiple | (to == spot.max_raise_to))[bets_or_raises].all()
    assert all((bets_or_raises & (street == s)).any() for s in range(4))


def test_the_scared_limper_never_puts_in_more_than_a_big_blind(decisions):
    _, spot, chips = decisions
    to = chips["scared limper"]
    assert (to[spot.street > 0] <= 0).all()
    assert (to <= np.where(spot.street == 0, 10, 0)).all()
    assert (to[(spot.street == 0) & (spot.raises == 0)] >= 0).all()


@pytest.fixture(scope="module")
def ceiling():
    """``ceiling(name)``: what the hothead maniac wins from that player, in mBB/hand."""
    names = ("check-fold", "scared limper")

    def act(name, memory, game, state, key):
        return jnp.stack([players.make(n, game).act(None, (), game, state, key)[0] for n in names])[name], memory

    pair = (players.make("hothead maniac", GAME), Player("either", act))

    def winnings(name):
        params = [None, jnp.int32(names.index(name))]
        return match.play(GAME, pair, jax.random.key(7), params, tables=16, hands_per_table=3).mbb_per_hand[0]

    return winnings


def test_check_fold_loses_its_blinds_to_an_always_raiser(ceiling):
    """Half a big blind from the button, a whole one from the big blind: 750 mBB/hand, whatever the cards."""
    assert ceiling("check-fold")[:2] == ((500 + 1000) / 2, 0)


def test_the_scared_limper_loses_a_big_blind_a_hand_to_an_always_raiser(ceiling):
    """From the button it limps and folds to the raise, from the big blind it folds at once: one big blind each."""
    assert ceiling("scared limper")[:2] == ((1000 + 1000) / 2, 0)


# --- win probability --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worked_out():
    """Sixteen deals without win probabilities: hole cards, boards, and what each seat works out by street."""
    deals = jax.jit(lambda key: GAME.deal(key, (16,)))(jax.random.key(8))
    state = jax.jit(jax.vmap(GAME.start))(deals)

    @jax.jit
    @jax.vmap
    def wins(state, key):
        def on(street, seat):
            return players.win_probability(dataclasses.replace(state, street=street), seat, key)

        return jax.vmap(lambda seat: jax.vmap(lambda street: on(street, seat))(jnp.arange(4)))(jnp.arange(2))

    by_seat = np.asarray(wins(state, jax.random.split(jax.random.key(9), 16)))
    return np.asarray(deals.hole), np.asarray(deals.board), by_seat  # [16, 2, 2], [16, 5], [16, 2, 4]


def test_win_probability_before_the_flop_is_the_table(worked_out):
    hole, _, wins = worked_out
    exact = ranges.preflop_table().equity[ranges.CLASS_OF_COMBO[ranges.combo_index(hole[..., 0], hole[..., 1])]]
    np.testing.assert_allclose(wins[..., 0], exact, rtol=1e-6)


def test_win_probability_on_the_river_is_exact(worked_out):
    """All 990 hands by eval7."""
    hole, board, wins = worked_out
    deck = [eval7.Card(cards.text([card])) for card in range(52)]
    for deal, seat in itertools.product(range(4), range(2)):
        known = [*hole[deal, seat], *board[deal]]
        open_cards, rest = [deck[card] for card in board[deal]], [deck[c] for c in range(52) if c not in known]
        own = eval7.evaluate([deck[card] for card in known])
        others = np.array([eval7.evaluate([*pair, *open_cards]) for pair in itertools.combinations(rest, 2)])
        exact = ((own > others) + 0.5 * (own == others)).mean()
        np.testing.assert_allclose(wins[deal, seat, 3], exact, rtol=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize(("street", "open_cards"), [(1, 3), (2, 4)], ids=["flop", "turn"])
def test_win_probability_on_flop_and_turn_is_the_mean_of_200_deals(worked_out, street, open_cards):
    hole, board, wins = worked_out
    exact = np.asarray(jax.jit(equity.against_random)(hole, board[:, None, :open_cards]))  # [16, 2]
    sigma = np.sqrt(exact * (1 - exact) / 200)
    off = np.abs(wins[..., street] - exact) / sigma
    assert (off <= 4.5).all()
    assert off.mean() > 0.4  # as far off as 200 deals are: 0.8 sigma on the average, less where hands tie
