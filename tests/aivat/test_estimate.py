"""AIVAT on small games, adding up every deal and action: no bias with any values, no variance with exact ones."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import aivat, core, match, players
from jaxpoker.games import deals as all_deals
from jaxpoker.games import packed
from jaxpoker.games.kuhn import Deal as KuhnDeal
from jaxpoker.games.leduc import Deal as LeducDeal
from jaxpoker.players import Entrant, Mixture
from jaxpoker.solvers.exact import exact_game, joint_values, strategies

KUHN, LEDUC = jaxpoker.make("kuhn"), jaxpoker.make("leduc")
DEALS = {"kuhn": (3, 2, KuhnDeal), "leduc": (6, 3, LeducDeal)}


@functools.cache
def exact(game):
    return exact_game.whole(game)


def a_strategy(game, seed):
    """Any strategy table, all legal actions with some probability."""
    legal = exact(game).legal_rows()
    table = np.random.default_rng(seed).random(legal.shape) * legal + 0.05 * legal
    return jnp.asarray(table / table.sum(axis=1, keepdims=True), jnp.float32)


def any_values(game, seed):
    """A value function without rhyme or reason: a random number for each information set and hand of the other."""
    return joint_values.aivat_values(exact(game), a_strategy(game, 0), a_strategy(game, 1))._replace(
        params=jnp.asarray(np.random.default_rng(seed).normal(0, 3, (exact(game).num_rows, game.num_hands)), np.float32)
    )


@functools.partial(jax.jit, static_argnums=(0, 1))
def first_terms(game, how, weights, states):
    return jax.vmap(lambda state: aivat.dealt(how._replace(params=weights), (), game, state))(states)


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def after_action(game, how, known, weights, mix, states, action):
    """States after ``action`` and what the estimate has more then, where the actor has the strategy ``mix``."""

    def one(state, mix):
        after = game.act(state, action)
        mixture = Mixture(jnp.arange(game.num_actions), mix, action, mix[action]) if known else None
        return after, aivat.acted(how._replace(params=weights), (), game, state, after, mixture) + after.rewards[0]

    return jax.vmap(one)(states, mix)


def every_hand(game, values, tables, known):
    """Probabilities and estimates of all hands: deals × betting lines; ``known`` says whose actions have terms."""
    number, places, deal = DEALS[game.name]
    cards = all_deals.arrangements(number, places)
    states = jax.vmap(game.start)(deal(packed.pack(jnp.asarray(cards))))
    how, weights = values._replace(params=None), values.params
    found = []

    def walk(states, chance, estimate):
        if bool(core.is_over(states).all()):
            found.append((chance, estimate))
            return
        seat = int(states.current_player[0])  # betting is public
        rows = jax.vmap(lambda state: game.infoset_index(state, state.current_player))(states)
        mix = tables[seat][rows]
        for action in np.flatnonzero(np.asarray(states.legal_action_mask[0])).tolist():
            after, more = after_action(game, how, known[seat], weights, mix, states, action)
            walk(after, chance * np.asarray(mix[:, action], np.float64), estimate + np.asarray(more, np.float64))

    begin = np.asarray(first_terms(game, how, weights, states), np.float64)
    walk(states, np.full(len(cards), 1 / len(cards)), begin)
    return (np.concatenate(part) for part in zip(*found, strict=True))


def value_of(game, first, second):
    """Of the game for seat 0, by the sweep of the solvers."""
    whole = exact(game)
    return float(whole.values(0, None, whole.part(0, first), whole.part(1, second)).value)


BOTH, FIRST, NEITHER = (True, True), (True, False), (False, False)


@pytest.mark.parametrize(
    ("game", "known"),
    [(KUHN, BOTH), (KUHN, FIRST), (KUHN, NEITHER), pytest.param(LEDUC, BOTH, marks=pytest.mark.thorough)],
    ids=["kuhn both", "kuhn first", "kuhn neither", "leduc both"],
)
def test_the_mean_over_all_hands_is_the_value_whatever_the_value_function_says(game, known):
    first, second = a_strategy(game, 0), a_strategy(game, 1)
    chance, estimate = every_hand(game, any_values(game, 5), (first, second), known)
    assert chance.sum() == pytest.approx(1, abs=1e-6)
    assert estimate.std() > 1  # it is a bad one
    assert chance @ estimate == pytest.approx(value_of(game, first, second), abs=2e-5)


@pytest.mark.parametrize("game", [KUHN, pytest.param(LEDUC, marks=pytest.mark.thorough)], ids=["kuhn", "leduc"])
def test_with_exact_values_and_known_strategies_every_hand_is_worth_the_same(game):
    first, second = a_strategy(game, 2), a_strategy(game, 3)
    values = joint_values.aivat_values(exact(game), first, second)
    _, estimate = every_hand(game, values, (first, second), (True, True))
    np.testing.assert_allclose(estimate, value_of(game, first, second), atol=2e-5)


def test_without_the_opponents_strategy_its_actions_are_what_is_left_to_luck():
    first, second = a_strategy(KUHN, 2), a_strategy(KUHN, 3)
    values = joint_values.aivat_values(exact(KUHN), first, second)
    spreads = []
    for known in (BOTH, FIRST, NEITHER):
        chance, estimate = every_hand(KUHN, values, (first, second), known)
        spreads.append(np.sqrt(chance @ (estimate - chance @ estimate) ** 2))
    assert spreads[0] < 1e-5 < spreads[1] < spreads[2]


@pytest.mark.parametrize("duplicate", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_a_match_of_leduc_has_no_luck_left_and_the_right_mean(duplicate):
    """Several hands a table; with duplicate deals the two seats swap, and the mean is that of both: zero."""
    table = a_strategy(LEDUC, 2)
    values = joint_values.aivat_values(exact(LEDUC), table, table)
    pair = [Entrant(strategies.as_player(exact(LEDUC)), table)] * 2
    result = match.play(
        LEDUC, pair, jax.random.key(0), tables=256, hands_per_table=3, duplicate=duplicate, values=values
    )
    expected = 0.0 if duplicate else 1000 * value_of(LEDUC, table, table)
    assert result.adjusted[0].mean == pytest.approx(expected, abs=0.05)
    assert result.adjusted[0].ci95 < 1e-2 < result.mbb_per_hand[0].ci95
    assert result.adjusted[1].mean == -result.adjusted[0].mean
    assert str(result).splitlines()[0].endswith("by AIVAT")


@pytest.mark.thorough
@pytest.mark.optimised
def test_a_match_with_bad_values_has_the_raw_mean():
    player, table = strategies.as_player(exact(LEDUC)), a_strategy(LEDUC, 2)
    pair = [Entrant(player, table), players.make("random", LEDUC)]
    result = match.play(LEDUC, pair, jax.random.key(4), tables=8_192, hands_per_table=2, values=any_values(LEDUC, 6))
    raw, found = result.mbb_per_hand[0], result.adjusted[0]
    assert raw.ci95 != found.ci95
    assert abs(raw.mean - found.mean) < 2 * (raw.ci95 + found.ci95)


def test_it_is_refused_where_it_has_no_meaning():
    values = aivat.by_equity()
    three = jaxpoker.make("kuhn", num_players=3)
    with pytest.raises(ValueError, match="AIVAT is for two players and zero sums: kuhn has 3 players here"):
        match.play(three, [players.make("random", three)] * 3, jax.random.key(0), values=values)
