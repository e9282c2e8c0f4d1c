"""The measures of a belief network against enumeration, and its policy looked up in a table."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games import kuhn, packed
from jaxpoker.learners.belief.latent_search import Search, searching_player
from jaxpoker.learners.belief.learner import Belief
from jaxpoker.models import belief
from jaxpoker.models.belief import Sizes
from jaxpoker.players import networks
from jaxpoker.solvers.exact import exact_game, strategies
from jaxpoker.studies.belief import evaluation

KUHN, LEDUC = jaxpoker.make("kuhn"), jaxpoker.make("leduc")
GAMES = {"kuhn": KUHN, "leduc": LEDUC}
TINY = Sizes(latent=16, heads=2, layers=1, feed_forward=32)


def some_strategy(game, seed=0):
    legal = exact_game.whole(game).legal_rows()
    table = np.random.default_rng(seed).random(legal.shape) * legal
    return (table / table.sum(axis=1, keepdims=True)).astype(np.float32)


# --- the opponent's hand --------------------------------------------------------------------------


def test_the_posterior_is_that_of_all_games_of_kuhn():
    """All six deals and all lines of betting, weighted by how likely both play them."""
    table = some_strategy(KUHN)
    joint = np.zeros((12, 3))
    step, row_of = jax.jit(KUHN.step), jax.jit(lambda state: KUHN.infoset_index(state, state.current_player))
    start = jax.jit(lambda cards: KUHN.start(kuhn.Deal(packed.pack(cards))))

    def visit(state, cards, probability):
        if state.terminated:
            return
        seat, row = int(state.current_player), int(row_of(state))
        joint[row, cards[1 - seat]] += probability
        for action in range(2):
            visit(step(state, action), cards, probability * table[row, action])

    for cards in itertools.permutations(range(3), 2):
        visit(start(np.array(cards)), cards, 1 / 6)
    found = evaluation.posterior(KUHN, jnp.asarray(table))
    np.testing.assert_allclose(found.reach, joint.sum(axis=1), atol=1e-6)
    np.testing.assert_allclose(found.hands, joint / joint.sum(axis=1, keepdims=True), atol=1e-5)
    np.testing.assert_allclose(found.prior[4], [0.5, 0, 0.5])  # a queen, facing a bet


@pytest.mark.thorough
def test_the_posterior_is_how_often_hands_are_held_in_leduc():
    """As an opponent is dealt and plays them, in tens of thousands of games."""
    table = some_strategy(LEDUC)
    learner = Belief(LEDUC, belief.network(LEDUC, TINY), None, tables=4_096, turns=32, expert=table, imitation=1)

    @jax.jit
    def play(state, key):
        tables, played = learner.play(state, key, True)
        z = jnp.zeros((LEDUC.num_infosets, 16))
        return learner.batch_of(state, tables, played, *learner.rows_of(played.state), z)[0]

    batch = play(learner.init(jax.random.key(0)), jax.random.key(1))
    found = evaluation.posterior(LEDUC, jnp.asarray(table))
    count = np.asarray(batch.row_weight)
    often = count > 400
    assert often.sum() > 40
    share = np.asarray(batch.hands)[often] / count[often, None]
    exact = np.asarray(found.hands)[often]
    error = np.sqrt(exact * (1 - exact) / count[often, None])
    assert (np.abs(share - exact) <= 5 * error + 1e-6).all()
    assert (np.abs(exact - np.asarray(found.prior)[often]) > 0.1).any()  # actions tell something


def test_a_range_is_measured_in_parts_that_add_up():
    network = belief.network(LEDUC, TINY)
    quality = evaluation.range_quality(LEDUC, network, network.init(jax.random.key(0)))
    assert quality.cross_entropy == pytest.approx(quality.bayes_entropy + quality.divergence, rel=1e-5)
    assert quality.divergence > 0 and quality.prior_divergence > 0 and quality.bayes_entropy < np.log(5)
    assert quality.factor == pytest.approx(quality.prior_divergence / quality.divergence)
    assert (np.diff(quality.said) >= -1e-6).all() and 0 < quality.calibration_error < 1
    assert quality.true.mean() == pytest.approx(1 / 6, abs=0.01)


# --- policies by table, with and without search ---------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("name", GAMES)
def test_looked_up_policies_are_those_of_the_player(name):
    """Beliefs that many rows share are those that each would have alone, as the exact solver's replay finds them."""
    game = GAMES[name]
    network = belief.network(game, TINY)
    params = network.init(jax.random.key(2))
    looked_up = evaluation.strategy(game, network, params)
    played = strategies.of_player(exact_game.whole(game), networks.of_policy(network.policy), params)
    np.testing.assert_allclose(looked_up, played, atol=2e-5)


@pytest.mark.thorough
def test_a_searching_player_plays_what_the_search_finds_at_its_information_set():
    network, search = belief.network(KUHN, TINY), Search(simulations=4, depth=2, step=5.0)
    params = network.init(jax.random.key(0))
    table = evaluation.searched_strategy(KUHN, network, search, params, jax.random.key(0))
    played = strategies.of_player(exact_game.whole(KUHN), searching_player(network, search), params)
    np.testing.assert_allclose(table, played, atol=1e-4)
    plain = evaluation.strategy(KUHN, network, params)
    assert np.abs(np.asarray(table - plain)).max() > 0.01
