"""What players say that they drew from is what they draw from: menus, equal chips, bets off the tree, chip amounts."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.games.bets import FOLD_CHIPS

GAME = jaxpoker.make("holdem", stack=1000, small_blind=5, big_blind=10)
DRAWS = 4_096


@functools.partial(jax.jit, static_argnums=(0, 2))
def drawn(player, params, game, state, keys):
    """Choices, and mixtures told after each, of many draws at one state."""

    def one(key):
        memory = player.new_hand(player.init_memory(params))
        choice, memory = player.act(params, memory, game, state, key)
        return choice, player.mixture(params, memory, game, state, choice)

    return jax.vmap(one)(keys)


def seen(name, *actions, key=0):
    """Draws of the player called ``name`` after ``actions``, chips "to"."""
    entrant = players.entrant(name, GAME)
    state = GAME.init(jax.random.key(key))
    for to in actions:
        state = GAME.act(state, jnp.int32(to))
    assert not state.terminated
    choices, mixtures = drawn(entrant.player, entrant.params, GAME, state, jax.random.split(jax.random.key(9), DRAWS))
    return state, np.asarray(choices), jax.tree.map(np.asarray, mixtures)


def assert_frequencies(hits, probability):
    """``probability`` [n] each, of ``hits`` [n] bool."""
    error = np.sqrt(max(probability.mean() * (1 - probability.mean()), 1e-4) / len(hits))
    assert abs(hits.mean() - probability.mean()) < 5 * error


def test_two_entries_of_the_same_chips_are_one_choice():
    """Min raise and half the pot are both "to 20" at first; any of the seven legal entries is as likely."""
    _, choices, mixtures = seen("random")
    twenty = choices == 20
    np.testing.assert_allclose(mixtures.likelihood[twenty], 2 / 7, rtol=1e-5)
    np.testing.assert_allclose(mixtures.likelihood[~twenty], 1 / 7, rtol=1e-5)
    assert_frequencies(twenty, np.full(DRAWS, 2 / 7))
    np.testing.assert_array_equal(np.take_along_axis(mixtures.choices, mixtures.drawn[:, None], 1)[:, 0], choices)


@pytest.mark.thorough
@pytest.mark.parametrize("bet", [27, 61])
def test_the_blueprint_tells_its_odds_given_how_it_read_a_bet_off_its_tree(bet):
    """It reads the bet as one of two sizes by chance, and then draws: the odds are those of the size that it read."""
    different = 0
    for key in range(4):
        _, choices, mixtures = seen("blueprint", bet, key=key)
        np.testing.assert_array_equal(np.take_along_axis(mixtures.choices, mixtures.drawn[:, None], 1)[:, 0], choices)
        readings, which = np.unique(mixtures.probabilities, axis=0, return_inverse=True)
        assert len(readings) <= 2
        different += len(readings) == 2
        for reading, odds in enumerate(readings):
            here = which.reshape(-1) == reading
            for action, probability in enumerate(odds):
                assert_frequencies(mixtures.drawn[here] == action, np.full(here.sum(), probability))
    assert different


@pytest.mark.thorough
def test_a_network_over_chips_tells_the_odds_of_the_very_chips():
    state, choices, mixtures = seen("ppo", 30)
    np.testing.assert_allclose(mixtures.probabilities.sum(axis=1), 1, rtol=1e-4)
    price = int(GAME.facing(state).price)
    kind = np.where(choices == FOLD_CHIPS, 0, np.where(choices > price, 2, 1))
    np.testing.assert_array_equal(kind, mixtures.drawn)
    for number in range(3):
        assert_frequencies(kind == number, mixtures.probabilities[:, number])
    sizes, first = np.unique(choices, return_index=True)
    for size, at in zip(sizes, first, strict=True):
        assert_frequencies(choices == size, np.full(DRAWS, mixtures.likelihood[at]))


def test_who_remembers_or_chooses_by_rule_does_not_tell():
    for name in ("tag", "candid statistician", "smart"):
        assert players.entrant(name, GAME).player.mixture is None
    for name in ("call", "hothead maniac", "random", "blueprint", "ppo", "dqn"):
        assert players.entrant(name, GAME).player.mixture is not None
