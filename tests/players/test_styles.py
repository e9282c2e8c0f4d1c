"""The tight-aggressive and the loose-aggressive player: every line of their rules."""

import dataclasses
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, players, ranges
from jaxpoker.games.holdem.table import Deal
from jaxpoker.players import Player, styles

GAME = jaxpoker.make("holdem", stack=1000, small_blind=5, big_blind=10)  # heads-up; seat 0 has the button
DRAWS = 1000
LIMPED = (10, 10)
DRY = "Kc8d3h"  # a flop


@pytest.fixture(scope="module")
def table(play_out):
    """``table(*to, hand=…, board=…)``: after those actions; the seat to act holds the hand."""
    start, act = jax.jit(GAME.start), jax.jit(GAME.act)

    def after(*actions, hand="7c2d", board=DRY):
        shown = cards.parse(board)
        rest = [card for card in range(52) if card not in cards.parse(hand) and card not in shown]
        deal = Deal.of(np.array([rest[:2], rest[2:4]]), np.array([*shown, *rest[4 : 9 - len(shown)]]))
        state = play_out(act, start(deal), actions)
        hole = np.array([rest[:2], rest[2:4]])
        hole[int(state.current_player)] = cards.parse(hand)
        return dataclasses.replace(state, deal=Deal.of(hole, deal.board))

    return after


@pytest.fixture(scope="module")
def chips(chips_of):
    """``chips(name, state)``: [DRAWS] what that player goes to, with as many keys."""
    return chips_of(GAME, players.STYLES, DRAWS)


# --- starting hands ---------------------------------------------------------------------------


@pytest.mark.parametrize(("percent", "combos"), [(3, 39), (10, 132), (20, 265), (30, 397), (60, 795), (100, 1326)])
def test_a_top_part_of_the_hands_is_exact(percent, combos):
    taken = styles.standing() <= np.float32(percent / 100)
    weights = ranges.top(percent)
    assert taken.sum() == combos == math.floor(percent / 100 * 1326)
    assert taken[weights == 1].all() and not taken[weights == 0].any()


def test_the_share_of_hands_that_come_in_for_the_small_blind():
    """All 1,326 hands on the button: the TAG comes in with 265, the LAG with 795, every one of them or none."""
    state = jax.jit(GAME.init)(jax.random.key(1))

    @jax.jit
    def comes_in(combos):
        def one(hand):
            there = GAME.with_hand(state, 0, hand)
            names = players.STYLES
            return [players.make(name, GAME).act(None, (), GAME, there, jax.random.key(2))[0] for name in names]

        return [to >= 0 for to in jax.vmap(one)(combos)]

    tag, lag = map(np.asarray, comes_in(jnp.asarray(ranges.COMBOS)))
    assert (tag.sum(), lag.sum()) == (265, 795) and lag[tag].all()


TAG_BEFORE = {
    "the top 3% raise by the pot": ("QcQd", (), 30),
    "the top 3% raise a raise": ("QcQd", (30,), 90),
    "the top 3% raise a re-raise": ("QcQd", (30, 90), 270),
    "the top 3% go all-in": ("QcQd", (30, 90, 270, 810), 1000),
    "the top 10% raise by the pot": ("AcTc", (), 30),
    "the top 10% raise a limp": ("AcTc", (10,), 30),
    "the top 10% raise a raise": ("AcTc", (30,), 90),
    "the top 10% call a re-raise": ("AcTc", (30, 90), 90),
    "the top 20% limp": ("QcTc", (), 10),
    "the top 20% check the big blind": ("QcTc", (10,), 10),
    "the top 20% call a raise": ("QcTc", (30,), 30),
    "the top 20% fold to a re-raise": ("QcTc", (30, 90), -1),
    "any other folds the small blind": ("7c2d", (), -1),
    "any other checks the big blind": ("7c2d", (10,), 10),
    "any other folds to a raise": ("Jc8d", (20,), -1),
}


@pytest.mark.parametrize(("hand", "actions", "to"), TAG_BEFORE.values(), ids=TAG_BEFORE)
def test_the_tag_before_the_flop(table, chips, hand, actions, to):
    assert set(chips("tag", table(*actions, hand=hand)).tolist()) == {to}


def sizes(*raise_to, share=1.0):
    return dict.fromkeys(raise_to, share / len(raise_to))


LAG_BEFORE = {
    "the top 10% raise by any of its sizes": ("AcTc", (40,), sizes(70, 93, 120, 200)),
    "the top 10% raise a re-raise": ("AcTc", (40, 120), sizes(200, 280, 360, 600)),
    "the top 30% raise a raise": ("QcTc", (40,), sizes(70, 93, 120, 200)),
    "the top 30% call a re-raise": ("QcTc", (40, 120), {120: 1}),
    "the top 60% raise half the time": ("Jc8d", (), {10: 0.5, **sizes(20, 23, 30, 50, share=0.5)}),
    "the top 60% call a raise": ("Jc8d", (40,), {40: 1}),
    "the top 60% fold to a re-raise": ("Jc8d", (40, 120), {-1: 1}),
    "any other folds": ("7c2d", (), {-1: 1}),
    "any other checks": ("7c2d", (10,), {10: 1}),
}


@pytest.mark.parametrize(("hand", "actions", "shares"), LAG_BEFORE.values(), ids=LAG_BEFORE)
def test_the_lag_before_the_flop(table, chips, hand, actions, shares, require_shares):
    require_shares(chips("lag", table(*actions, hand=hand)), shares)


# --- all-ins, and more than one opponent ------------------------------------------------------


@pytest.fixture(scope="module")
def percent():
    """``percent(seats, to, …)``: with how many percent of all hands the TAG and the LAG stay in after those actions."""

    @functools.cache
    def of(seats):
        game = jaxpoker.make("holdem", num_players=seats, stack=1000, small_blind=5, big_blind=10)
        two = [players.make(name, game) for name in players.STYLES]

        @jax.jit
        def stays(state):
            def one(hand):
                there = game.with_hand(state, state.current_player, hand)
                return [player.act(None, (), game, there, jax.random.key(2))[0] >= 0 for player in two]

            return [held.mean() for held in jax.vmap(one)(jnp.asarray(ranges.COMBOS))]

        return game, jax.jit(game.init)(jax.random.key(1)), jax.jit(game.act), stays

    def percent(seats, *actions):
        _, state, act, stays = of(seats)
        for to in actions:
            state = act(state, to)
        return dict(zip(players.STYLES, (100 * float(held) for held in stays(state)), strict=True))

    return percent


def test_an_open_shove_of_100_big_blinds_is_called_with_few_hands(percent):
    called = percent(2, 1000)
    assert 4 < called["tag"] < 7 and 10 < called["lag"] < 18
    assert percent(2, 120) == pytest.approx({"tag": 20, "lag": 60}, abs=0.1)  # 12 big blinds, as any raise


def test_a_shove_over_ones_own_raise_is_called_with_more_hands_than_an_open_one(percent):
    """The TAG calls a re-raise with a tenth of its hands, and the pot is large by then."""
    assert percent(2, 400, 1000)["lag"] > percent(2, 1000)["lag"]


def test_two_shoves_are_called_with_fewer_hands_than_one(percent):
    one, two = percent(6, 1000, -1, -1, -1, -1), percent(6, 1000, 1000, -1, -1, -1)
    for name in players.STYLES:
        assert two[name] < one[name]


def test_more_hands_are_opened_the_fewer_opponents_are_left(percent):
    opened = [percent(6, *[-1] * folds) for folds in range(5)]
    for name, most in (("tag", 20), ("lag", 60)):
        shares = [each[name] for each in opened]
        assert shares == sorted(shares) and len(set(shares)) == 5
        assert shares[0] < 0.6 * most and shares[-1] == pytest.approx(most, abs=0.1)  # small against big blind
    assert percent(10)["lag"] < opened[0]["lag"]


def test_bluffs_are_rare_against_several_opponents(chips_of):
    game = jaxpoker.make("holdem", num_players=4, stack=1000, small_blind=5, big_blind=10)
    deal = Deal.of(
        np.array([cards.parse(hand) for hand in ("AdQs", "7h6h", "5c4c", "9d9s")]), cards.parse(f"{DRY}2s2h")
    )
    state = game.start(deal)
    for to in (10, 10, 10, 10):
        state = game.act(state, to)
    drawn = chips_of(game, players.STYLES, DRAWS)("lag", state)  # the small blind has missed
    assert abs((drawn > 0).mean() - 0.6**3) < 0.06


# --- how a hand fits the board ----------------------------------------------------------------

FITS = {  # hand, board: hit, strong
    "a pair of the board's highest": ("KdQs", DRY, True, False),
    "a pair of the board's lowest": ("3d4s", DRY, True, False),
    "an overpair": ("AdAs", DRY, True, False),
    "a pair below the board's highest": ("QdQs", DRY, False, False),
    "no pair": ("AdQs", DRY, False, False),
    "two pair": ("Kd8s", DRY, True, True),
    "a set": ("8h8s", DRY, True, True),
    "an own card in the board's pair": ("KdQs", "KcKh3d", True, True),
    "the board's pair": ("AdQs", "KcKh3d", False, False),
    "a low pair with the board's pair": ("2d2s", "KcKh3d", False, False),
    "a pair that makes another two pair of the board's": ("AdQs", "KcKh3d3sAc", True, False),
    "the board's trips": ("AdQs", "KcKhKs", False, False),
    "a straight": ("7d6s", "5c8h9d", True, True),
    "the wheel": ("Ad5s", "2c3h4d", True, True),
    "the board's straight": ("AdKs", "5c6h7d8s9c", False, False),
    "a flush": ("AhQh", "3h7h9h", True, True),
    "the board's flush": ("AdKd", "3h7h9hJhQh", False, False),
    "four to a flush": ("AhQh", "3h7h9c", True, False),
    "four to a flush with one card": ("AhQd", "3h7h9h", True, False),
    "four to a flush, all of them the board's": ("AdQd", "3h7h9hJh", False, False),
    "four to a flush on the river": ("AhQh", "3h7h9c2d4s", False, False),
    "an open straight": ("JdTs", "9c8h2d", True, False),
    "a straight open inside at two ranks": ("9d8s", "5c7hJd", True, False),
    "a straight open inside at one rank": ("JdTs", "9c7h2d", False, False),
    "a straight open at one end": ("AdKs", "QcJh2d", False, False),
    "an open straight, all of it the board's": ("AdAs", "5c6h7d8s", True, False),
    "an open straight, all of it the board's, without a pair": ("AdKs", "5c6h7d8s", False, False),
    "an open straight on the river": ("JdTs", "9c8h2d2c3c", False, False),
}


def test_hits_and_strong_hands():
    padded = [[*cards.parse(board), *[cards.NO_CARD] * 5][:5] for _, board, *_ in FITS.values()]
    hole, board = jnp.array([cards.parse(hand) for hand, *_ in FITS.values()]), jnp.array(padded)
    columns = ([hole[:, i] for i in range(2)], [board[:, i] for i in range(5)])
    found = jax.jit(styles.fit)(*columns, board[:, 4] == cards.NO_CARD)
    hit, strong = (dict(zip(FITS, np.asarray(x).tolist(), strict=True)) for x in found)
    assert hit == {name: case[2] for name, case in FITS.items()}
    assert strong == {name: case[3] for name, case in FITS.items()}


# --- after the flop ---------------------------------------------------------------------------

AFTER = {  # hand, actions after a limped flop: what the TAG goes to, and the LAG
    "strong: bets": ("Kd8s", (), {20: 1}, sizes(10, 13, 20, 40)),
    "strong: raises": ("Kd8s", (30,), {110: 1}, sizes(60, 83, 110, 190)),
    "hit: bets half the pot": ("KdQs", (), {10: 1}, sizes(10, 13, 20, 40)),
    "hit: calls": ("KdQs", (30,), {30: 1}, {30: 0.7, **sizes(60, 83, 110, 190, share=0.3)}),
    "missed: checks": ("AdQs", (), {0: 1}, {0: 0.4, **sizes(10, 13, 20, 40, share=0.6)}),
    "missed: folds": ("AdQs", (30,), {-1: 1}, {-1: 0.8, **sizes(60, 83, 110, 190, share=0.2)}),
}


@pytest.mark.parametrize(("hand", "actions", "tag", "lag"), AFTER.values(), ids=AFTER)
def test_after_the_flop(table, chips, hand, actions, tag, lag, require_shares):
    state = table(*LIMPED, *actions, hand=hand)
    require_shares(chips("tag", state), tag)
    require_shares(chips("lag", state), lag)


# --- whole hands ------------------------------------------------------------------------------


@pytest.mark.thorough
def test_they_act_legally_and_on_what_they_see():
    both = [players.make(name, GAME) for name in players.STYLES]

    def act(params, memory, game, state, key):
        draw_key, key = jax.random.split(key)
        to = jnp.stack([player.act(None, (), game, state, key)[0] for player in both])
        return to[jax.random.bernoulli(draw_key).astype(int)], to

    mixed = Player("tag or lag", act, init_memory=lambda params: jnp.zeros(2, jnp.int32))
    assert players.check(mixed, None, GAME, jax.random.key(3), tables=64) > 64
    for name in players.STYLES:
        with pytest.raises(ValueError, match=f"player '{name}' plays holdem, not leduc"):
            players.make(name, jaxpoker.make("leduc"))
