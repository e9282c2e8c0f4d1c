"""Kuhn poker against OpenSpiel's, and the facts that hold for it."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import core
from jaxpoker.games import packed
from jaxpoker.games.kuhn import ACTIONS, BET, PASS, Deal, Kuhn

JACK, QUEEN, KING = 0, 1, 2

# Compiled once for each number of players.
STEP = jax.jit(lambda game, state, action: game.step(state, action), static_argnums=0)
DEAL = jax.jit(lambda game, key, shape: game.deal(key, shape), static_argnums=(0, 2))


@functools.partial(jax.jit, static_argnums=(0, 1))
def of_all(game, what, states, seat):
    """What a method called ``what`` of the game says to ``seat`` of many tables."""
    return jax.vmap(getattr(game, what), in_axes=(0, None))(states, seat)


def table(*cards, actions=()):
    """A table with those cards after those actions."""
    game = Kuhn(len(cards))
    state = game.start(Deal(packed.pack(np.array(cards))))
    for action in actions:
        state = STEP(game, state, action)
    return game, state


@pytest.fixture(scope="module", params=[2, 3, 4])
def walked(request, walk_with_openspiel):
    game = Kuhn(request.param)
    return game, walk_with_openspiel(game, f"kuhn_poker(players={request.param})", request.param)


def test_every_history_is_as_in_openspiel(walked):
    game, walk = walked
    over = np.array([s.is_terminal() for s in walk.theirs])
    np.testing.assert_array_equal(walk.states.terminated, over)
    returns = np.array([s.returns() if s.is_terminal() else [0.0] * game.num_players for s in walk.theirs])
    np.testing.assert_array_equal(walk.states.rewards, returns)
    players = np.array([s.current_player() for s in walk.theirs])
    np.testing.assert_array_equal(np.asarray(walk.states.current_player)[~over], players[~over])
    assert all(s.legal_actions() == [PASS, BET] for s in walk.theirs if not s.is_terminal())
    assert np.asarray(walk.states.legal_action_mask).all()


def test_observation_is_openspiels_information_state_tensor(walked):
    game, walk = walked
    for seat in range(game.num_players):
        ours = of_all(game, "observe", walk.states, seat)
        np.testing.assert_array_equal(ours, [s.information_state_tensor(seat) for s in walk.theirs])


def test_information_sets_are_openspiels(walked, require_same_partition):
    game, walk = walked
    acting = [i for i, s in enumerate(walk.theirs) if not s.is_terminal()]
    states = jax.tree.map(lambda x: x[np.array(acting)], walk.states)
    theirs = [walk.theirs[i].information_state_string() for i in acting]
    index = np.asarray(jax.jit(jax.vmap(game.infoset_index))(states, states.current_player)).tolist()
    assert require_same_partition(index, theirs) == game.num_infosets
    assert set(index) == set(range(game.num_infosets))
    for i, their_name in zip(index, theirs, strict=True):  # such as "2pb"
        actions = " ".join(ACTIONS["pb".index(letter)] for letter in their_name[1:])
        assert game.infoset_text(i) == f"{game.card_text(int(their_name[0]))} | {actions}".rstrip()

    for seat in range(game.num_players):
        tokens = np.asarray(of_all(game, "information_state", states, seat))
        theirs = [walk.theirs[i].information_state_string(seat) for i in acting]
        require_same_partition([row.tobytes() for row in tokens], theirs)


@pytest.mark.parametrize(("players", "count"), [(2, 12), (3, 48), (5, 480)])
def test_number_of_information_sets(players, count):
    assert Kuhn(players).num_infosets == count


@pytest.mark.parametrize("players", [2, 3, 5])
def test_keeps_the_contract(players):
    core.check(Kuhn(players), jax.random.key(players), tables=64)


@pytest.mark.parametrize("players", [1, 6, 2.5, True, "2", None])
def test_number_of_players_is_checked(players):
    with pytest.raises(ValueError, match=f"num_players = {players!r}: Kuhn poker is for 2 to 5 players"):
        Kuhn(players)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_all_deals_are_equally_likely(players):
    game = Kuhn(players)
    deals = packed.pack(np.array(list(itertools.permutations(range(players + 1), players)))).tolist()
    per_deal = 200
    dealt = DEAL(game, jax.random.key(7), (per_deal * len(deals) // 4, 4)).cards
    cards, counts = np.unique(dealt, return_counts=True)
    assert set(cards.tolist()) == set(deals)
    chi_square = ((counts - per_deal) ** 2 / per_deal).sum()
    freedom = len(deals) - 1
    assert abs(chi_square - freedom) < 4 * np.sqrt(2 * freedom)


def test_random_play_is_worth_an_eighth_to_the_first_player():
    game, tables = Kuhn(), 4096

    def turn(carry, key):
        state, paid, games = carry
        action_key, deal_key = jax.random.split(key)
        action = core.random_action(action_key, state.legal_action_mask)
        after = core.play_on(game, state, action, deal_key)
        return (after.state, paid + after.rewards.sum(axis=0), games + after.over.sum()), after.rewards.sum(axis=1)

    state = game.start(DEAL(game, jax.random.key(0), (tables,)))
    carry = (state, jnp.zeros(2), 0)
    (_, paid, games), sums = jax.jit(lambda c, k: jax.lax.scan(turn, c, k))(
        carry, jax.random.split(jax.random.key(1), 50)
    )
    assert not np.asarray(sums).any()
    assert games > 80_000
    assert abs(paid[0] / games - 1 / 8) < 4 * 1.4 / np.sqrt(games)


@pytest.mark.parametrize("action", [2, -1, 31, 32, 100, -(2**31)])
@pytest.mark.parametrize("before", [[], [BET], [PASS, BET]])
def test_an_illegal_action_loses_two_chips(action, before):
    _, state = table(KING, JACK, actions=[*before, action])
    assert state.terminated and state.legal_action_mask.all()
    assert state.rewards.tolist() == ([-2, 2] if len(before) % 2 == 0 else [2, -2])
    game, three = table(3, 0, 1, actions=[*before, action])
    expected = [1.0] * 3
    expected[len(before)] = -2
    assert three.rewards.tolist() == expected
    assert STEP(game, three, BET).rewards.tolist() == [0, 0, 0]


def test_a_finished_game_stays_as_it_is():
    game, state = table(QUEEN, KING, actions=[PASS, BET, PASS])
    assert state.rewards.tolist() == [-1, 1]
    for action in (PASS, BET, 7):
        after = STEP(game, state, action)
        assert after.terminated and after.rewards.tolist() == [0, 0]
        assert game.observe(after, 0).tolist() == game.observe(state, 0).tolist()
        assert int(STEP(game, after, action).table) == int(after.table)


def test_the_information_state_of_a_line():
    game, state = table(QUEEN, KING, actions=[PASS, BET])
    assert game.information_state(state, 0).tolist() == [[2, 2, 0, 0], [2, 0, 1, 0], [3, 0, 2, 1], [0, 0, 0, 0]]
    assert game.information_state(state, 1)[0].tolist() == [3, 3, 0, 0]


def test_resampling_deals_the_others_evenly_from_the_unseen_cards():
    game, state = table(2, 0, 3, actions=[PASS, BET])
    others = jax.jit(jax.vmap(lambda k: game.resample_hidden(state, 2, k)))(jax.random.split(jax.random.key(0), 6000))
    hands = np.stack([packed.card_at(others.table, seat) for seat in range(3)], axis=1)
    assert (hands[:, 2] == 3).all()
    deals, counts = np.unique(hands[:, :2], axis=0, return_counts=True)
    assert deals.tolist() == [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
    assert ((counts - 1000) ** 2 / 1000).sum() < 25
    assert (np.asarray(others.turn) == 2).all() and (np.asarray(others.bets) == 0b10).all()


def test_resampling_follows_the_weights():
    game, state = table(QUEEN, JACK, actions=[BET])
    keys = jax.random.split(jax.random.key(0), 8000)
    resample = jax.jit(jax.vmap(game.resample_hidden, in_axes=(None, None, 0, None)))

    def opponents(weights):
        worlds = resample(state, 0, keys, jnp.array(weights))
        return np.bincount(packed.card_at(worlds.table, 1), minlength=3) / len(keys)

    np.testing.assert_allclose(opponents([1.0, 5.0, 3.0]), [0.25, 0, 0.75], atol=0.02)  # the queen is ours
    assert opponents([0.0, 1.0, 2.0]).tolist() == [0, 0, 1]
    np.testing.assert_allclose(opponents([0.0, 1.0, 0.0]), [0.5, 0, 0.5], atol=0.02)  # no possible hand has weight


def test_weights_of_three_players_multiply():
    game, state = table(3, 0, 1)
    weights = jnp.array([[9.0, 9, 9, 9], [1, 2, 0, 5], [1, 1, 3, 5]])
    keys = jax.random.split(jax.random.key(0), 9000)
    worlds = jax.jit(jax.vmap(lambda k: game.resample_hidden(state, 0, k, weights)))(keys)
    hands = 10 * packed.card_at(worlds.table, 1) + packed.card_at(worlds.table, 2)
    counts = np.bincount(hands, minlength=40) / len(keys)
    # seat 1 and seat 2 hold 0 and 1: 1 * 1; 0 and 2: 1 * 3; 1 and 0: 2 * 1; 1 and 2: 2 * 3
    for hand, weight in {1: 1, 2: 3, 10: 2, 12: 6}.items():
        assert abs(counts[hand] - weight / 12) < 0.02
    assert counts[[1, 2, 10, 12]].sum() == pytest.approx(1)


def test_with_hand_changes_one_card_and_nothing_else():
    game, state = table(QUEEN, JACK, actions=[PASS, BET])
    king = game.with_hand(state, 0, jnp.array([KING]))
    assert game.text(king) == "K J | pass bet | seat 0 to act"
    assert STEP(game, king, BET).rewards.tolist() == [2, -2]
    assert game.text(game.with_hand(state, jnp.int32(1), jnp.int32(KING))) == "Q K | pass bet | seat 0 to act"


def test_jit_changes_nothing():
    game, state = table(QUEEN, JACK)
    fast = slow = state
    for action in (PASS, BET, 5, BET):
        fast = STEP(game, fast, action)
        with jax.disable_jit():
            slow = game.step(slow, action)
        for view in (lambda s: s, lambda s: game.information_state(s, 1), lambda s: s.rewards):
            jax.tree.map(np.testing.assert_array_equal, view(fast), view(slow))


def test_text_of_a_finished_game():
    game, state = table(KING, JACK, actions=[BET, PASS])
    assert game.text(state) == "K J | bet pass | over, paid [1.0, -1.0]"
    assert "illegal action" in game.text(STEP(game, table(KING, JACK)[1], 9))


def test_a_row_that_is_no_information_set_has_no_text():
    with pytest.raises(ValueError, match="12 is not an information set: they are 0 to 11"):
        Kuhn().infoset_text(12)


def test_a_deal_of_chosen_cards():
    for deal in (Deal.of("K Q"), Deal.of([2, 1]), Deal.of(np.array([2, 1]))):
        assert Kuhn().text(Kuhn().start(deal)) == "K Q |  | seat 0 to act"
    assert Kuhn(3).text(Kuhn(3).start(Deal.of("T K Q"))).startswith("T K Q")
    assert Deal.of(np.array([[0, 1], [2, 0]])).cards.shape == (2,)
    for wrong, why in (("K A", "unknown card 'A'.*J Q K"), ("K K", "twice"), ([0, 3], "unknown card 3")):
        with pytest.raises(ValueError, match=why):
            Deal.of(wrong)
