"""Leduc poker for three and more players against OpenSpiel's, and the facts that hold for it."""

import itertools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.games import packed
from jaxpoker.games.leduc import CALL, FOLD, RAISE, Leduc
from jaxpoker.games.many_leduc import Deal, ManyLeduc, leduc_for

GAME = ManyLeduc(3)
DEALS = list(itertools.permutations(range(8), 4))
OBSERVE = jax.jit(jax.vmap(GAME.observe, in_axes=(0, None)))
TOKENS = jax.jit(jax.vmap(GAME.information_state, in_axes=(0, None)))
ROWS = jax.jit(jax.vmap(GAME.infoset_index))


def require_as_in_openspiel(walk):
    over = np.array([s.is_terminal() for s in walk.theirs])
    np.testing.assert_array_equal(walk.states.terminated, over)
    returns = np.array([s.returns() if s.is_terminal() else [0.0] * GAME.num_players for s in walk.theirs])
    np.testing.assert_array_equal(walk.states.rewards, returns)
    players = np.array([s.current_player() for s in walk.theirs])
    np.testing.assert_array_equal(np.asarray(walk.states.current_player)[~over], players[~over])
    legal = np.array([[s.is_terminal() or a in s.legal_actions() for a in range(3)] for s in walk.theirs])
    np.testing.assert_array_equal(walk.states.legal_action_mask, legal)


@pytest.fixture(scope="module")
def walk(walk_with_openspiel):
    """All betting, with a few deals: pairs, split pots and each rank are among them."""
    picked = [DEALS[i] for i in np.random.default_rng(0).choice(len(DEALS), 8, replace=False)]
    return walk_with_openspiel(GAME, "leduc_poker(players=3)", 4, [(0, 1, 2, 6), (2, 6, 7, 3), *picked])


def test_every_betting_is_as_in_openspiel(walk):
    require_as_in_openspiel(walk)


@pytest.mark.slow
def test_every_history_of_every_deal_is_as_in_openspiel(walk_with_openspiel):
    for first in range(0, len(DEALS), 70):
        require_as_in_openspiel(walk_with_openspiel(GAME, "leduc_poker(players=3)", 4, DEALS[first : first + 70]))


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_observation_is_openspiels_information_state_tensor(walk, seat):
    np.testing.assert_array_equal(OBSERVE(walk.states, seat), [s.information_state_tensor(seat) for s in walk.theirs])


def test_information_sets_are_openspiels(walk, require_same_partition):
    acting = [i for i, s in enumerate(walk.theirs) if not s.is_terminal()]
    states = jax.tree.map(lambda x: x[np.array(acting)], walk.states)
    theirs = [walk.theirs[i].information_state_string() for i in acting]
    index = np.asarray(ROWS(states, states.current_player)).tolist()
    found = require_same_partition(index, theirs)
    tokens = np.stack([np.asarray(TOKENS(states, seat)) for seat in range(3)])
    own = tokens[np.asarray(states.current_player), np.arange(len(acting))]
    assert require_same_partition([row.tobytes() for row in own], theirs) == found

    def field(name, text):
        found = re.search(rf"\[{name}: ([^\]]*)\]", text)
        return [int(number) for number in found[1].split()] if found else []

    for row, text in zip(index, theirs, strict=True):
        parts = [GAME.card_text(field("Private", text)[0]), in_words(field("Round1", text))]
        if public := field("Public", text):
            parts += [GAME.card_text(public[0]), in_words(field("Round2", text))]
        assert GAME.infoset_text(row) == " | ".join(parts).rstrip()


def in_words(ids):
    return " ".join(("fold", "call", "raise")[a] for a in ids)


def test_tokens_tell_the_chips_that_each_action_puts_in(walk):
    tokens = np.asarray(TOKENS(walk.states, 0))
    for seat in range(3):
        paid = 1 + np.where(tokens[..., 0] == core.FIRST_SEAT + seat, tokens[..., 3], 0).sum(axis=1)
        for their_state, chips in zip(walk.theirs, paid, strict=True):
            if not their_state.is_terminal():
                money = re.search(r"Money.*: (\d+) (\d+) (\d+)", str(their_state))
                assert chips == 100 - int(money[1 + seat])


@pytest.mark.parametrize("players", [3, 4, 5])
def test_keeps_the_contract(players):
    core.check(ManyLeduc(players), jax.random.key(0), tables=64)


@pytest.mark.parametrize("players", [4, 5])
def test_random_games_of_four_and_five_are_as_in_openspiel(players):
    import pyspiel

    game, theirs = ManyLeduc(players), pyspiel.load_game(f"leduc_poker(players={players})")
    step, rng = jax.jit(game.step), np.random.default_rng(players)
    for _ in range(15):
        dealt = rng.permutation(game.num_cards)[: players + 1].tolist()
        ours, other = game.start(Deal.of(dealt[:-1], dealt[-1])), theirs.new_initial_state()
        for card in dealt[:-1]:
            other.apply_action(card)
        while not other.is_terminal():
            assert int(ours.current_player) == other.current_player()
            legal = other.legal_actions()
            assert np.flatnonzero(ours.legal_action_mask).tolist() == legal
            action = int(rng.choice(legal))
            ours = step(ours, action)
            other.apply_action(action)
            if other.is_chance_node():
                other.apply_action(dealt[-1])
        np.testing.assert_allclose(ours.rewards, other.returns(), atol=1e-6)


def test_all_deals_are_about_equally_likely():
    counts = np.unique(jax.jit(lambda key: GAME.deal(key, (1680 * 50,)).cards)(jax.random.key(1)), return_counts=True)[
        1
    ]
    assert len(counts) == 1680
    assert abs(((counts - 50) ** 2 / 50).sum() - 1679) < 4 * np.sqrt(2 * 1679)


def test_weights_rule_out_hands():
    state = GAME.start(Deal.of("Kh Qs Js", "Th"))
    weights = jnp.zeros((3, 8)).at[1, 2].set(1).at[2, 4].set(0.5).at[2, 5].set(0.5)
    resample = jax.jit(jax.vmap(lambda key: GAME.resample_hidden(state, 0, key, weights).table))
    tables = resample(jax.random.split(jax.random.key(0), 200))
    assert set(np.asarray(packed.card_at(tables, 1, 4)).tolist()) == {2}
    assert set(np.asarray(packed.card_at(tables, 2, 4)).tolist()) == {4, 5}
    assert set(np.asarray(packed.card_at(tables, 0, 4)).tolist()) == {6}


def test_a_hand_for_people():
    state = GAME.start(Deal.of("Kh Qs Jh", "Js"))
    for action in (CALL, RAISE, CALL, FOLD, RAISE, CALL):
        state = GAME.step(state, action)
    assert GAME.text(state) == "Kh Qs Jh | call raise call fold | Js | raise call | over, paid [-1.0, -7.0, 8.0]"


def test_the_game_of_two_is_the_old_one():
    assert jaxpoker.make("leduc") == leduc_for(2) == Leduc()
    assert jaxpoker.make("leduc", num_players=3) == GAME
    with pytest.raises(ValueError, match="Leduc poker is for 2 to 5 players"):
        jaxpoker.make("leduc", num_players=6)
    with pytest.raises(ValueError, match="unknown card 'Xh'"):
        Deal.of("Kh Qs Xh")
