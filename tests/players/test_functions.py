"""Players in plain Python, against the same players in JAX."""

import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import match, players

HOLDEM, LEDUC = jaxpoker.make("holdem", stack=100), jaxpoker.make("leduc")


def calls(decision):
    return decision.call_to


def raises_least(decision):
    return decision.min_raise_to


def at_random(decision):
    return int(np.random.default_rng(decision.seed).choice(np.nonzero(decision.legal)[0]))


def test_a_function_plays_as_the_same_player_in_jax():
    key = jax.random.key(0)
    for function, name in ((calls, "call"), (raises_least, "min-raise")):
        ours = match.play(HOLDEM, [players.from_function(function), players.make("tag", HOLDEM)], key, tables=128)
        theirs = match.play(HOLDEM, [players.make(name, HOLDEM), players.make("tag", HOLDEM)], key, tables=128)
        assert ours.mbb_per_hand[0].mean == theirs.mbb_per_hand[0].mean


def test_it_is_legal_and_blind_in_every_kind_of_game():
    for game, function in ((LEDUC, at_random), (jaxpoker.make("kuhn", num_players=3), at_random), (HOLDEM, calls)):
        assert players.check(players.from_function(function), None, game, jax.random.key(1), tables=16) > 10


def test_it_sees_its_cards_the_board_and_the_chips():
    seen = []

    def looks(decision):
        seen.append(decision)
        return decision.call_to

    deal = HOLDEM.deal(jax.random.key(3))
    state = HOLDEM.act(HOLDEM.start(deal), 2)
    player = players.from_function(looks)
    for _ in range(2):
        choice, _ = player.act(None, (), HOLDEM, state, jax.random.key(0))
        state = HOLDEM.act(state, choice)
    first, second = seen
    hole = jaxpoker.cards.text(deal.hole[int(first.seat)])
    assert (first.hole, first.board, first.call_to, first.min_raise_to, first.max_raise_to) == (hole, "", 2, 4, 100)
    assert second.board == jaxpoker.cards.text(deal.board[:3]) and second.facing.pot == 4
    assert not first.is_legal(3) and first.is_legal(4) and not first.is_legal(first.fold)
    np.testing.assert_array_equal(first.observation, HOLDEM.observe(HOLDEM.act(HOLDEM.start(deal), 2), first.seat))


def test_what_it_is_told_besides():
    def looks(decision):
        assert decision.more.shape == (2,) and decision.more.min() >= 1
        return 1

    player = players.from_function(looks, "with chips", see=lambda game, state, player: game.put_in(state))
    assert players.check(player, None, LEDUC, jax.random.key(0), tables=8) > 5


def test_it_is_asked_at_live_tables_only():
    asked = []

    def counts(decision):
        asked.append(decision.seat)
        return 1

    states = jax.vmap(LEDUC.start)(LEDUC.deal(jax.random.key(0), (4,)))
    over = jax.vmap(LEDUC.step)(states, jnp.array([0, 1, 1, 0]))  # an illegal fold ends two of them
    player = players.from_function(counts)
    choices, _ = jax.vmap(lambda s: player.act(None, (), LEDUC, s, jax.random.key(0)))(over)
    assert len(asked) == 2 and choices.tolist() == [0, 1, 1, 0]


def decide(player):
    return player.act(None, (), LEDUC, LEDUC.init(jax.random.key(0)), jax.random.key(0))


def test_what_is_not_legal_is_an_error_that_says_what_is():
    with pytest.raises(Exception, match=r"player 'three' chose 3 in seat \d: .*2 checks or calls, 4 to 100 raise"):
        match.play(
            HOLDEM, [players.from_function(lambda _: 3, "three"), players.make("call", HOLDEM)], jax.random.key(0)
        )
    with pytest.raises(Exception, match=r"chose 7 in seat 0: legal are \[1, 2\]"):
        players.from_function(lambda _: 7, "seven").act(
            None, (), LEDUC, LEDUC.init(jax.random.key(0)), jax.random.key(0)
        )
    with pytest.raises(Exception, match="no chips"):
        decide(players.from_function(calls))


@pytest.mark.optimised
def test_thousands_of_hands_a_second():
    pair = [players.from_function(calls, "fast"), players.make("call", HOLDEM)]
    match.play(HOLDEM, pair, jax.random.key(0), tables=512)  # compiles
    started = time.perf_counter()
    result = match.play(HOLDEM, pair, jax.random.key(1), tables=512)
    hands = 512 * 8 * 2  # tables, hands at each, rotations
    assert result is not None and hands / (time.perf_counter() - started) > 2_000
