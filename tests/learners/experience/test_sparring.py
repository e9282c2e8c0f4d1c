"""Sparring: who acts where, whom the learner meets, and what it is paid."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core, equity, players, ranges
from jaxpoker.games import leduc
from jaxpoker.learners.experience import sparring
from jaxpoker.learners.experience.sparring import Sparring
from jaxpoker.players import Player

LEDUC = jaxpoker.make("leduc")
TABLES = 512


def always(action):
    """Takes ``action`` where it is legal, else calls; remembers how often it was asked in this hand."""

    def act(params, memory, game, state, key):
        return jnp.where(state.legal_action_mask[action], action, leduc.CALL), memory + 1

    return Player(f"always {action}", act, None, lambda params: jnp.int32(100), lambda memory: memory * 0)


CALLER, RAISER = always(leduc.CALL), always(leduc.RAISE)


@pytest.fixture(scope="module")
def played():
    """The learner folds if it may and calls else, against a caller, a raiser and one who is never drawn."""
    spar = Sparring(LEDUC, (CALLER, RAISER, always(leduc.FOLD)), (3.0, 1.0, 0.0))
    params = (None, None, None)

    def one(tables, key):
        choice = jnp.where(tables.state.legal_action_mask[:, leduc.FOLD], leduc.FOLD, leduc.CALL)
        after, turn = spar.turn(tables, choice, params, key)
        return after, (tables, turn)

    @jax.jit
    def play(key):
        return jax.lax.scan(one, spar.begin(key, TABLES, params), jax.random.split(key, 40))[1]

    return spar, *jax.tree.map(np.asarray, play(jax.random.key(0)))


def test_the_learner_has_either_seat_at_half_of_the_tables(played):
    spar, tables, turn = played
    seats = np.asarray(spar.own_seats(TABLES))
    assert np.bincount(seats).tolist() == [TABLES // 2, TABLES // 2]
    np.testing.assert_array_equal(turn.is_own, np.asarray(jax.vmap(lambda s: s.current_player)(tables.state)) == seats)


def test_opponents_are_met_as_often_as_their_shares_say(played):
    _, tables, turn = played
    starts = np.concatenate([np.ones((1, TABLES), bool), turn.over[:-1]])
    met = np.bincount(tables.opponent[starts], minlength=3) / starts.sum()
    assert met[2] == 0
    assert abs(met[0] - 0.75) < 4.5 * np.sqrt(0.75 * 0.25 / starts.sum())


def test_an_opponent_stays_for_the_hand(played):
    _, tables, turn = played
    within = ~turn.over[:-1]
    np.testing.assert_array_equal(tables.opponent[1:][within], tables.opponent[:-1][within])


def test_who_folds_to_every_raise_loses_its_ante_to_the_raiser_and_nothing_else(played):
    _, tables, turn = played
    ends = turn.over
    raised = ends & (tables.opponent == 1)
    assert set(turn.reward[raised].tolist()) == {-1.0}
    called = ends & (tables.opponent == 0)
    assert set(turn.reward[called].tolist()) == {-1.0, 0.0, 1.0}  # checked down
    assert not turn.reward[~ends].any()


def test_an_opponent_remembers_its_own_decisions_of_the_hand(played):
    """It sits down with ``new_hand(init_memory(params))``, which is 0, and counts on."""
    _, tables, turn = played
    memory = np.stack([tables.memories[0], tables.memories[1]])  # [opponents, turns, tables]
    own = np.zeros((2, TABLES), int)
    for t in range(len(turn.over)):
        np.testing.assert_array_equal(memory[:, t], own)
        for i in range(2):
            own[i] += ~turn.is_own[t] & (tables.opponent[t] == i)
        own[:, turn.over[t]] = 0


def test_ids_of_a_menu_become_chips():
    @functools.partial(jax.jit, static_argnums=0)
    def chosen(game, action):
        state = jax.vmap(game.start)(game.deal(jax.random.key(0), action.shape))
        return sparring.choice_of(game, state, action)

    chips = chosen(jaxpoker.make("holdem", menu="nine"), jnp.int32([0, 1, 8]))
    assert chips.tolist() == [-1, 2, 200]  # fold, call the big blind, all-in
    assert chosen(jaxpoker.make("kuhn"), jnp.int32([0, 1])).tolist() == [0, 1]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match=r"shares = \(0.0, 0.0\): one for each of always 1, always 2, 0 or more"):
        Sparring(LEDUC, (CALLER, RAISER), (0.0, 0.0))
    with pytest.raises(
        ValueError, match="win_samples = 9, deals = 0: win probabilities come with hands that are dealt"
    ):
        Sparring(jaxpoker.make("holdem"), (CALLER,), (1.0,), 0, 9)
    with pytest.raises(ValueError, match="in a game that has them"):
        Sparring(LEDUC, (CALLER,), (1.0,), 8, 9)
    with pytest.raises(ValueError, match="for 3 players: a learner spars with one opponent"):
        Sparring(jaxpoker.make("kuhn", num_players=3), (CALLER,), (1.0,))


def test_players_by_rule_sit_down_at_hold_em_tables():
    """Chips are theirs to choose: nobody ever acts illegally, and what is won is zero-sum."""
    game = jaxpoker.make("holdem", menu="nine")
    rule = tuple(players.make(name, game) for name in ("call", "tag"))
    spar = Sparring(game, rule, (1.0, 1.0))

    @jax.jit
    def play(key):
        def one(tables, key):
            act_key, turn_key = jax.random.split(key)
            action = core.random_action(act_key, tables.state.legal_action_mask)
            choice = sparring.choice_of(game, tables.state, action)
            after, turn = spar.turn(tables, choice, (None, None), turn_key)
            return after, (turn, after.state.illegal)

        return jax.lax.scan(one, spar.begin(key, 64, (None, None)), jax.random.split(key, 30))[1]

    turn, illegal = jax.tree.map(np.asarray, play(jax.random.key(1)))
    assert not illegal.any()
    assert turn.over.sum() > 200 and np.abs(turn.reward[turn.over]).max() == 100


@pytest.fixture(scope="module")
def dealt_before():
    """All-ins before the flop that are always called, at 64 tables with 16 hands dealt for the segment."""
    game = jaxpoker.make("holdem", menu="push/fold", stack=20)
    spar = Sparring(game, (players.make("call", jaxpoker.make("holdem")),), (1.0,), 16, 10)

    @jax.jit
    def play(key):
        hands = spar.hands(key)

        def one(tables, key):
            choice = jnp.full(64, 20, jnp.int32)
            after, turn = spar.turn(tables, choice, (None,), key, hands)
            return after, (tables, turn)

        return hands, jax.lax.scan(one, spar.begin(key, 64, (None,)), jax.random.split(key, 12))[1]

    return game, *jax.tree.map(np.asarray, play(jax.random.key(2)))


@pytest.mark.thorough
def test_games_of_a_segment_are_hands_that_were_dealt_for_it(dealt_before):
    _, hands, (tables, turn) = dealt_before
    cards_of = lambda deal: np.stack([*deal.hole_cards, *deal.board_cards], axis=-1)  # noqa: E731
    known = {tuple(row) for row in cards_of(hands.deals).tolist()}
    began = np.cumsum(turn.over, axis=0) - turn.over > 0  # the first game of a table was dealt before
    later = cards_of(tables.state.deal)[began].tolist()
    assert len(known) == 16 and {tuple(row) for row in later} == known
    assert tables.state.deal.win_probability.shape == (12, 64, 2, 4)


@pytest.mark.thorough
def test_an_all_in_pays_the_learner_what_its_hand_is_worth(dealt_before):
    """Ten big blinds times twice its part of the pot less one, by the table of all matchups."""
    _, _, (tables, turn) = dealt_before
    ends = turn.over
    deal, table = tables.state.deal, equity.matchups()
    hole = np.stack(deal.hole_cards, axis=-1)[ends]
    classes = [ranges.CLASS_OF_COMBO[np.asarray(ranges.combo_index(hole[:, i], hole[:, i + 1]))] for i in (0, 2)]
    share = np.asarray(table.equity)[classes[0], classes[1]]
    seat = np.broadcast_to(np.arange(64) % 2, ends.shape)[ends]
    expected = 10 * (2 * share - 1) * np.where(seat == 0, 1, -1)
    assert ends.sum() > 300
    np.testing.assert_allclose(turn.reward[ends], expected, atol=1e-4)
    assert not turn.reward[~ends].any()
