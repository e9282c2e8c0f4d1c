"""Leduc poker against OpenSpiel's, and the facts that hold for it."""

import itertools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import core
from jaxpoker.games import packed
from jaxpoker.games.leduc import CALL, FOLD, RAISE, Deal, Leduc

GAME = Leduc()
JH, JS, QH, QS, KH, KS = range(6)
KEY = jax.random.key(0)

# Of many tables, compiled once.
STEP = jax.jit(GAME.step)
OBSERVE = jax.jit(jax.vmap(GAME.observe, in_axes=(0, None)))
TOKENS = jax.jit(jax.vmap(GAME.information_state, in_axes=(0, None)))
ROWS = jax.jit(jax.vmap(GAME.infoset_index))


def table(first, second, public, actions=()):
    """A table with those cards after those actions."""
    state = GAME.start(Deal(packed.pack(np.array([first, second, public]))))
    for action in actions:
        state = STEP(state, action)
    return state


@pytest.fixture(scope="module")
def walk(walk_with_openspiel):
    return walk_with_openspiel(GAME, "leduc_poker", 3)


def test_every_history_is_as_in_openspiel(walk):
    assert walk.histories == 9457
    over = np.array([s.is_terminal() for s in walk.theirs])
    np.testing.assert_array_equal(walk.states.terminated, over)
    returns = np.array([s.returns() if s.is_terminal() else [0.0, 0.0] for s in walk.theirs])
    np.testing.assert_array_equal(walk.states.rewards, returns)
    players = np.array([s.current_player() for s in walk.theirs])
    np.testing.assert_array_equal(np.asarray(walk.states.current_player)[~over], players[~over])
    legal = np.array([[s.is_terminal() or a in s.legal_actions() for a in range(3)] for s in walk.theirs])
    np.testing.assert_array_equal(walk.states.legal_action_mask, legal)


@pytest.mark.parametrize("seat", [0, 1])
def test_observation_is_openspiels_information_state_tensor(walk, seat):
    ours = OBSERVE(walk.states, seat)
    np.testing.assert_array_equal(ours, [s.information_state_tensor(seat) for s in walk.theirs])


def test_information_sets_are_openspiels(walk, require_same_partition):
    acting = [i for i, s in enumerate(walk.theirs) if not s.is_terminal()]
    states = jax.tree.map(lambda x: x[np.array(acting)], walk.states)
    theirs = [walk.theirs[i].information_state_string() for i in acting]
    index = np.asarray(ROWS(states, states.current_player)).tolist()
    assert require_same_partition(index, theirs) == 936
    assert set(index) == set(range(GAME.num_infosets)) == set(range(936))
    to_act = np.asarray(states.current_player)
    both = [np.asarray(TOKENS(walk.states, seat))[np.array(acting)] for seat in (0, 1)]
    tokens = np.where((to_act == 0)[:, None, None], *both)
    assert require_same_partition([row.tobytes() for row in tokens], theirs) == 936

    for seat in (0, 1):  # and what a player knows while the other thinks
        theirs = [walk.theirs[i].information_state_string(seat) for i in acting]
        require_same_partition([row.tobytes() for row in both[seat]], theirs)


def test_information_sets_read_as_openspiels(walk):
    def field(name, text):
        found = re.search(rf"\[{name}: ([^\]]*)\]", text)
        return [int(number) for number in found[1].split()] if found else []

    def actions(ids):
        return " ".join(("fold", "call", "raise")[a] for a in ids)

    acting = [i for i, s in enumerate(walk.theirs) if not s.is_terminal()]
    states = jax.tree.map(lambda x: x[np.array(acting)], walk.states)
    index = np.asarray(ROWS(states, states.current_player))
    for i, row in zip(index, acting, strict=True):
        their_text = walk.theirs[row].information_state_string()
        parts = [GAME.card_text(field("Private", their_text)[0]), actions(field("Round1", their_text))]
        if public := field("Public", their_text):
            parts += [GAME.card_text(public[0]), actions(field("Round2", their_text))]
        assert GAME.infoset_text(int(i)) == " | ".join(parts).rstrip()


def test_tokens_tell_the_chips_that_each_action_puts_in(walk):
    tokens = np.asarray(TOKENS(walk.states, 0))  # [rows, 10, 4]
    for seat in (0, 1):
        paid = 1 + np.where(tokens[..., 0] == core.FIRST_SEAT + seat, tokens[..., 3], 0).sum(axis=1)
        for their_state, chips in zip(walk.theirs, paid, strict=True):
            if not their_state.is_terminal():  # afterwards OpenSpiel has paid the pot out
                money = re.search(r"Money.*: (\d+) (\d+)", str(their_state))
                assert chips == 100 - int(money[1 + seat])


def test_the_information_state_of_a_line():
    state = table(KH, QS, JS, [CALL, RAISE, CALL, RAISE, RAISE, FOLD])
    assert GAME.information_state(state, 1).tolist() == [
        [3, 1 + QS, 0, 0],
        [2, 0, 1 + CALL, 0],
        [3, 0, 1 + RAISE, 2],
        [2, 0, 1 + CALL, 2],
        [1, 1 + JS, 0, 0],
        [2, 0, 1 + RAISE, 4],
        [3, 0, 1 + RAISE, 8],
        [2, 0, 1 + FOLD, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ]
    assert GAME.text(state) == "Kh Qs | call raise call | Js | raise raise fold | over, paid [-7.0, 7.0]"


def test_keeps_the_contract():
    core.check(GAME, jax.random.key(0), tables=64)


def test_all_deals_are_equally_likely():
    per_deal = 500
    expected = packed.pack(np.array(list(itertools.permutations(range(6), 3)))).tolist()
    cards, counts = np.unique(jax.jit(lambda key: GAME.deal(key, (per_deal, 120)).cards)(KEY), return_counts=True)
    assert set(cards.tolist()) == set(expected)
    assert abs(((counts - per_deal) ** 2 / per_deal).sum() - 119) < 4 * np.sqrt(2 * 119)


def test_deals_from_one_key_each_differ():
    deals = jax.jit(jax.vmap(GAME.deal))(jax.random.split(KEY, 2000)).cards
    assert len(np.unique(deals)) == 120


@pytest.mark.parametrize(
    ("hands", "public", "paid"),
    [
        ((JH, KS), JS, 1),  # a pair of jacks beats a king
        ((KH, JH), JS, -1),
        ((KH, QH), JS, 1),  # no pair: the king is higher
        ((QH, QS), KH, 0),  # the same rank
        ((QH, KH), KS, -1),
    ],
)
def test_showdown(hands, public, paid):
    state = table(*hands, public, [CALL, CALL, CALL, CALL])
    assert state.rewards.tolist() == [paid, -paid]
    state = table(*hands, public, [CALL, RAISE, RAISE, CALL, CALL, RAISE, RAISE, CALL])
    assert state.rewards.tolist() == [13 * paid, -13 * paid]


@pytest.mark.parametrize(
    ("before", "action"),
    [([], FOLD), ([CALL], FOLD), ([RAISE, RAISE], RAISE), ([CALL, CALL], FOLD), ([], 3), ([RAISE], -1), ([CALL], 64)],
)
def test_an_illegal_action_loses_thirteen_chips(before, action):
    live = table(KH, QH, JS, before)
    state = STEP(live, action)
    assert state.terminated and state.legal_action_mask.all()
    assert state.rewards.tolist() == ([-13, 13] if live.current_player == 0 else [13, -13])
    assert GAME.information_state(state, 0).tolist() == GAME.information_state(live, 0).tolist()
    assert STEP(state, CALL).rewards.tolist() == [0, 0]
    assert "illegal action" in GAME.text(state)


def test_a_finished_game_stays_as_it_is():
    state = table(KH, QH, JS, [RAISE, FOLD])
    assert state.rewards.tolist() == [1, -1]
    for action in (FOLD, CALL, RAISE, 9):
        after = STEP(state, action)
        assert after.terminated and after.rewards.tolist() == [0, 0]
        assert GAME.information_state(after, 1).tolist() == GAME.information_state(state, 1).tolist()
        assert int(STEP(after, action).table) == int(after.table)


@jax.jit
def resampled(state, player, weights):
    keys = jax.random.split(KEY, 10_000)
    sampled = jax.vmap(lambda key: GAME.resample_hidden(state, player, key, weights))(keys)
    return jnp.stack([packed.card_at(sampled.table, place) for place in range(3)], axis=1)


def worlds(state, player, weights=None):
    """[10000, 3] cards of worlds that ``player`` cannot tell from this one."""
    return np.asarray(resampled(state, player, weights))


def test_before_the_public_card_it_is_resampled_too():
    cards = worlds(table(KH, QH, JS, [RAISE]), 1)
    assert (cards[:, 1] == QH).all()
    deals, counts = np.unique(cards[:, [0, 2]], axis=0, return_counts=True)
    assert len(deals) == 20 and (deals[:, 0] != deals[:, 1]).all() and not (deals == QH).any()
    assert ((counts - 500) ** 2 / 500).sum() < 19 + 4 * np.sqrt(38)


def test_after_the_public_card_only_the_opponent_is_resampled():
    cards = worlds(table(KH, QH, JS, [RAISE, CALL]), 0)
    assert (cards[:, 0] == KH).all() and (cards[:, 2] == JS).all()
    opponents, counts = np.unique(cards[:, 1], return_counts=True)
    assert opponents.tolist() == [JH, QH, QS, KS]
    assert ((counts - 2500) ** 2 / 2500).sum() < 3 + 4 * np.sqrt(6)


def test_resampling_follows_the_weights():
    weights = jnp.array([1.0, 2.0, 3.0, 0.0, 8.0, 4.0])
    state = table(KH, QH, JS, [RAISE, CALL])  # the king of hearts is ours, the jack of spades is turned up
    share = np.bincount(worlds(state, 0, weights)[:, 1], minlength=6) / 10_000
    np.testing.assert_allclose(share, np.array([1, 0, 3, 0, 0, 4]) / 8, atol=0.02)
    impossible = jnp.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    share = np.bincount(worlds(state, 0, impossible)[:, 1], minlength=6) / 10_000
    np.testing.assert_allclose(share, np.array([1, 0, 1, 1, 0, 1]) / 4, atol=0.02)


def test_resampling_leaves_what_the_player_knows_alone_everywhere(walk):
    keys = jax.random.split(jax.random.key(5), len(walk.theirs))
    resample = jax.jit(jax.vmap(GAME.resample_hidden, in_axes=(0, None, 0)))
    for seat in (0, 1):
        others = resample(walk.states, seat, keys)
        for known in (OBSERVE, TOKENS):
            np.testing.assert_array_equal(known(others, seat), known(walk.states, seat))
        np.testing.assert_array_equal(others.legal_action_mask, walk.states.legal_action_mask)
        hidden = packed.card_at(others.table, 1 - seat) != packed.card_at(walk.states.table, 1 - seat)
        assert 0.6 < np.asarray(hidden).mean() < 0.9
        cards = np.stack([packed.card_at(others.table, place) for place in range(3)])
        assert (cards < 6).all() and all((a != b).all() for a, b in itertools.combinations(cards, 2))


def test_with_hand_changes_one_card_and_nothing_else():
    state = table(KH, QH, JS, [RAISE, CALL])
    assert GAME.text(GAME.with_hand(state, 1, jnp.array([JH]))) == "Kh Jh | raise call | Js |  | seat 0 to act"
    assert GAME.text(GAME.with_hand(state, jnp.int32(0), jnp.int32(QS))) == "Qs Qh | raise call | Js |  | seat 0 to act"


def test_jit_changes_nothing():
    fast = slow = table(KH, QH, JS)
    for action in (CALL, RAISE, CALL, RAISE, 5, CALL):
        fast = STEP(fast, action)
        with jax.disable_jit():
            slow = GAME.step(slow, action)
        for view in (lambda s: s, lambda s: GAME.information_state(s, 1), lambda s: s.rewards):
            jax.tree.map(np.testing.assert_array_equal, view(fast), view(slow))


def test_a_row_that_is_no_information_set_has_no_text():
    with pytest.raises(ValueError, match="936 is not an information set: they are 0 to 935"):
        GAME.infoset_text(936)


def test_a_deal_of_chosen_cards():
    game = Leduc()
    for deal in (Deal.of("Kh Qs", "Js"), Deal.of([4, 3], 1)):
        state = game.start(deal)
        for action in (CALL, CALL):
            state = game.step(state, action)
        assert game.text(state) == "Kh Qs | call call | Js |  | seat 0 to act"
    assert int(packed.card_at(Deal.of("Jh Js").cards, 2)) == 2  # the lowest that is left
    assert Deal.of(np.array([[0, 1], [0, 2]])).cards.shape == (2,)
    for hands, board, why in (
        ("Kh Kd", "Js", "unknown card 'Kd'"),
        ("Kh Qs", "Kh", "twice"),
        ("Kh Qs Js", None, "3 hands"),
    ):
        with pytest.raises(ValueError, match=why):
            Deal.of(hands, board)
