"""The mean over all hands of the known player: no bias, less variance, and nothing of the hand that it held."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.aivat import enumerated
from jaxpoker.aivat.over_hands import Turn, averaged
from jaxpoker.games import deals, packed
from jaxpoker.games.kuhn import Deal
from jaxpoker.players import Entrant, Player
from jaxpoker.solvers.exact import exact_game, strategies

KUHN = jaxpoker.make("kuhn")
HERO, KNOWN = 0, 1
LINES = ((0, 0), (0, 1, 0), (0, 1, 1), (1, 0), (1, 1))  # pass and bet


@functools.cache
def game_and_table(seed=0):
    whole = exact_game.whole(KUHN)
    table = np.random.default_rng(seed).random((whole.num_rows, 2)) + 0.05
    return whole, jnp.asarray(table / table.sum(axis=1, keepdims=True), jnp.float32)


def any_value(table, game, state):
    return table[game.infoset_index(state, state.current_player), game.hand_index(state, 1 - state.current_player)]


def known_player():
    whole, table = game_and_table()
    return Entrant(strategies.as_player(whole), table)


@functools.cache
def hands():
    """[(cards, line, probability, winnings, estimate)] of all deals and lines."""
    whole, table = game_and_table()
    numbers = jnp.asarray(np.random.default_rng(3).normal(0, 2, (whole.num_rows, KUHN.num_hands)), jnp.float32)
    values = enumerated("any", any_value, numbers)
    act, start = jax.jit(KUHN.act), jax.jit(KUHN.start)
    found = []
    for cards, line in itertools.product(deals.arrangements(3, 2).tolist(), LINES):
        state, turns, probability = start(Deal(packed.pack(jnp.asarray(cards)))), [], 1 / 6
        for action in line:
            row = KUHN.infoset_index(state, state.current_player)
            probability *= float(table[row, action])
            turns.append(Turn(state, jnp.int32(action), ()))
            state = act(state, jnp.int32(action))
        assert bool(state.terminated)
        prior = np.arange(3) != cards[HERO]
        estimate = averaged(values, (), KUHN, known_player(), KNOWN, jnp.arange(3), prior, turns)
        found.append((cards, line, probability, float(state.rewards[0]), estimate))
    return found


def test_the_mean_over_all_hands_is_the_value():
    _, _, chance, won, estimate = (np.array(list(column), object) for column in zip(*hands(), strict=True))
    chance, won, estimate = (np.asarray(column, float) for column in (chance, won, estimate))
    assert chance.sum() == pytest.approx(1)
    assert chance @ estimate == pytest.approx(chance @ won, abs=1e-5)


def test_it_does_not_depend_on_the_hand_that_was_held():
    seen = {}
    for cards, line, _, _, estimate in hands():
        assert seen.setdefault((cards[HERO], line), estimate) == pytest.approx(estimate, abs=1e-6)
    assert len(seen) == 15 and len({round(one, 4) for one in seen.values()}) == 15


def test_who_does_not_tell_is_refused():
    silent = Entrant(Player("silent", lambda *_: None))
    with pytest.raises(ValueError, match="player 'silent' does not tell what it draws its actions from"):
        averaged(enumerated("any", any_value), (), KUHN, silent, KNOWN, jnp.arange(3), np.ones(3), [])
