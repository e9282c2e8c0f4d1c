"""Hold'em's rules, told as facts, and what its players see. PokerKit is the oracle in test_pokerkit.py."""

import functools

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, core, ranges
from jaxpoker.games import bets
from jaxpoker.games.holdem import table as holdem_table
from jaxpoker.games.holdem.table import Deal

FOLD = -1
HANDS = {2: "AsAh KdKc", 3: "AsAh KdKc QhQd", 4: "AsAh KdKc QhQd JsJh"}
BOARD = "2c 7d 9h 3s 4d"


@functools.cache
def game(num_players=2, **rules):
    return jaxpoker.make("holdem", num_players=num_players, **rules)


@functools.cache
def jitted(name, num_players=2):
    """A function of the game, compiled once; the rules are those of the state that it gets."""
    return jax.jit(getattr(game(num_players), name))


@functools.cache
def starter(num_players, **rules):
    table = game(num_players, **rules)
    return jax.jit(
        lambda hole, board, stacks, button, money: table.start(Deal.of(hole, board), stacks, button, **money)
    )


def start(stacks, hands=None, board=BOARD, button=0, small_blind=1, big_blind=2, ante=0, **rules):
    """A table with these stacks; the first seat's hand beats the second's, and so on, unless told otherwise."""
    hole = np.stack([cards.parse(hand) for hand in (hands or HANDS[len(stacks)]).split()])
    money = {"small_blind": small_blind, "big_blind": big_blind, "ante": ante}
    return starter(len(stacks), **rules)(hole, cards.parse(board), np.asarray(stacks), button, money)


def facing(state):
    """What the player to act faces."""
    return jitted("facing", len(state.seats))(state)


def play(state, *actions):
    """Each action is chips "to"; asserts that none is illegal."""
    act = jitted("act", len(state.seats))
    for to in actions:
        state = act(state, to)
        assert not state.illegal, f"to {to} is illegal"
    return state


# --- order and streets ----------------------------------------------------------------------


def test_heads_up_the_button_posts_the_small_blind_and_acts_first_before_the_flop():
    state = start([200, 200], button=1)
    assert state.bets.tolist() == [2, 1]
    assert state.current_player == 1


def test_big_blind_acts_first_after_the_flop():
    state = play(start([200, 200]), 2, 2)
    assert state.street == holdem_table.FLOP and state.current_player == 1
    assert state.bets.tolist() == [0, 0] and state.pot == 4


def test_big_blind_has_the_option_to_raise_a_limp():
    state = play(start([200, 200]), 2)
    assert state.current_player == 1 and not state.terminated
    assert play(state, 6).current_player == 0


def test_three_players_act_left_of_the_big_blind_then_left_of_the_button():
    state = start([200, 200, 200], button=0)
    assert state.bets.tolist() == [0, 1, 2] and state.current_player == 0
    state = play(state, 2, 2, 2)
    assert state.street == holdem_table.FLOP and state.current_player == 1


def test_folded_seats_are_passed_over():
    state = play(start([200, 200, 200, 200], button=0), FOLD, 4, FOLD, 4)
    assert state.street == holdem_table.FLOP and state.current_player == 2
    assert play(state, 0).current_player == 0


def test_the_board_is_shown_street_by_street():
    state = start([200, 200])
    assert cards.text(state.board) == ""
    for shown in (3, 4, 5):
        state = play(state, *([2, 2] if shown == 3 else [0, 0]))
        assert cards.text(state.board) == cards.text(cards.parse(BOARD)[:shown])


def test_empty_seats_get_no_cards_and_no_blinds():
    state = start([200, 0, 200, 0], button=0)
    assert state.bets.tolist() == [1, 0, 2, 0] and state.folded.tolist() == [False, True, False, True]
    assert state.current_player == 0
    assert play(state, 2, 2).current_player == 2


def test_heads_up_with_the_button_on_an_empty_seat_the_next_seat_has_it():
    state = start([0, 100, 100], button=0)
    assert state.button == 1 and state.bets.tolist() == [0, 1, 2] and state.current_player == 1
    assert play(state, 2, 2).current_player == 2


# --- raises -----------------------------------------------------------------------------------


def test_a_raise_is_at_least_the_last_raise():
    state = play(start([200, 200]), 10)
    assert facing(state).min_raise_to == 18
    assert facing(play(state, 30)).min_raise_to == 50


def test_the_minimum_raise_starts_anew_on_each_street():
    state = play(start([200, 200]), 10, 30, 30)
    assert facing(state).min_raise_to == 2


def test_one_short_all_in_does_not_reopen_the_betting():
    state = play(start([500, 500, 130], button=0), 100, 100, 130)
    here = facing(state)
    assert state.current_player == 0 and here.to_call == 30 and not here.may_raise


def test_short_all_ins_that_add_up_to_a_full_raise_reopen_it():
    state = play(start([210, 500, 500, 150], button=3), 100, 150, 210, 210)
    here = facing(state)
    assert state.current_player == 2 and here.to_call == 110 and here.may_raise


def test_nobody_raises_players_who_are_all_in():
    state = play(start([200, 50]), 50)
    assert not facing(state).may_raise
    state = play(start([50, 200]), 50)
    assert not facing(state).may_raise
    assert not state.legal_action_mask[2:].any()


def test_a_raise_that_puts_a_player_all_in_must_be_answered():
    state = play(start([200, 200]), 200)
    assert not state.terminated and state.current_player == 1


def test_behind_a_short_big_blind_the_price_is_the_largest_bet_and_in_the_casino_the_blind():
    stacks = [200, 200, 3]
    short = start(stacks, button=0, small_blind=5, big_blind=10)
    casino = start(stacks, button=0, small_blind=5, big_blind=10, casino_blind=True)
    assert facing(short).to_call == 5
    assert facing(casino).to_call == 10


# --- who wins what --------------------------------------------------------------------------


def test_the_better_hand_wins_the_pot():
    state = play(start([200, 200]), 2, 2, *[0] * 6)
    assert state.terminated and state.showdown
    assert state.stacks.tolist() == [202, 198] and state.rewards.tolist() == [1, -1]


def test_a_fold_wins_the_pot_without_a_showdown_and_uncalled_chips_go_back():
    state = play(start([200, 200]), 50, FOLD)
    assert state.terminated and not state.showdown
    assert state.stacks.tolist() == [202, 198]


def test_uncalled_chips_go_back_at_a_showdown():
    state = play(start([50, 200], hands="KdKc AsAh"), 50, 50)
    assert state.stacks.tolist() == [0, 250]
    state = play(start([200, 50], hands="KdKc AsAh"), 200, 50)
    assert state.stacks.tolist() == [150, 100] and state.rewards.tolist() == [-25, 25]


def test_side_pots_go_to_the_best_hand_that_paid_for_them():
    state = play(start([20, 60, 100], button=0), 20, 60, 60)
    assert state.stacks.tolist() == [60, 80, 40]


def test_the_odd_chip_goes_to_the_first_winner_left_of_the_button():
    hands, board = "AsAh KdKc AdAc", "2c 7d 9h 3s 4d"
    state = play(start([100, 100, 100], hands, board, button=0, small_blind=1, big_blind=2), 25, FOLD, 25, *[0] * 6)
    assert state.stacks.tolist() == [100, 99, 101]


def test_antes_are_posted_first_and_count_in_the_pot():
    state = start([200, 200], ante=5)
    assert state.pot == 13 and state.bets.tolist() == [1, 2]
    assert play(state, 2, 2, *[0] * 6).stacks.tolist() == [207, 193]


def test_blinds_alone_can_decide_a_hand():
    state = start([1, 200], small_blind=1, big_blind=2)
    assert state.terminated and state.stacks.tolist() == [2, 199]


def test_rewards_are_big_blinds_and_come_once():
    state = play(start([200, 200], small_blind=5, big_blind=10), FOLD)
    assert state.rewards.tolist() == [-0.5, 0.5]
    again = jitted("act")(state, 2)
    assert again.rewards.tolist() == [0, 0] and again.stacks.tolist() == state.stacks.tolist()


# --- illegal actions --------------------------------------------------------------------------


@pytest.mark.parametrize("to", [0, 1, 3, 201, 10_000])
def test_an_illegal_amount_forfeits_the_stack(to):
    state = jitted("act")(start([200, 150]), to)
    assert state.terminated and state.illegal
    assert state.stacks.tolist() == [0, 350] and state.rewards.tolist() == [-100, 100]


def test_a_fold_that_nobody_asked_for_is_illegal():
    assert jitted("act")(play(start([200, 200]), 2), FOLD).illegal


def test_others_dealt_in_share_a_forfeited_stack_with_the_odd_chip_to_the_first():
    state = jitted("act", 3)(start([201, 100, 100], button=0), 3)
    assert state.stacks.tolist() == [0, 201, 200]


@pytest.mark.parametrize("action", [-1, 9, 1000])
def test_an_action_off_the_menu_is_illegal(action):
    assert jitted("step")(start([200, 200]), action).illegal


def test_nearest_legal_never_is_illegal():
    state = start([200, 200])
    for wanted, given in ((-5, -1), (0, 2), (2, 2), (3, 2), (4, 4), (150, 150), (999, 200)):
        assert jitted("nearest_legal")(state, wanted) == given
    assert jitted("nearest_legal")(play(state, 2), -1) == 2


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ({"num_players": 11}, "num_players = 11"),
        ({"num_players": 1}, "2 to 10 players"),
        ({"stack": 0}, "stack = 0"),
        ({"stack": 10**9}, "stack = 1000000000"),
        ({"small_blind": 3, "big_blind": 2}, "blinds 3/2"),
        ({"ante": -1}, "ante = -1"),
        ({"menu": "33%, huge"}, "unknown bet size 'huge'"),
        ({"max_log": 0}, "max_log = 0"),
        ({"max_log": float("nan")}, "max_log = nan: the log holds 1 to 4,096 actions, a whole number"),
        ({"max_log": 10**9}, "max_log = 1000000000"),
        ({"num_players": 2.5}, "num_players = 2.5: hold'em is for 2 to 10 players, a whole number"),
        ({"num_players": True}, "num_players = True"),
        ({"menu": None}, "menu = None: a menu is a text such as"),
        ({"casino_blind": 1}, "casino_blind = 1: it is True or False"),
        (
            {"stack": 100, "small_blind": 0.5, "big_blind": 1},
            "small_blind = 0.5: chips are whole numbers: use stack=200, small_blind=1, big_blind=2$",
        ),
        ({"ante": 0.5}, "ante = 0.5: chips are whole numbers: use stack=400, small_blind=2, big_blind=4, ante=1"),
        ({"big_blind": 2.5}, "big_blind = 2.5: chips are whole numbers: use stack=400, small_blind=2, big_blind=5"),
        ({"stack": 2.5}, "stack = 2.5: chips are whole numbers: use stack=5, small_blind=2, big_blind=4"),
        ({"stack": 3e6 + 0.5}, "stack = 3000000.5: chips are whole numbers$"),
        ({"stack": float("nan")}, "stack = nan: chips are whole numbers$"),
        ({"stack": "200"}, "stack = '200': chips are whole numbers"),
        ({"stak": 100}, "no rule 'stak'"),
    ],
)
def test_bad_rules_are_refused_with_a_reason(rules, says):
    with pytest.raises(ValueError, match=says):
        jaxpoker.make("holdem", **rules)


# --- what a player knows ----------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("num_players", [2, 3])
def test_hold_em_keeps_the_contract(num_players):
    seen = core.check(game(num_players), jax.random.key(num_players), tables=32)
    assert seen["steps"] > 64


def history(seen):
    """[4, 2, 8] of an observation ``[200]``: street, hero first."""
    return seen[135:199].reshape(4, 2, 8)


def test_heads_up_observation_is_two_hundred_floats_in_the_stated_blocks():
    state = play(start([200, 200], hands="AsKh QdQc"), 6, 6, 0, 4)
    seen = np.asarray(jitted("observe")(state, 1))
    assert seen.shape == (200,)
    queen = np.zeros(17)
    queen[[10, 13 + 1]] = 1  # a queen of diamonds
    assert (seen[:17] == queen).all()
    board = seen[34:119].reshape(5, 17)
    assert board.sum(axis=1).tolist() == [2, 2, 2, 0, 0]
    pot, stack = 16, 200
    expected = [pot / 400, 4 / 200, 194 / stack, 190 / stack, 190 / pot / 20, 4 / pot / 4, 0, 4 / stack, 4 / 20, 0.95]
    np.testing.assert_allclose(seen[119:129], expected, rtol=1e-6)
    assert seen[129:133].tolist() == [0, 1, 0, 0]
    assert seen[133:135].tolist() == [0, 0]  # the big blind is out of position
    preflop, flop, *later = history(seen)
    raise_share = 4 / 4 / 4  # raised by 4 into a pot of 4 after calling
    np.testing.assert_allclose(preflop[0], [0, 1, 0, 0, 0, 0, 0, 1])
    np.testing.assert_allclose(preflop[1], [0, 0, 1, 0, 0, 0, raise_share, 1], atol=1e-4)
    np.testing.assert_allclose(flop[0], [1, 0, 0, 0, 0, 0, 0, 1])
    np.testing.assert_allclose(flop[1], [0, 0, 1, 0, 0, 0, 4 / 12 / 4, 1], atol=1e-4)
    assert not np.any(later)
    assert seen[199] == np.float32(4 / 20)


def test_the_view_is_the_same_from_both_seats():
    one = play(start([200, 200], hands="AsKh QdQc", button=0), 6, 6, 0)
    other = play(start([200, 200], hands="QdQc AsKh", button=1), 6, 6, 0)
    for seat in range(2):
        assert (jitted("observe")(one, seat) == jitted("observe")(other, 1 - seat)).all()


def test_raises_are_counted_once_twice_and_more():
    state = play(start([2000, 2000]), 6, 14, 30)
    button, big_blind = history(np.asarray(jitted("observe")(state, 0)))[0]
    assert button[2:5].tolist() == [0, 1, 0] and big_blind[2:5].tolist() == [1, 0, 0]
    state = play(state, 62, 126, 254)
    button, big_blind = history(np.asarray(jitted("observe")(state, 0)))[0]
    assert button[2:5].tolist() == [0, 0, 1] and big_blind[2:5].tolist() == [0, 0, 1]


def test_the_largest_raise_of_deep_stacks_is_capped_and_not_lost():
    state = play(start([holdem_table.MAX_CHIPS] * 2), 1_000_000, 4_000_000)
    button, big_blind = (float(seat.largest_raise(0)) for seat in state.seats)
    assert abs(button - 4) < 1e-3 and abs(big_blind - 3_000_000 / 2_000_000) < 1e-3


@pytest.mark.parametrize("num_players", [3, 6, 10])
def test_observation_size_with_more_players(num_players):
    table = game(num_players)
    seen = jax.eval_shape(lambda k: table.observe(table.init(k), 0), jax.random.key(0))
    assert seen.shape == (136 + 38 * num_players,) == (table.observation_size,)


def test_tokens_tell_the_hand_in_order():
    state = play(start([200, 200], hands="AsKh QdQc"), 6, 6, 0)
    tokens = np.asarray(jitted("information_state")(state, 0))
    ace, king = (1 + cards.parse(c)[0] for c in ("As", "Kh"))
    flop = 1 + cards.parse(BOARD)[:3]
    expected = [
        [2, 0, 0, 200],
        [3, 0, 0, 200],
        [1, 0, 0, 1],
        [1, 0, 0, 2],
        [1, 0, 0, 0],
        [2, 0, 0, 0],
        [2, ace, 0, 0],
        [2, king, 0, 0],
        [2, 0, 1 + holdem_table.RAISE, 6],
        [3, 0, 1 + holdem_table.CALL, 6],
        *[[1, card, 0, 0] for card in flop],
        [3, 0, 1 + holdem_table.CHECK, 0],
    ]
    assert tokens[: len(expected)].tolist() == expected and not tokens[len(expected) :].any()
    assert tokens.shape == (2 + 4 + 2 + 5 + 48, 4)  # stacks, blinds and button, own cards, board, actions


def test_different_amounts_are_different_information():
    small, large = (play(start([200, 200]), to, to, 0) for to in (6, 7))
    assert (jitted("information_state")(small, 0) != jitted("information_state")(large, 0)).any()


@functools.partial(jax.jit, static_argnums=1)
def worlds(state, count, weights=None):
    """[count] deals that seat 0 cannot tell from this one."""
    keys = jax.random.split(jax.random.key(0), count)
    return jax.vmap(lambda key: game().resample_hidden(state, 0, key, weights).deal)(keys)


def test_resampled_worlds_keep_what_is_seen_and_are_uniform():
    state = play(start([200, 200], hands="AsKh QdQc"), 6, 6, 0)
    deals = worlds(state, 20_000)
    hole, board = np.asarray(deals.hole), np.asarray(deals.board)
    assert (hole[:, 0] == np.asarray(state.deal.hole)[0]).all()
    assert (board[:, :3] == cards.parse(BOARD)[:3]).all()
    drawn = np.concatenate([hole[:, 1], board[:, 3:]], axis=1)
    everything = np.concatenate([hole.reshape(-1, 4), board], axis=1)
    assert all(len(set(row)) == 9 for row in everything[:500].tolist())
    counts = np.bincount(drawn.reshape(-1), minlength=52)
    unseen = counts[counts > 0]
    assert len(unseen) == 47
    expected = 4 * 20_000 / 47
    assert ((unseen - expected) ** 2 / expected).sum() < 46 + 5 * np.sqrt(2 * 46)
    strengths = jaxpoker.hands.strength(np.concatenate([hole[:, 1], board], axis=1))
    assert (np.asarray(deals.strength)[:, 1] == np.asarray(strengths)).all()


def test_weighted_worlds_follow_the_range():
    state = start([200, 200], hands="AsKh QdQc")
    hands = np.asarray(worlds(state, 4_000, ranges.parse("AA, 72o:0.5")).hole)[:, 1]
    aces = (hands % 13 == 12).all(axis=1)
    assert not (hands == cards.parse("As")[0]).any()
    assert abs(aces.mean() - 3 / (3 + 6)) < 0.03  # three pairs of aces are left, twelve 72o at half weight


def test_where_no_hand_of_the_range_is_left_any_hand_is_dealt():
    state = start([200, 200], hands="AsKh QdQc")
    hole = np.asarray(worlds(state, 4_000, ranges.parse("AsKh")).hole).reshape(-1, 4)  # seat 0 has that one
    assert (np.diff(np.sort(hole)) > 0).all()
    assert len(np.unique(np.sort(hole[:, 2:]), axis=0)) > 1100  # of the 1,225 that are left


@pytest.mark.thorough
def test_a_deal_brings_win_probabilities_on_request():
    plain = jax.jit(game().deal, static_argnums=1)(jax.random.key(3), (50,))
    deal = jax.jit(lambda key: game().deal(key, (50,), win_samples=400))(jax.random.key(3))
    assert (deal.hole == plain.hole).all() and deal.win_probability.shape == (50, 2, 4)
    hole, board = deal.hole[:3, 1], deal.board[:3]
    for street, shown in enumerate((0, 3, 4, 5)):
        exact = jax.jit(jaxpoker.equity.against_random)(hole, board[:, :shown])
        off = np.abs(deal.win_probability[:3, 1, street] - exact)
        assert (off < (1e-6 if street in (0, 3) else 0.1)).all()


@pytest.mark.thorough
def test_a_resampled_world_knows_its_own_wins_so_far_and_no_others():
    deal = jax.jit(lambda key: game().deal(key, win_samples=100))(jax.random.key(4))
    state = play(jitted("start")(deal), 2, 2)  # on the flop
    world = jitted("resample_hidden")(state, 1, jax.random.key(5))
    known = np.isfinite(np.asarray(world.deal.win_probability))
    assert known.tolist() == [[False] * 4, [True, True, False, False]]
    assert (world.deal.win_probability[1, :2] == deal.win_probability[1, :2]).all()
    other = jitted("with_hand")(state, 0, cards.parse("2c2d"))
    assert np.isfinite(np.asarray(other.deal.win_probability)).all(axis=1).tolist() == [False, True]


def test_with_hand_changes_one_hand_and_its_strength():
    state = start([200, 200])
    other = jitted("with_hand")(state, 1, cards.parse("9d9c"))
    assert cards.text(other.deal.hole[1]) == "9d9c" and cards.text(other.deal.hole[0]) == "AsAh"
    assert play(other, 2, 2, *[0] * 6).stacks.tolist() == [198, 202]


def test_jit_changes_nothing():
    state = start([200, 90, 33], button=1)
    for to in (2, 12, 12, 33):
        here = game(3).nearest_legal(state, to)
        slow, fast = game(3).act(state, here), jitted("act", 3)(state, here)
        assert jax.tree.all(jax.tree.map(lambda a, b: (a == b).all(), slow, fast))
        state = fast


def test_a_menu_from_text():
    table = game(2, menu="33%, 75%, a")
    assert table.num_actions == 5
    to, legal = jax.jit(table.choices)(play(start([200, 200]), 6, 6).replace(game=table))
    assert to.tolist()[2:] == [3, 9, 194] and legal.tolist() == [False, True, True, True, True]
    assert table.bet_menu.action_name(2) == "33% pot" and table.bet_menu.action_name(4) == "all-in"
    assert bets.MENUS["nine"].num_actions == 9
