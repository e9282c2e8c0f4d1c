"""Learned values of hold'em: means over cards that are right, files, and matches with less luck and the same mean."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, equity, match, players
from jaxpoker.aivat import by_equity, two_towers
from jaxpoker.aivat.two_towers import SAMPLES, Cards
from jaxpoker.errors import RunError
from jaxpoker.games.holdem.table import FLOP, PREFLOP, RIVER, TURN
from jaxpoker.ranges import NUM_CLASSES

GAME = jaxpoker.make("holdem")


@pytest.fixture(scope="module")
def towers():
    return two_towers.init(jax.random.key(3))


def test_the_mean_before_the_flop_is_that_of_many_deals(towers):
    deals = GAME.deal(jax.random.key(1), (20_000,))
    classes = two_towers.classes_of(deals.hole)
    share = jnp.asarray(equity.matchups().equity, jnp.float32)[classes[:, 0], classes[:, 1]]
    none = jnp.zeros((len(classes), 2, 4), jnp.int32)
    drawn = np.asarray(two_towers.facts(towers, PREFLOP, Cards(classes, none, share)), np.float64)
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    exact = np.asarray(two_towers.mean_before_the_flop(towers))
    assert exact[0] == pytest.approx(1, abs=1e-5) and exact[1] == pytest.approx(0, abs=1e-5)
    assert (np.abs(drawn.mean(axis=0) - exact)[2:] < 5 * error[2:]).all()
    assert classes.max() < NUM_CLASSES


@pytest.mark.thorough
@pytest.mark.optimised
def test_means_over_sampled_cards_are_those_of_the_cards_that_come(towers):
    """In the mean over many deals the facts of a street and their sampled means are the same."""
    deals = GAME.deal(jax.random.key(2), (4_096,))
    known = jax.jit(two_towers.prepare, static_argnums=1)(towers, GAME, deals, jax.random.key(5))
    for street in (FLOP, TURN, RIVER):
        apart = np.asarray(known.facts[:, street] - known.mean_facts[:, street], np.float64)
        error = apart.std(axis=0) / np.sqrt(len(apart))
        assert (np.abs(apart.mean(axis=0)) <= 5 * error).all(), street
        assert apart[:, 2:].std() > 0.01


def test_other_cards_leave_the_open_ones_as_they_are():
    deals = GAME.deal(jax.random.key(2), (8,))
    shares = jnp.full((8, 4), 0.5)
    seen = two_towers.look(deals.hole, deals.board, shares)
    for street in (TURN, RIVER):
        others = two_towers._others(street, deals.hole, deals.board, seen[street], jax.random.key(0))
        assert others.share.shape == (8 * SAMPLES[street],)
        before = np.repeat(np.asarray(seen[street].categories[:, :, :street]), SAMPLES[street], axis=0)
        np.testing.assert_array_equal(others.categories[:, :, :street], before)
        assert (np.asarray(others.categories[:, :, street]) >= before[:, :, street - 1]).all()  # hands become no worse


def test_categories_are_those_of_the_open_cards():
    hole = jnp.asarray(np.stack([cards.parse("AhKh"), cards.parse("7c7d")]))[None]
    board = jnp.asarray(cards.parse("Ad7s2h3hTh"))[None]
    names = [[two_towers.hands.CATEGORIES[c] for c in two_towers.category_on(hole, board, s)[0]] for s in (1, 2, 3)]
    assert names == [["pair", "three of a kind"]] * 2 + [["flush", "three of a kind"]]


def test_towers_are_kept_in_a_file(towers, tmp_path):
    two_towers.save(tmp_path / "values.npz", towers)
    read = two_towers.load(tmp_path / "values.npz")
    for a, b in zip(jax.tree.leaves(towers), jax.tree.leaves(read), strict=True):
        np.testing.assert_allclose(a, b, atol=2e-3, rtol=1e-3)
    (tmp_path / "no.npz").write_bytes(b"nothing")
    with pytest.raises(RunError, match="has no values of two towers"):
        two_towers.load(tmp_path / "no.npz")


@pytest.mark.thorough
@pytest.mark.optimised
def test_towers_that_know_nothing_leave_the_mean_of_a_match(towers):
    """Values without sense, between two who play anything: more luck than before, and no bias."""
    pair = [players.make("random", GAME)] * 2
    worst = two_towers.by_towers(towers)
    result = match.play(GAME, pair, jax.random.key(3), tables=4_096, hands_per_table=1, values=worst)
    raw, found = result.mbb_per_hand[0], result.adjusted[0]
    assert abs(raw.mean - found.mean) < 1.7 * (raw.ci95 + found.ci95)


@pytest.mark.thorough
@pytest.mark.optimised
def test_the_blueprint_against_itself_has_six_tenths_of_its_luck_left_at_most():
    pair = [players.entrant("blueprint", GAME)] * 2
    for values, most in ((two_towers.of_blueprint(), 0.6), (by_equity(), 0.85)):
        result = match.play(
            GAME, pair, jax.random.key(1), tables=4_096, hands_per_table=1, duplicate=False, values=values
        )
        raw, found = result.mbb_per_hand[0], result.adjusted[0]
        assert found.ci95 < most * raw.ci95, values.name
        assert abs(found.mean - raw.mean) < 1.5 * raw.ci95
