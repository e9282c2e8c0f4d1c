"""Chicago: what players see, know and may not know, and the facts of its hands and rules."""

import functools
import importlib.util
import itertools
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, core
from jaxpoker.cards import NO_CARD
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.chicago import hands as chicago_hands
from jaxpoker.games.chicago import reveals as chicago_reveals
from jaxpoker.games.chicago import view as chicago_view
from jaxpoker.games.chicago import worlds as chicago_worlds
from jaxpoker.games.chicago.table import DRAW_1, TRICKS, Deal

SIX = Chicago(num_players=6, target=12)
TWO = Chicago(num_players=2, target=10)
PLAYERS = np.tile(np.arange(2, 7, dtype=np.int32), 3)  # a batch of all sizes
MOMENTS = 90  # decisions at each table

INIT, STEP, OBSERVE, TOKENS = map(jax.jit, (TWO.init, TWO.step, TWO.observe, TWO.information_state))
LEGAL = jax.jit(lambda state: state.legal_action_mask)
WORTH = jax.jit(lambda hands: chicago_hands.worth([hands[:, i] for i in range(5)]))


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


referee = load("chicago_referee", Path(__file__).parent / "referee.py")


def row(tree, table):
    return jax.tree.map(lambda leaf: leaf[table], tree)


def started(game, text, players=None):
    """A game whose first deck begins with the cards of ``text``."""
    first = cards.parse(text)
    deck = np.concatenate([first, np.setdiff1d(np.arange(52), first)]).astype(np.int8)
    return game.start(Deal(jnp.asarray(deck), jnp.zeros(2, jnp.uint32)), players)


def played(state, actions):
    for action in actions:
        assert LEGAL(state)[action]
        state = STEP(state, action)
    return state


# --- hands ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dealt_hands():
    """[n, 5]: random hands, random hands of few ranks or of one suit, and all 40 straight flushes."""
    rng = np.random.default_rng(0)
    deck = np.arange(52)
    few_ranks = deck[deck % 13 < 4]
    hands = [
        rng.permuted(np.tile(pool, (3000, 1)), axis=1)[:, :5] for pool in (deck, few_ranks, deck[:13], deck[26:39])
    ]
    straight = [[(top - i) % 13 for i in range(5)] for top in range(3, 13)]
    hands.append(np.asarray([[13 * suit + rank for rank in ranks] for ranks in straight for suit in range(4)]))
    suits = rng.integers(0, 4, (600, 5))
    hands.append(13 * suits + np.asarray(straight)[rng.integers(0, 10, 600)])
    return np.concatenate(hands)


def test_hands_have_the_points_and_the_components_of_the_rules(dealt_hands):
    worths = WORTH(jnp.asarray(dealt_hands, jnp.int32))
    components = np.stack([worths.component(i) for i in range(10)], axis=1)
    keys = [referee.tie_break(hand) for hand in dealt_hands.tolist()]
    assert np.asarray(worths.kind).tolist() == [points for points, _ in keys]
    assert {points for points, _ in keys} == set(range(9))
    assert components.tolist() == [key + [0] * (10 - len(key)) for _, key in keys]


def test_worths_are_ordered_like_kind_and_components(dealt_hands):
    worths = WORTH(jnp.asarray(dealt_hands, jnp.int32))
    ours = np.lexsort((worths.low, worths.high))
    keys = [referee.tie_break(dealt_hands[i].tolist()) for i in ours]
    assert all(a <= b for a, b in itertools.pairwise(keys))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("9c9d5h4s2c", "9h9s5d4c2d"),  # the spade in the pair
        ("Kc Qd 9h 5s 2s", "Kd Qc 9s 5h 2h"),  # the suit of the king
        ("5c4d3h2sAs", "5d4c3c2cAc"),  # the five is the top of A-2-3-4-5
        ("As2s3d4d5c", "6c5d4h3h2h"),
        ("KcKdKh2c3d", "AcAdAh3c2d"),
    ],
)
def test_suits_break_every_tie(first, second):
    pair = np.stack([cards.parse(first), cards.parse(second)])
    assert chicago_hands.best(WORTH(jnp.asarray(pair))).tolist() == [False, True]


# --- what players see, along games of all sizes -----------------------------------------------


@pytest.fixture(scope="module")
def games():
    """[moments, tables] random play of tables of all sizes: states and actions."""

    @jax.jit
    def play(key):
        def one(state, key):
            action = core.random_action(key, state.legal_action_mask)
            return jax.vmap(SIX.step)(state, action), (state, action)

        state = jax.vmap(SIX.start)(SIX.deal(key, PLAYERS.shape), PLAYERS)
        return jax.lax.scan(one, state, jax.random.split(key, MOMENTS))[1]

    return play(jax.random.key(5))


@functools.partial(jax.jit, static_argnums=0)
def of_seat(what, states, seat):
    """``what(state, seat)`` at every moment of every table."""
    return jax.vmap(jax.vmap(lambda state: what(state, seat)))(states)


@pytest.mark.thorough
def test_every_block_of_the_observation_is_the_referees(games):
    states, actions = games
    seen = {seat: np.asarray(of_seat(SIX.observe, states, seat)) for seat in range(6)}
    assert seen[0].shape == (MOMENTS, len(PLAYERS), 4087)
    over = np.asarray(core.is_over(states))
    compared = 0
    for table, n in enumerate(PLAYERS.tolist()):
        judge = referee.Referee(n, target=SIX.target)
        judge.deal(states.deck[0, table].tolist())
        for moment in range(MOMENTS):
            if judge.needs_deck:
                judge.deal(states.deck[moment, table].tolist())
            for player in {judge.actor, (moment + table) % n}:
                blocks = judge.observe(player)
                assert list(blocks) == [block.name for block in chicago_view.BLOCKS]
                for block in chicago_view.BLOCKS:
                    start = chicago_view.OFFSETS[block.name]
                    ours = seen[player][moment, table, start : start + block.size]
                    expected = np.asarray(blocks[block.name], np.float32)
                    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-6, err_msg=f"{block.name} at {moment}")
                compared += 1
            if over[moment, table]:
                break
            judge.act(int(actions[moment, table]))
    assert compared > 2000 and over.any()


def test_entries_are_the_floats_that_are_not_zero(games):
    states, _ = games
    for seat in (0, 1):
        entries = of_seat(chicago_view.entries, states, seat)
        place, value = np.asarray(entries.place), np.asarray(entries.value)
        floats = np.zeros((*place.shape[:2], chicago_view.OBSERVATION_SIZE + 1), np.float32)
        for index in np.ndindex(place.shape[:2]):
            np.add.at(floats[index], place[index], value[index])
        np.testing.assert_array_equal(floats[..., :-1], of_seat(SIX.observe, states, seat))
        assert not floats[..., -1].any()


@functools.partial(jax.jit, static_argnums=0)
def worlds(game, states, seat, key):
    flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), states)
    keys = jax.random.split(key, flat.round.shape[0])
    return jax.vmap(game.resample_hidden, in_axes=(0, None, 0))(flat, seat, keys)


@pytest.mark.thorough
def test_nothing_hidden_moves_a_single_float_or_token(games):
    states, _ = games
    for seat in range(6):
        other = worlds(SIX, states, seat, jax.random.key(seat))
        other = jax.tree.map(lambda new, old: new.reshape(old.shape), other, states)
        at_table = np.asarray(states.active)[..., seat]
        for view in (SIX.observe, SIX.information_state):
            mine, theirs = (np.asarray(of_seat(view, world, seat))[at_table] for world in (states, other))
            np.testing.assert_array_equal(mine, theirs)
        to_act = at_table & (np.asarray(states.current_player) == seat)
        masks = (np.asarray(world.legal_action_mask)[to_act] for world in (states, other))
        np.testing.assert_array_equal(*masks)
        np.testing.assert_array_equal(np.sort(other.deck), np.broadcast_to(np.arange(52), other.deck.shape))
        # What is hidden does move: the others' hands, what they discarded, the deck to come and later rounds.
        others = np.asarray(states.active) & (np.arange(6) != seat)
        for field in ("hands", "first_hands"):
            before, after = np.asarray(getattr(states, field)), np.asarray(getattr(other, field))
            cards_there = (before >= 0) & others[..., None]
            assert 0.6 < (before != after)[cards_there].mean() < 1
        to_come = np.arange(52) >= np.asarray(states.dealt)[..., None]
        assert (np.asarray(states.deck) != np.asarray(other.deck))[to_come].mean() > 0.8
        assert (np.asarray(states.key) != np.asarray(other.key)).all()


def test_who_could_not_follow_suit_is_dealt_none_of_it(games):
    states, _ = games
    other = worlds(SIX, states, 0, jax.random.key(9))
    missing = np.asarray(jax.jit(jax.vmap(chicago_worlds.missing_suits))(other))  # [n, seats, 4]
    hands = np.asarray(other.hands)
    held = (hands[..., None] // 13 == np.arange(4)).any(axis=2)
    assert missing.sum() > 500
    assert not (held & missing)[:, 1:].any()


@jax.jit
def weighted_hands(state, weights):
    """[200, 5] hands of seat 1 in worlds that seat 0 cannot tell from this one."""
    keys = jax.random.split(jax.random.key(0), 200)
    return jax.vmap(lambda key: TWO.resample_hidden(state, 0, key, weights).hands[1])(keys)


ACES = np.where(np.arange(52) % 13 == 12, 1.0, 0.0)


def test_weights_say_who_holds_what():
    state = INIT(jax.random.key(4))
    own_aces = (np.asarray(state.hands[0]) % 13 == 12).sum()
    hands = np.asarray(weighted_hands(state, ACES))
    assert ((hands % 13 == 12).sum(axis=1) == 4 - own_aces).all()


def test_weights_do_not_give_back_a_suit_that_was_not_followed():
    """Seat 1 has no spade; of four hidden cards the aces of the other suits are three."""
    state = started(TWO, "9s 7s 6d 5d 3c  Kd Kh 8c 8d 2c")
    state = played(state, [0, 0, 0, 0, 64, 64])
    hands = np.asarray(weighted_hands(state, ACES))[:, :4]
    assert (hands // 13 < 3).all()
    assert ((hands % 13 == 12).sum(axis=1) == 3).all()


def test_a_world_is_a_state_like_any_other_whatever_kind_of_key_it_comes_from():
    state = INIT(jax.random.key(0))
    key = jax.random.key(0, impl="rbg")
    other = jax.eval_shape(lambda state: TWO.step(TWO.resample_hidden(state, 0, key), 0), state)
    assert jax.tree.map(lambda x: (x.shape, x.dtype), other) == jax.tree.map(lambda x: (x.shape, x.dtype), state)


def test_the_worked_example():
    """A♠ K♥ Q♦ J♣ 10♠."""
    state = started(TWO, "As Kh Qd Jc Ts")
    block = np.asarray(OBSERVE(state, 0))[:260].reshape(5, 52)
    assert block.sum() == 5
    assert np.argmax(block, axis=1).tolist() == [51, 37, 23, 9, 47]


def test_the_page_of_offsets_is_up_to_date(repository):
    script = load("make_chicago_table", repository / "scripts" / "make_chicago_table.py")
    assert script.PAGE.read_text() == script.page()


# --- the information state --------------------------------------------------------------------


def test_standing_pat_is_not_the_same_as_not_having_acted():
    state = INIT(jax.random.key(0))
    after = STEP(state, 0)
    np.testing.assert_array_equal(OBSERVE(state, 1), OBSERVE(after, 1))
    assert (TOKENS(state, 1) != TOKENS(after, 1)).any()


def test_tokens_tell_a_round_in_order():
    state = started(TWO, "As Ac Qd Jc 9s  Kd Kh 8c 7d 2c  3c 4d 5h 6s")
    state = played(state, [0b11100, 0b11000, 0b10000 + 32, 0, 64, 67])
    tokens = np.asarray(TOKENS(state, 0))

    def ids(text):
        return [1 + int(cards.parse(card)[0]) for card in text.split()]

    own_cards = [token[1] for token in tokens.tolist() if token[0] == 2 and token[1] > 0 and token[2] == 0]
    assert own_cards == ids("As Ac Qd Jc 9s  As Ac 3c 4d 5h  Ac 3c 4d 6c  As")  # dealt, after each draw, played
    draws = [token for token in tokens.tolist() if token[3] > 0 and token[1] == 0][2:6]
    assert draws[0] == [2, 0, 1 + 0b11100, 1 + 3] and draws[1] == [3, 0, 0, 1 + 2]
    assert not tokens[np.flatnonzero(tokens[:, 0])[-1] + 1 :].any()
    text = TWO.text(state, 0)
    assert "A♠" in text and "?? ??" in text


# --- rules ------------------------------------------------------------------------------------


def test_a_straight_flush_wins_at_once_without_points():
    state = played(started(TWO, "9s 8s 7s 6s 5s  Kd Kh 8c 7d 2c"), [0, 0])
    assert state.terminated and state.winner == 0
    assert state.rewards.tolist() == [0.25, 0] and state.scores.tolist() == [0, 0]
    assert not state.announced.any() and not state.passed.any()
    assert state.legal_action_mask.all()
    assert STEP(state, 3).rewards.tolist() == [0, 0]


def test_the_best_hand_scores_after_each_draw():
    state = started(TWO, "As Ac Qd Jc 9s  Kd Kh 8c 8d 2c")
    state = played(state, [0, 0])
    assert state.phase == DRAW_1 and state.scores.tolist() == [0, 2]
    assert state.announced.tolist() == [True, True]  # the first to speak could not know
    assert state.rewards.tolist() == [0, np.float32(0.2)]
    state = played(state, [0, 0])
    assert state.phase == TRICKS and state.scores.tolist() == [0, 4]


def test_reveals_of_two_pairs_of_aces():
    state = played(started(TWO, "As Ac Qd Jc 9s  Ad Ah Qc Jd 2c"), [0, 0])
    said = np.asarray(chicago_reveals.said(state.reveals, 2)).tolist()
    assert said[:4] == [[14, 14], [12, 12], [11, 11], [9, chicago_reveals.PASS]] and not np.any(said[4:])
    assert state.scores.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("actions", "wrong"), [([], 32), ([], 64), ([0, 0], 32), ([0, 0, 0, 0], 0), ([0, 0, 0, 0], 69)]
)
def test_an_illegal_action_ends_the_game_and_costs_a_win(actions, wrong):
    live = played(started(TWO, "As Ac Qd Jc 9s  Kd Kh 8c 8d 2c"), actions)
    state = STEP(live, wrong)
    assert state.terminated and state.winner == -1 and "illegal" in TWO.text(state)
    assert state.rewards.tolist() == [-1.25, 1.25]
    np.testing.assert_array_equal(OBSERVE(state, 0), OBSERVE(live, 0))


def test_with_hand_changes_what_is_seen_of_ones_own_hand_alone():
    state = played(started(TWO, "As Ac Qd Jc 9s  Kd Kh 8c 8d 2c"), [0, 0])
    other = jax.jit(TWO.with_hand)(state, 1, cards.parse("2d3d4h5h7c"))
    np.testing.assert_array_equal(OBSERVE(state, 0), OBSERVE(other, 0))
    block = np.asarray(OBSERVE(other, 1))[:260].reshape(5, 52)
    assert np.argmax(block, axis=1).tolist() == cards.parse("2d3d4h5h7c").tolist()
    assert played(other, [0, 0]).scores.tolist() == [1, 2]  # seat 0's aces are best now; seat 1 keeps what it scored
    assert (np.asarray(STEP(played(other, [0]), 0b11111).hands[1]) != NO_CARD).all()


@pytest.mark.thorough
def test_keeps_the_contract_with_64_bit_numbers():
    with jax.enable_x64(True):
        assert core.check(TWO, jax.random.key(1), tables=8)["steps"] > 8


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ({"num_players": 7}, "num_players = 7: Chicago is for 2 to 6 players"),
        ({"target": 0}, "target = 0: it is 1 or more"),
        ({"max_rounds": 0}, "max_rounds = 0"),
        ({"num_players": 2.5}, "num_players = 2.5: Chicago is for 2 to 6 players, a whole number"),
        ({"target": 50.5}, "target = 50.5"),
        ({"target": True}, "target = True"),
        ({"winner_bonus": float("nan")}, "winner_bonus = nan"),
        ({"winner_bonus": float("inf")}, "winner_bonus = inf"),
        ({"see_then_decide": 1}, "see_then_decide = 1: it is True or False"),
        ({"winner_bonus": -1}, "winner_bonus = -1"),
        ({"reward": "chips"}, "reward = 'chips': rewards are points and win"),
    ],
)
def test_rules_that_make_no_game_are_refused(rules, says):
    with pytest.raises(ValueError, match=says):
        jaxpoker.make("chicago", **rules)


def test_more_players_than_seats_are_refused():
    with pytest.raises(ValueError, match="players = 3: at a table of 2 seats sit 2 to 2"):
        TWO.start(TWO.deal(jax.random.key(0)), players=3)


def test_a_number_of_players_that_shows_later_ends_the_game_as_illegal():
    deal = TWO.deal(jax.random.key(0))
    state = jax.jit(lambda players: TWO.start(deal, players=players))(5)
    assert state.terminated and state.illegal and state.rewards.tolist() == [0, 0]
    with pytest.raises(ValueError, match=r"players = 2\.0: at a table of 2 seats sit 2 to 2, in whole numbers"):
        TWO.start(deal, players=2.0)
