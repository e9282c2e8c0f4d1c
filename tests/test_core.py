"""The contract of games: random actions, automatic new games, and a check that finds what is broken."""

import dataclasses
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.games import packed
from jaxpoker.games.kuhn import Kuhn


def test_random_actions_are_legal_and_uniform():
    mask = np.random.default_rng(0).random((50, 9)) < 0.5
    mask[:, 3] = True
    choose = jax.jit(jax.vmap(core.random_action, in_axes=(0, None)))
    actions = np.asarray(choose(jax.random.split(jax.random.key(0), 4000), mask))
    for table, legal in enumerate(mask):
        counts = np.bincount(actions[:, table], minlength=9)
        assert not counts[~legal].any()
        expected = 4000 / legal.sum()
        freedom = legal.sum() - 1
        assert ((counts[legal] - expected) ** 2 / expected).sum() < freedom + 6 * np.sqrt(2 * freedom) + 1


@pytest.mark.parametrize("name", ["kuhn", "leduc", "holdem"])
def test_play_on_deals_a_new_game_exactly_where_one_ended(name):
    game, tables = jaxpoker.make(name), 64
    fresh = jax.jit(lambda key: jax.vmap(game.start)(game.deal(key, (tables,))))

    @jax.jit
    def turn_and_parts(state, action_key, deal_key):
        action = core.random_action(action_key, state.legal_action_mask)
        stepped = jax.vmap(game.step)(state, action)
        return core.play_on(game, state, action, deal_key), stepped, stepped.rewards, fresh(deal_key)

    state = fresh(jax.random.key(0))
    ended = 0
    for i in range(8):
        turn, expected, rewards, new = turn_and_parts(state, jax.random.key(i), jax.random.key(10 + i))
        assert (turn.over == expected.terminated).all() and (turn.rewards == rewards).all()
        assert not core.is_over(turn.state).any()
        rows = np.asarray(turn.over)
        for got, old, dealt in zip(*map(jax.tree.leaves, (turn.state, expected, new)), strict=True):
            choice = rows.reshape(-1, *[1] * (old.ndim - 1))
            assert (np.asarray(got) == np.where(choice, dealt, old)).all()
        ended += rows.sum()
        state = turn.state
    assert ended > tables / 2


@dataclass(frozen=True)
class Leaking(Kuhn):
    """Shows the other's card in the last float."""

    def observe(self, state, player):
        return super().observe(state, player).at[-1].set(packed.card_at(state.table, 1 - player))


@dataclass(frozen=True)
class LeakingTokens(Kuhn):
    def information_state(self, state, player):
        return super().information_state(state, player).at[0, 3].set(packed.card_at(state.table, 1 - player))


@dataclass(frozen=True)
class NeverHidden(Kuhn):
    def resample_hidden(self, state, player, key, weights=None):
        return state


@dataclass(frozen=True)
class Forgiving(Kuhn):
    """Takes an illegal action for a pass."""

    def step(self, state, action, key=None):
        action = jnp.asarray(action)
        return super().step(state, jnp.where((action == 0) | (action == 1), action, 0))


@dataclass(frozen=True)
class Restless(Kuhn):
    """Pays again at every step after the end."""

    def step(self, state, action, key=None):
        after = super().step(state, action)
        ended = jnp.where(after.table >= packed.ENDED, after.table | packed.JUST_ENDED, after.table)
        return dataclasses.replace(after, table=ended)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (Leaking, "observation moves"),
        (LeakingTokens, "information state moves"),
        (NeverHidden, "never changed anything"),
        (Forgiving, "illegal action"),
        (Restless, "pays nothing"),
    ],
)
def test_check_finds_what_is_broken(broken, says):
    """tests/games show that it passes honest games."""
    with pytest.raises(AssertionError, match=says):
        core.check(broken(), jax.random.key(0))


def test_unknown_games_and_rules_are_refused():
    with pytest.raises(ValueError, match="unknown game 'omaha': games are kuhn, leduc, holdem"):
        jaxpoker.make("omaha")
    with pytest.raises(ValueError, match="leduc has no rule 'stack': its rules are num_players"):
        jaxpoker.make("leduc", stack=3)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["kuhn", "leduc", "holdem"])
def test_games_keep_the_contract_with_64_bit_numbers(name):
    with jax.enable_x64(True):
        assert core.check(jaxpoker.make(name), jax.random.key(1), tables=16)["steps"] > 16
