"""Deals that walks sample: cards of the deck, lists of deals with their probabilities, and drawn actions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import ranges
from jaxpoker.solvers.sampling import walk_game
from jaxpoker.solvers.sweep import PLAYERS


def test_deals_of_holdem_are_cards_of_the_deck(solver_of):
    """Aces hold up against a random hand as often as the exact table says, and both seats get them alike."""
    game = solver_of("push/fold", "external").game
    dealt = jax.jit(game.deal, static_argnums=2)(game.tables, jax.random.key(5), 400_000)
    aces = ranges.CLASS_NAMES.index("AA")
    for seat, win in zip(PLAYERS, (0, 2), strict=True):
        with_aces = np.asarray(dealt.outcome)[np.asarray(dealt.columns[0, seat]) == aces]
        assert len(with_aces) / 400_000 == pytest.approx(6 / 1326, rel=0.1)
        equity = ((with_aces == win) + (with_aces == 1) / 2).mean()
        assert equity == pytest.approx(ranges.preflop_table().equity[aces], abs=0.03)


def test_listed_deals_come_as_often_as_they_should(push_fold):
    """Of push/fold's 85,000 pairs of classes with an outcome; seats and outcomes in the order of the list."""
    game = walk_game.between_cards(push_fold)
    keep, alias = (np.asarray(x, np.float64) for x in game.tables[2:])
    drawn = np.bincount(alias.astype(int), 1 - keep, minlength=len(keep)) + keep
    street = push_fold.deals.streets[0]
    exact = np.stack([street.win, street.tie, street.lose], axis=-1)[0]
    columns, outcome = np.asarray(game.tables[0])[0], np.asarray(game.tables[1])
    np.testing.assert_allclose(drawn / len(keep), exact[columns[0], columns[1], outcome], atol=1e-11)
    dealt = game.deal(game.tables, jax.random.key(0), 200_000)
    seen = np.bincount(np.asarray(dealt.columns)[0, 0], minlength=169) / 200_000
    np.testing.assert_allclose(seen, ranges.COMBOS_PER_CLASS / 1326, atol=0.001)


def test_actions_are_drawn_by_their_probabilities_and_never_one_of_probability_zero():
    words = jnp.asarray([0, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1], jnp.uint32)
    chances = jnp.asarray([0.0, 0.25, 0.25, 0.5, 0.0])
    drawn = walk_game.draw(jnp.broadcast_to(chances[:, None], (5, 5)), words)
    np.testing.assert_array_equal(np.argmax(drawn, axis=0), [1, 2, 2, 3, 3])
    np.testing.assert_array_equal(drawn.sum(axis=0), 1)


def test_a_table_of_aliases_has_the_distribution_it_was_made_of():
    chances = np.random.default_rng(0).exponential(size=17) ** 3
    keep, alias = walk_game.alias_table(chances)
    drawn = (np.bincount(alias, 1 - keep, minlength=17) + keep) / 17
    np.testing.assert_allclose(drawn, chances / chances.sum(), atol=1e-7)
