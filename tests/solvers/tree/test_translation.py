"""Bets of a real table on a tree with few sizes: every edge of the translation."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games import bets
from jaxpoker.solvers import tree
from jaxpoker.solvers.tree import NONE, lines, replay, translation

SIZES = np.asarray([np.inf, 0, 0.33, 0.75, 4.0], np.float32)  # fold, check, two bets, all-in
CHECK, THIRD, THREE_QUARTERS, ALL_IN = 1, 2, 3, 4
NEVER, ALWAYS = np.float32(0), np.float32(1 - 2**-24)  # the least and the most luck that there is

translate = jax.jit(translation.translate)


# --- one bet ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [(0.0, 0.33), (0.33, 0.75), (0.75, 4.0), (1.0, 40.0)])
def test_the_mapping_is_ganzfried_and_sandholms(a, b):
    assert translation.pseudo_harmonic(a, b, a) == 1
    assert translation.pseudo_harmonic(a, b, b) == 0
    even = (a + b + 2 * a * b) / (a + b + 2)  # where both are as likely, by the paper
    assert translation.pseudo_harmonic(a, b, even) == pytest.approx(0.5)
    x = np.linspace(a, b, 50)
    assert (np.diff(translation.pseudo_harmonic(a, b, x)) < 0).all()


def test_a_pot_sized_bet_between_a_half_and_a_double_pot():
    assert translation.pseudo_harmonic(0.5, 2, 1) == pytest.approx(0.5)
    assert translation.pseudo_harmonic(0.5, 1, 0.75) == pytest.approx(3 / 7)


@pytest.mark.parametrize(
    ("bet", "unlucky", "lucky"),
    [
        (0.33, THIRD, THIRD),  # exactly on a size
        (0.75, THREE_QUARTERS, THREE_QUARTERS),
        (4.0, ALL_IN, ALL_IN),
        (0.5, THIRD, THREE_QUARTERS),  # between two: either
        (2.0, THREE_QUARTERS, ALL_IN),
        (0.1, CHECK, THIRD),  # below the smallest bet: a check or that bet
        (9.0, ALL_IN, ALL_IN),  # above the largest: the largest
    ],
)
def test_a_bet_is_one_of_the_sizes_next_to_it(bet, unlucky, lucky):
    assert translate(SIZES, np.float32(bet), NEVER) == unlucky
    assert translate(SIZES, np.float32(bet), ALWAYS) == lucky


def test_where_no_check_is_on_offer_a_tiny_bet_is_the_smallest():
    facing = np.where(SIZES == 0, np.inf, SIZES)
    for luck in (NEVER, ALWAYS):
        assert translate(facing, np.float32(0.01), luck) == THIRD


def test_without_any_size_there_is_none():
    assert translate(np.full(5, np.inf, np.float32), np.float32(0.5), NEVER) == NONE


def test_each_size_is_read_as_often_as_the_formula_says():
    luck = jnp.linspace(0, 1, 4001)[:-1]
    read = jax.vmap(lambda luck: translate(SIZES, jnp.float32(0.5), luck))(luck)
    share = float((read == THIRD).mean())
    assert share == pytest.approx((0.75 - 0.5) * 1.33 / (0.42 * 1.5), abs=1e-3)
    assert float((read == THREE_QUARTERS).mean()) == pytest.approx(1 - share, abs=1e-6)


# --- whole hands ------------------------------------------------------------------------------

MENU = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"
BTN, BB = 0, 1


@pytest.fixture(scope="module")
def small():
    """40 big blinds, one size and all-in, two raises a street."""
    return tree.build(jaxpoker.make("holdem", menu=MENU, stack=400, small_blind=5, big_blind=10))


@pytest.fixture(scope="module")
def real():
    """The table: any chips may be bet; stacks, blinds and button come with the hand."""
    return jaxpoker.make("holdem", small_blind=5, big_blind=10, max_log=24)


@functools.partial(jax.jit, static_argnums=0)
def started(game, stacks, button, blinds):
    return game.start(game.deal(jax.random.key(0)), stacks, button, blinds[0], blinds[1])


acted = functools.partial(jax.jit, static_argnums=0)(lambda game, state, to: game.act(state, to))
read_on, has_answer = jax.jit(translation.read_on), jax.jit(translation.has_answer)


@pytest.fixture(scope="module")
def place(small, real):
    """``place([25, 25, ...])``: what betting, chips "to", is on the tree: a sequence, or None without an answer."""
    betting = translation.reader(small)

    def of(chips, stacks=(400, 400), button=0, blinds=(5, 10), key=None):
        state = started(real, jnp.asarray(stacks), button, jnp.asarray(blinds))
        for to in chips:
            state = acted(real, state, np.int32(to))
            assert not state.terminated
        trail = read_on(betting, state, translation.unread(), key)
        if not has_answer(betting, state, trail):
            return None
        return lines.sequence_of(small, int(trail.node))

    return of


def keys():
    return jax.random.split(jax.random.key(5), 24)


@pytest.mark.thorough
def test_a_hand_on_the_tree_is_found_at_every_decision(small):
    nodes = small.decisions()
    game, betting = small.game, translation.reader(small)

    @jax.jit
    @jax.vmap
    def found(path, key):
        state = replay(game, path, game.deal(key))
        trail = translation.read_on(betting, state, translation.unread(), key)
        return trail.node, has_answer(betting, state, trail)

    node, answers = found(small.paths(nodes), jax.random.split(jax.random.key(1), len(nodes)))
    np.testing.assert_array_equal(node, nodes)
    assert answers.all()


def test_other_chips_and_the_other_button_change_nothing(place):
    assert place([25, 25, 0, 37]) == "r25c/cr37"
    assert place([50, 50, 0, 74], stacks=(800, 800), blinds=(10, 20)) == "r25c/cr37"
    assert place([25, 25, 0, 37], button=1) == "r25c/cr37"


def test_a_min_raise_before_the_flop_is_a_limp_or_the_smallest_raise(place):
    assert {place([20], key=key) for key in keys()} == {"c", "r25"}


def test_without_a_key_it_is_the_likelier_of_both(place):
    assert place([20]) == "r25"  # half the pot: a limp with probability 2/9
    assert place([25, 25, 10]) == "r25c/c"  # a fifth of the pot: a check with probability 0.61


def test_a_small_raise_may_be_read_as_a_call_which_the_reader_owes(place):
    """Facing a bet of 37 a raise to 74 is 30% of the pot, below the only size: it is that size, or a call. A call ends
    the street of the tree, so that the tree has no answer until the reader has called at the table.
    """
    assert {place([25, 25, 0, 37, 74], key=key) for key in keys()} == {"r25c/cr37r130", None}
    assert {place([25, 25, 0, 37, 74, 74], key=key) for key in keys()} == {"r25c/cr37r130c/", "r25c/cr37c/"}
    assert {place([25, 25, 0, 37, 74, 74, 0], key=key) for key in keys()} == {"r25c/cr37r130c/c", "r25c/cr37c/c"}


def test_a_small_raise_where_the_tree_has_all_in_alone_is_mostly_a_call(real):
    """The big blind raises 25 to 50, half of the pot. All-in is 7.5 pots: it is read as a call in 62% of the hands."""
    game = jaxpoker.make("holdem", menu="preflop: 2.5x@1, a; postflop: 75%, a", stack=400, small_blind=5, big_blind=10)
    raised_once = tree.build(game)
    betting = translation.reader(raised_once)
    state = started(real, jnp.asarray((400, 400)), 0, jnp.asarray((5, 10)))
    for to in (25, 50, 50):
        state = acted(real, state, np.int32(to))
    read = jax.vmap(lambda key: translation.read_on(betting, state, translation.unread(), key).node)
    nodes = np.asarray(read(jax.random.split(jax.random.key(3), 2_000)))
    flop = lines.node_of(raised_once, "r25c/")
    ended = int(raised_once.following()[lines.node_of(raised_once, "r25a"), bets.CALL])
    assert set(nodes.tolist()) == {flop, ended}
    assert np.mean(nodes == flop) == pytest.approx((7.5 - 0.5) / (7.5 * 1.5), abs=0.04)


def test_a_bet_between_two_sizes_is_either(place):
    assert {place([25, 25, 150], key=key) for key in keys()} == {"r25c/r37", "r25c/a"}


def test_all_in_is_all_in(place):
    assert {place([400], key=key) for key in keys()} == {"a"}
    assert {place([25, 400], key=key) for key in keys()} == {"r25a"}


def test_more_than_everything_on_the_tree_is_all_in(place):
    assert {place([900], stacks=(1000, 1000), key=key) for key in keys()} == {"a"}


def test_chips_that_the_other_cannot_match_do_not_count(place):
    """All-in for 1,000 against a stack of 25 is a raise to 25."""
    assert {place([400], stacks=(400, 26), key=key) for key in keys()} <= {"r25", "a"}
    assert place([400], stacks=(400, 26)) == "r25"


def test_a_raise_too_many_takes_the_raiser_back_to_what_it_faced(place):
    """BB has made the second raise, the tree has no third: BB answers the first once more."""
    assert place([25, 62]) == "r25r62"
    assert place([25, 62, 160]) == "r25"
    assert place([25, 62, 160, 400]) == "r25r62"  # ... and so on: three quarters of the pot once more


def test_who_has_not_faced_a_bet_has_no_way_back(small):
    """After a limp the big blind goes all-in: were it raised, it could not go back to where a check was free."""
    back = translation.reader(small).back
    assert back[lines.node_of(small, "ca")] == NONE
    assert back[lines.node_of(small, "r25r62")] == lines.node_of(small, "r25")


def test_all_in_on_the_tree_but_not_at_the_table_leaves_no_answer(place):
    """390 of 400 is read as all-in; after the call there is nothing more on the tree, but ten chips at the table."""
    assert place([390]) == "a"
    assert place([390, 390]) is None


def test_actions_that_the_log_does_not_hold_leave_no_answer(small, real):
    betting = translation.reader(small)
    state = acted(real, started(real, jnp.asarray((400, 400)), 0, jnp.asarray((5, 10))), np.int32(25))
    for actions, answers in ((1, True), (real.max_log + 1, False)):
        hand = state.replace(num_acted=jnp.int32(actions))
        trail = read_on(betting, hand, translation.unread(), None)
        assert bool(has_answer(betting, hand, trail)) == answers


def test_what_was_read_stays_read(small, real):
    """A bet is the same size at all later decisions of the hand, whatever key comes with them."""
    betting = translation.reader(small)
    state = acted(real, started(real, jnp.asarray((400, 400)), 0, jnp.asarray((5, 10))), np.int32(20))
    flop = acted(real, acted(real, state, np.int32(20)), np.int32(0))
    for key in keys():
        first = read_on(betting, state, translation.unread(), key)
        for later in jax.random.split(key, 3):
            second = read_on(betting, flop, first, later)
            after = lines.sequence_of(small, int(first.node)) + "c/c"
            assert lines.sequence_of(small, int(second.node)) == after


def test_the_readers_own_choice_is_not_translated(small, real):
    """It meant its 2.5 x, whatever the chips look like to others."""
    betting = translation.reader(small)
    state = acted(real, started(real, jnp.asarray((400, 400)), 0, jnp.asarray((5, 10))), np.int32(300))
    meant = translation.unread()._replace(planned=jnp.int32(2))
    trail = read_on(betting, state, meant, None)
    assert lines.sequence_of(small, int(trail.node)) == "r25"
    assert trail.planned == NONE
