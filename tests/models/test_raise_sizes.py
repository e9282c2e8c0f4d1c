"""A policy over chips: its probabilities, its draws, and what it makes of spots where little is legal."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games.holdem import table as holdem_table
from jaxpoker.models import raise_sizes
from jaxpoker.models.raise_sizes import Sized

GAME = jaxpoker.make("holdem", stack=300, small_blind=5, big_blind=10)
KINDS = np.array([0.3, 0.1, 0.9])
RAISES = np.exp(KINDS[2]) / np.exp(KINDS).sum()
TO = np.arange(-1, 301)  # a fold, and all numbers of chips
DRAWS = 40_000


@pytest.fixture(scope="module")
def spots():
    """Tables by name: a first decision, facing a raise, a free check, facing all-in, and a raise that is all-in."""
    act, start = jax.jit(GAME.act), jax.jit(GAME.init)(jax.random.key(0))
    raised = act(start, 25)
    return {
        "open": start,
        "facing a raise": raised,
        "free check": act(start, 10),
        "facing all-in": act(start, 300),
        "all-in or nothing": act(raised, 180),
    }


def odds_of(state, middle, width, to):
    """Of all that ``to`` ``[n]`` says, at one table."""
    output = Sized(jnp.asarray(KINDS, jnp.float32), middle, width, 0.0)
    repeated = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(to), *jnp.shape(x))), (output, state))
    return raise_sizes.odds(*repeated, to)


ODDS = jax.jit(odds_of)
SPOT = jax.jit(lambda state: holdem_table.facing(state, state.current_player))


@jax.jit
def gradients(state, middle, width):
    """Of the log-probability of every number of chips and the entropy there, by middle and width."""

    def both(middle, width, to):
        found = odds_of(state, middle, width, to[None])
        return found.log_probability[0] + found.entropy[0]

    return jax.vmap(jax.value_and_grad(both, (0, 1)), (None, None, 0))(middle, width, jnp.asarray(TO))


def every_probability(state, middle=0.45, width=0.15) -> dict[int, float]:
    """Of all that is legal: a fold, a call, and every number of chips that is a raise."""
    spot = SPOT(state)
    legal = ((int(spot.min_raise_to) <= TO) & bool(spot.may_raise)) | (int(spot.own_bet + spot.to_call) == TO)
    legal |= (TO < 0) & bool(spot.may_fold)
    found = np.exp(np.asarray(ODDS(state, middle, width, TO).log_probability, np.float64))
    return {int(to): float(chance) for to, chance, is_legal in zip(TO, found, legal, strict=True) if is_legal}


@pytest.mark.parametrize(("middle", "width"), [(0.45, 0.15), (-0.4, 0.05), (1.2, 0.4)])
def test_probabilities_of_all_that_is_legal_sum_to_one(spots, middle, width):
    found = {name: every_probability(state, middle, width) for name, state in spots.items()}
    for chances in found.values():
        assert sum(chances.values()) == pytest.approx(1, abs=2e-5)
    assert {name: len(chances) for name, chances in found.items()} == {
        "open": 2 + 281,  # raises to 20 ... 300
        "facing a raise": 2 + 261,
        "free check": 1 + 281,
        "facing all-in": 2,
        "all-in or nothing": 2 + 1,
    }


def test_chips_are_drawn_as_often_as_their_probability_says(spots):
    """Every number of chips: the counts are within the scatter of multinomial draws."""

    @jax.jit
    def draw(state, middle, width, key):
        output = Sized(jnp.asarray(KINDS, jnp.float32), middle, width, 0.0)
        tables = jax.tree.map(lambda x: jnp.broadcast_to(x, (DRAWS, *jnp.shape(x))), (output, state))
        return raise_sizes.drawn(*tables, key)

    wide, at_the_minimum = (0.45, 0.15), (0.03, 0.02)  # there are a few chips in the width of the latter
    for name, size in (("open", wide), ("open", at_the_minimum), ("free check", wide), ("all-in or nothing", wide)):
        expected = every_probability(spots[name], *size)
        drawn = np.asarray(draw(spots[name], *size, jax.random.key(1)))
        assert set(drawn.tolist()) <= set(expected)
        chance = np.array([*expected.values()])
        counts = np.array([(drawn == to).sum() for to in expected])
        often = chance * DRAWS > 5
        distance = ((counts - DRAWS * chance) ** 2 / (DRAWS * chance))[often].sum()
        assert distance < often.sum() + 5 * np.sqrt(2 * often.sum()), name


def test_the_minimum_and_all_in_have_what_would_be_beyond_them(spots):
    """With a middle far outside, all raises are to the end there."""
    low, high = (every_probability(spots["open"], middle, 0.02) for middle in (-2.0, 3.0))
    assert low[20] == pytest.approx(RAISES, rel=1e-5) and high[300] == pytest.approx(RAISES, rel=1e-5)


def test_in_the_middle_a_chip_has_its_width_times_the_density(spots):
    """One chip at c is 1 / (c log(b / a)) wide, and the logistic density at its place p is s (1 - s) / width."""
    chips, span = 60, np.log(300 / 20)
    s = 1 / (1 + np.exp(-(np.log(chips / 20) / span - 0.45) / 0.15))
    expected = RAISES * s * (1 - s) / 0.15 / (chips * span)
    assert every_probability(spots["open"])[chips] == pytest.approx(expected, rel=1e-3)


def test_the_entropy_is_that_of_the_kind_and_of_the_size_in_cells(spots):
    found = float(ODDS(spots["open"], 0.45, 0.15, TO).entropy[0])
    place = 0.45 + 0.15 * np.random.default_rng(0).logistic(size=1_000_000)
    cell = np.clip(np.floor(16 * place), -1, 16).astype(int) + 1
    part = np.bincount(cell, minlength=18) / cell.size
    kinds = np.exp(KINDS) / np.exp(KINDS).sum()
    of_size = -(part[part > 0] * np.log(part[part > 0])).sum()
    assert found == pytest.approx(-(kinds * np.log(kinds)).sum() + RAISES * of_size, abs=2e-3)


def test_where_a_raise_can_only_be_all_in_its_size_has_no_entropy_and_no_gradient(spots):
    found, by_size = gradients(spots["all-in or nothing"], 0.4, 0.2)
    kinds = np.exp(KINDS) / np.exp(KINDS).sum()
    assert float(found[-1]) == pytest.approx(np.log(RAISES) - (kinds * np.log(kinds)).sum(), abs=1e-5)
    assert all(float(gradient[-1]) == 0 for gradient in by_size)


@pytest.mark.parametrize("middle", [-3.0, 0.5, 4.0])
def test_gradients_are_finite_however_unlikely_the_size(spots, middle):
    found, by_size = gradients(spots["open"], middle, 0.02)
    assert np.isfinite(found).all() and all(np.isfinite(gradient).all() for gradient in by_size)
