"""Bet menus: their text, and the chips they come to at real tables."""

from fractions import Fraction
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.games import bets
from jaxpoker.games.bets import Size, parse, parse_size

NINE = ["fold", "check/call", "min raise", "1/4 pot", "1/3 pot", "1/2 pot", "3/4 pot", "pot", "all-in"]

# --- text -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size", "name"),
    [
        ("min", Size("min"), "min raise"),
        ("Min raise", Size("min"), "min raise"),
        ("min-raise", Size("min"), "min raise"),
        ("pot", Size("pot"), "pot"),
        ("100%", Size("pot"), "pot"),
        ("33%", Size("pot", Fraction(33, 100)), "33% pot"),
        ("33% pot", Size("pot", Fraction(33, 100)), "33% pot"),
        ("12.5%", Size("pot", Fraction(1, 8)), "12.5% pot"),
        ("75%", Size("pot", Fraction(3, 4)), "3/4 pot"),
        ("1/3", Size("pot", Fraction(1, 3)), "1/3 pot"),
        ("3/2 pot", Size("pot", Fraction(3, 2)), "3/2 pot"),
        ("2.5x", Size("price", Fraction(5, 2)), "2.5x"),
        (" 4X ", Size("price", Fraction(4)), "4x"),
        ("3bb", Size("big blind", Fraction(3)), "3bb"),
        ("2.2BB", Size("big blind", Fraction(11, 5)), "2.2bb"),
        ("a", Size("all-in"), "all-in"),
        ("all-in", Size("all-in"), "all-in"),
        ("all in", Size("all-in"), "all-in"),
        ("allin", Size("all-in"), "all-in"),
        ("jam", Size("all-in"), "all-in"),
    ],
)
def test_sizes_are_read_and_named(text, size, name):
    assert parse_size(text) == size
    assert size.name == name


@pytest.mark.parametrize("text", ["half", "33", "x", "2.5", "-1x", "1/0", "1/00", "1/3x", "", "2.5 x y", "1e9%"])
def test_what_is_no_size_is_named(text):
    with pytest.raises(ValueError) as error:
        parse_size(text)
    assert str(error.value) == f"unknown bet size {text!r}: sizes look like min, 33%, 1/3, 2.5x, 3bb or a"


@pytest.mark.parametrize("text", ["0%", "0x", "0/5", "0bb", "101x", "10001%", "1000/1"])
def test_sizes_are_above_nothing_and_up_to_a_hundred_times(text):
    with pytest.raises(ValueError, match=f"bet size '{text}' is out of range"):
        parse_size(text)


def test_a_size_finer_than_chips_can_count_is_refused():
    with pytest.raises(ValueError, match=r"'33\.333333%' has too many digits"):
        parse_size("33.333333%")


def test_a_list_is_for_every_street():
    menu = parse("33%, 75%, a")
    assert menu.streets == (tuple(map(parse_size, ("33%", "75%", "a"))),) * 4
    assert menu.max_raises == bets.NO_CAP and menu.may_call
    assert menu.num_actions == 5


def test_streets_may_have_lists_of_their_own_and_a_cap():
    menu = parse(" preflop: 2.5x,4x, a ;postflop: 33% ; Raises: 3;")
    assert menu == bets.menu(tuple(map(parse_size, ("2.5x", "4x", "a"))), (parse_size("33%"),), max_raises=3)
    assert menu.num_actions == 5
    assert [menu.action_name(i, street=0) for i in range(5)] == ["fold", "check/call", "2.5x", "4x", "all-in"]
    assert [menu.action_name(i, street=2) for i in range(3)] == ["fold", "check/call", "33% pot"]
    with pytest.raises(ValueError, match="action 3 is not on this street's menu of 3 actions"):
        menu.action_name(3, street=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no sizes: write a list such as '33%, 75%, a', or one of ['nine', 'solver', 'push/fold']"),
        ("preflop: a", "has no sizes after the flop: write"),
        ("preflop: a; postflop: ,", "has no sizes after the flop: write"),
        ("postflop: 33%", "has no sizes before the flop: write"),
        ("raises: 3", "has no sizes: write"),
        ("33%, half", "unknown bet size 'half': sizes look like min, 33%, 1/3, 2.5x, 3bb or a"),
        ("floop: 33%", "unknown part 'floop' of bet menu 'floop: 33%': parts are preflop, flop, turn, river, postflop"),
        ("preflop: a; flop: a", "has no sizes for turn, river: write"),
        (
            "preflop: a; postflop: a; flop: a; turn: a; river: a",
            "'postflop' is for streets without a list of their own",
        ),
        ("4x@0", "bet size '4x@0': after @ goes a raise of the street, as in 4x@2, 4x@2+ or 4x@1-2"),
        ("4x@3-2", "bet size '4x@3-2': after @ goes a raise of the street, as in 4x@2, 4x@2+ or 4x@1-2"),
        ("a; raises: none", "raises: 'none' is not a number of raises a street, 1 or more"),
        ("a; raises: 0", "raises: '0' is not a number of raises a street, 1 or more"),
        ("a; raises: ²", "raises: '²' is not a number of raises a street, 1 or more"),
        ("a; raises: 2; raises: 3", "says 'raises' twice"),
        ("33%; 75%", "has two lists of sizes for one street"),
        ("a; preflop: 33%", "has two lists of sizes for one street"),
        ("preflop: 33%; a", "has two lists of sizes for one street"),
        ("preflop: 33%; preflop: a", "has two lists of sizes for one street"),
        ("1/2, 50%, a", "bet size '50%' stands twice in '1/2, 50%, a'"),
    ],
)
def test_what_is_wrong_with_a_menu_is_said(text, message):
    with pytest.raises(ValueError) as error:
        parse(text)
    assert message in str(error.value)


def test_the_menu_nine_has_nine_actions():
    menu = parse("Nine")
    assert menu.num_actions == 9
    assert [menu.action_name(i, street) for street in (0, 1) for i in range(9)] == 2 * NINE
    assert menu.max_raises == bets.NO_CAP


def test_games_take_menus_by_name_as_text_or_made():
    for menu in ("solver", "preflop: 2.5x, 4x, a; postflop: 33%, 75%, a; raises: 3", parse("solver")):
        assert jaxpoker.make("holdem", menu=menu) == jaxpoker.make("holdem", menu="solver")
    assert jaxpoker.make("holdem", menu="push/fold").num_actions == 3


# --- chips at real tables ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables():
    """``tables(*to, stacks=…)``: what the player to act faces after those actions, in chips; blinds 1/2."""
    compiled = {}

    def spot_after(*actions, stacks=(200, 200)):
        if len(stacks) not in compiled:
            game = jaxpoker.make("holdem", num_players=len(stacks))
            deal = game.deal(jax.random.key(0))
            start = jax.jit(lambda stacks: game.start(deal, stacks=stacks))
            compiled[len(stacks)] = start, jax.jit(game.act), jax.jit(game.facing)
        start, act, facing = compiled[len(stacks)]
        state = start(jnp.array(stacks))
        for to in actions:
            state = act(state, jnp.int32(to))
            assert not state.terminated
        return facing(state)

    return spot_after


def offers(menu, facing):
    """The legal actions by name, with the chips they go to."""
    menu = parse(menu)
    to, legal = menu(facing)
    street = int(facing.street)
    return {menu.action_name(i, street): int(to[i]) for i in range(menu.num_actions) if legal[i]}


def test_first_in_on_the_button(tables):
    # The pot is 3 and calling costs 1: a pot-size raise is 4 on top of 2.
    assert offers("nine", tables()) == {
        "fold": -1, "check/call": 2, "min raise": 4, "1/2 pot": 4, "3/4 pot": 5, "pot": 6, "all-in": 200
    }  # fmt: skip


def test_the_big_blind_after_a_limp_may_not_fold(tables):
    # The pot is 4 and checking is free.
    assert offers("nine", tables(2)) == {
        "check/call": 2, "min raise": 4, "1/2 pot": 4, "3/4 pot": 5, "pot": 6, "all-in": 200
    }  # fmt: skip


def test_facing_a_raise(tables):
    # 6 against 2: calling 4 makes the pot 12, the minimum is 4 more.
    assert offers("nine", tables(6)) == {
        "fold": -1, "check/call": 6, "min raise": 10, "1/3 pot": 10, "1/2 pot": 12, "3/4 pot": 15, "pot": 18,
        "all-in": 200,
    }  # fmt: skip


def test_bets_on_the_flop_are_rounded_down(tables):
    # 14 chips in the pot.
    assert offers("nine", tables(7, 7)) == {
        "check/call": 0, "min raise": 2, "1/4 pot": 3, "1/3 pot": 4, "1/2 pot": 7, "3/4 pot": 10, "pot": 14,
        "all-in": 193,
    }  # fmt: skip


def test_sizes_below_the_minimum_are_not_on_offer(tables):
    # 4 chips in the pot: a quarter is 1, a third is 1; the smallest bet is 2.
    assert offers("nine", tables(2, 2)) == {
        "check/call": 0, "min raise": 2, "1/2 pot": 2, "3/4 pot": 3, "pot": 4, "all-in": 198
    }  # fmt: skip


def test_sizes_that_take_the_whole_stack_are_left_to_the_all_in(tables):
    assert offers("nine", tables(stacks=(6, 200))) == {
        "fold": -1, "check/call": 2, "min raise": 4, "1/2 pot": 4, "3/4 pot": 5, "all-in": 6
    }  # fmt: skip
    assert offers("nine", tables(stacks=(4, 200))) == {"fold": -1, "check/call": 2, "all-in": 4}
    assert offers("nine", tables(stacks=(3, 200))) == {"fold": -1, "check/call": 2, "all-in": 3}  # less than a raise


def test_against_an_all_in_there_is_no_raise(tables):
    assert offers("nine", tables(200)) == {"fold": -1, "check/call": 200}
    assert offers("nine", tables(50, stacks=(50, 200))) == {"fold": -1, "check/call": 50}
    assert offers("nine", tables(100, stacks=(200, 40))) == {"fold": -1, "check/call": 40}


def test_sizes_in_big_blinds_and_times_the_bet(tables):
    assert offers("1bb, 2bb, 2.5bb, 3.3bb, 1.5x, 2x, 3.25x, a", tables()) == {
        "fold": -1, "check/call": 2, "2bb": 4, "2.5bb": 5, "3.3bb": 6, "2x": 4, "3.25x": 6, "all-in": 200
    }  # fmt: skip
    assert offers("3bb, 2.5x, a", tables(2, 2)) == {"check/call": 0, "3bb": 6, "all-in": 198}  # no bet to multiply


def test_solver_raises_two_and_a_half_and_four_times_before_the_flop(tables):
    assert offers("solver", tables()) == {"fold": -1, "check/call": 2, "2.5x": 5, "4x": 8, "all-in": 200}
    assert offers("solver", tables(5)) == {"fold": -1, "check/call": 5, "2.5x": 12, "4x": 20, "all-in": 200}


def test_solver_bets_33_and_75_percent_after_the_flop(tables):
    # 10 in the pot; then facing 3: calling makes it 16.
    assert offers("solver", tables(5, 5)) == {"check/call": 0, "33% pot": 3, "3/4 pot": 7, "all-in": 195}
    assert offers("solver", tables(5, 5, 3)) == {
        "fold": -1, "check/call": 3, "33% pot": 8, "3/4 pot": 15, "all-in": 195
    }  # fmt: skip


def test_solver_allows_three_raises_a_street_and_blinds_are_none(tables):
    assert "all-in" in offers("solver", tables(5, 12))
    assert offers("solver", tables(5, 12, 30)) == {"fold": -1, "check/call": 30}
    assert "all-in" in offers("solver", tables(5, 12, 30, 30))  # the flop counts anew
    assert "all-in" in offers("solver", tables(5, 12, 30, 30, 10, 30))
    assert offers("solver", tables(5, 12, 30, 30, 10, 30, 60)) == {"fold": -1, "check/call": 60}


def test_push_or_fold_is_all_in_or_nothing(tables):
    assert offers("push/fold", tables(stacks=(20, 20))) == {"fold": -1, "all-in": 20}
    assert offers("push/fold", tables(20, stacks=(20, 20))) == {"fold": -1, "all-in": 20}  # the call
    assert offers("push/fold", tables(20, stacks=(20, 50))) == {"fold": -1, "all-in": 20}
    assert offers("push/fold", tables(50, stacks=(50, 20))) == {"fold": -1, "all-in": 20}


def test_push_or_fold_over_a_jam_with_a_third_player_behind(tables):
    assert offers("push/fold", tables(20, stacks=(20, 50, 50))) == {"fold": -1, "all-in": 50}
    assert offers("push/fold", tables(20, -1, stacks=(20, 50, 50))) == {"fold": -1, "all-in": 20}


@pytest.mark.parametrize("text", ["67%", "33.33%", "99.9%", "47x", "12.37x", "100x", "1/46", "46/47", "47/46"])
def test_large_pots_do_not_overflow(text):
    """Exact up to the largest tables of ten; what is beyond every stack may be anything beyond every stack."""
    size, most = parse_size(text), 4_000_000
    rng = np.random.default_rng(0)
    chips = np.concatenate([rng.integers(1, 10 * most, 500), rng.integers(1, 1000, 500), [10 * most]]).astype(np.int32)
    zeros = jnp.zeros(len(chips), jnp.int32)
    facing = SimpleNamespace(price=jnp.array(chips))
    if size.unit == "pot":
        facing = SimpleNamespace(pot=facing.price, price=zeros, own_bet=zeros)
    to = size.raise_to(facing)
    exact = np.array([int(c * size.factor) for c in chips.tolist()])
    np.testing.assert_array_equal(np.minimum(to, 10 * most), np.minimum(exact, 10 * most))


# --- random play ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def short_stacks():
    """512 tables of three players with 1 to 30 chips and antes of 0 to 2, and the step from one action to the next."""
    game = jaxpoker.make("holdem", num_players=3)
    stacks = jax.random.randint(jax.random.key(1), (512, 3), 1, 31)
    start = jax.vmap(lambda deal, stacks, ante: game.start(deal, stacks=stacks, ante=ante))
    deals = jax.jit(game.deal, static_argnums=1)(jax.random.key(2), (512,))
    state = jax.jit(start)(deals, stacks, jnp.arange(512) % 3)
    return state, jax.jit(jax.vmap(game.act)), jax.jit(jax.vmap(game.facing))


@pytest.mark.parametrize("text", ["nine", "solver", "push/fold", "preflop: 3bb; postflop: 1/2, 2x; raises: 2"])
def test_there_is_always_something_legal_to_do(short_stacks, text):
    """And what is on offer the engine accepts."""
    state, act, facing = short_stacks
    menu = parse(text)

    @jax.jit
    def choose(facing, key):
        to, legal = (jnp.stack(x, axis=-1) for x in menu(facing))
        action = core.random_action(key, legal)
        return legal, jnp.take_along_axis(to, action[:, None], axis=-1)[:, 0]

    seen = np.zeros(menu.num_actions, int)
    for key in jax.random.split(jax.random.key(3), 200):
        live = ~np.asarray(state.terminated)
        if not live.any():
            break
        legal, to = choose(facing(state), key)
        assert np.asarray(legal)[live].any(axis=1).all()
        state = act(state, to)
        assert not np.asarray(state.illegal).any()
        seen += np.asarray(legal)[live].sum(axis=0)
    assert not live.any()
    assert (seen > 0).tolist() == [True, text != "push/fold", *[True] * (menu.num_actions - 2)]


@pytest.mark.thorough
def test_push_or_fold_keeps_the_contract_of_games():
    saw = core.check(jaxpoker.make("holdem", menu="push/fold", stack=20), jax.random.key(0), tables=32)
    assert saw["steps"] <= 2 * saw["games"]


@pytest.mark.parametrize(
    "menu",
    ["nine", "solver", "push/fold", "min, 1/7, 33%, 2.25x, 3bb, a", "preflop: 3x, a; postflop: pot, a; raises: 4"],
)
def test_a_menu_is_read_back_from_its_text(menu):
    assert bets.parse(bets.parse(menu).text) == bets.parse(menu)


def test_each_street_may_have_sizes_of_its_own():
    menu = parse("preflop: 3x; turn: 50%, a; postflop: 33%; raises: 2")
    assert [[size.text for size in sizes] for sizes in menu.streets] == [["3.0x"], ["33%"], ["50%", "a"], ["33%"]]
    assert parse(menu.text) == menu


def test_a_size_may_be_for_some_raises_of_a_street():
    """Opens of 2.5 big blinds, 3-bets to four times that, then 2.2 times or all-in."""
    menu = parse("preflop: 2.5x@1, 4x@2, 2.2x@3+, a@3-4; postflop: a")
    assert [size.text for size in menu.streets[0]] == ["2.5x@1", "4.0x@2", "2.2x@3+", "a@3-4"]
    assert parse(menu.text) == menu and menu.action_name(3, street=0) == "4x"
    game = jaxpoker.make("holdem", menu=menu.text, stack=20_000, small_blind=50, big_blind=100)
    state, offered = game.init(jax.random.key(0)), []
    for to in (250, 1_000, 2_200, 4_840, 10_648):
        legal = np.asarray(state.legal_action_mask)[2:]
        offered.append([size.text for size, may in zip(menu.streets[0], legal, strict=True) if may])
        state = game.act(state, to)
    assert offered == [["2.5x@1"], ["4.0x@2"], ["2.2x@3+", "a@3-4"], ["2.2x@3+", "a@3-4"], ["2.2x@3+"]]
