"""The measures of a belief network against enumeration, and the geometry of beliefs."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games import kuhn, packed
from jaxpoker.learners import belief_evaluation, belief_geometry
from jaxpoker.learners.belief import Belief
from jaxpoker.learners.latent_search import Search, searching_player
from jaxpoker.models import belief
from jaxpoker.models.belief import Sizes
from jaxpoker.solvers.exact import exact_game, strategies

KUHN, LEDUC = jaxpoker.make("kuhn"), jaxpoker.make("leduc")
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
    found = belief_evaluation.posterior(KUHN, jnp.asarray(table))
    np.testing.assert_allclose(found.reach, joint.sum(axis=1), atol=1e-6)
    np.testing.assert_allclose(found.hands, joint / joint.sum(axis=1, keepdims=True), atol=1e-5)
    np.testing.assert_allclose(found.prior[4], [0.5, 0, 0.5])  # a queen, facing a bet


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
    found = belief_evaluation.posterior(LEDUC, jnp.asarray(table))
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
    quality = belief_evaluation.range_quality(LEDUC, network, network.init(jax.random.key(0)))
    assert quality.cross_entropy == pytest.approx(quality.bayes_entropy + quality.divergence, rel=1e-5)
    assert quality.divergence > 0 and quality.prior_divergence > 0 and quality.bayes_entropy < np.log(5)
    assert quality.factor == pytest.approx(quality.prior_divergence / quality.divergence)
    assert (np.diff(quality.said) >= -1e-6).all() and 0 < quality.calibration_error < 1
    assert quality.true.mean() == pytest.approx(1 / 6, abs=0.01)


# --- search at the table --------------------------------------------------------------------------


def test_a_searching_player_plays_what_the_search_finds_at_its_information_set():
    network, search = belief.network(KUHN, TINY), Search(simulations=4, depth=2, step=5.0)
    params = network.init(jax.random.key(0))
    table = belief_evaluation.searched_strategy(KUHN, network, search, params, jax.random.key(0))
    played = strategies.of_player(exact_game.whole(KUHN), searching_player(network, search), params)
    np.testing.assert_allclose(table, played, atol=1e-4)
    plain = belief_evaluation.strategy(KUHN, network, params)
    assert np.abs(np.asarray(table - plain)).max() > 0.01


# --- geometry -------------------------------------------------------------------------------------


def hand(*tokens):
    rows = np.zeros((4, 4), np.int32)
    rows[: len(tokens)] = tokens
    return rows


OWN, OTHER = 2, 3  # seats 0 and 1
TOKENS = np.stack(
    [
        hand((OWN, 1, 0, 0), (OWN, 0, 1, 0), (OTHER, 0, 2, 1)),  # a jack, pass, bet
        hand((OTHER, 2, 0, 0), (OWN, 0, 2, 1)),  # seat 1's queen, facing a bet
        hand((OWN, 3, 0, 0)),  # nobody has acted
    ]
)
ATTENTION = np.tril(np.random.default_rng(0).random((2, 3, 2, 4, 4))) + np.eye(4)
ATTENTION = ATTENTION / ATTENTION.sum(axis=-1, keepdims=True)


def test_attention_to_the_opponents_actions_is_read_from_the_last_tokens_row():
    found = belief_geometry.attention_to_opponent(ATTENTION, TOKENS)
    np.testing.assert_allclose(found[:, 0], ATTENTION[:, 0, :, 2, 2])
    np.testing.assert_allclose(found[:, 1], ATTENTION[:, 1, :, 1, 1])
    assert found.shape == (2, 3, 2) and not found[:, 2].any()


def test_flow_multiplies_the_layers_with_their_residuals():
    flow = belief_geometry.attention_flow(ATTENTION)
    first, second = ((layer.mean(axis=1) + np.eye(4)) / 2 for layer in ATTENTION)
    np.testing.assert_allclose(flow, second @ first)
    np.testing.assert_allclose(flow.sum(axis=-1), 1)
    alone = np.broadcast_to(np.eye(4), ATTENTION.shape)
    np.testing.assert_allclose(belief_geometry.attention_flow(alone), np.broadcast_to(np.eye(4), (3, 4, 4)))


def test_entropy_of_attention_is_0_for_one_token_and_log_n_for_n_alike():
    assert belief_geometry.attention_entropy(ATTENTION[:, 2:], TOKENS[2:]) == pytest.approx(0)
    alike = np.tril(np.ones((1, 1, 1, 4, 4)))
    alike /= alike.sum(axis=-1, keepdims=True)
    assert belief_geometry.attention_entropy(alike, TOKENS[:1]) == pytest.approx(np.log(3))


def test_components_are_the_directions_of_most_variance():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(500, 5)) * np.array([0.1, 4.0, 0.3, 2.0, 0.2]) + 7
    found = belief_geometry.principal_components(z)
    values, vectors = np.linalg.eigh(np.cov(z.T))
    np.testing.assert_allclose(found.explained, values[[-1, -2]] / values.sum(), rtol=1e-6)
    np.testing.assert_allclose(np.abs((found.axes * vectors[:, [-1, -2]].T).sum(axis=1)), 1, rtol=1e-6)
    places = found.of(z)
    np.testing.assert_allclose(found.of(found.back(places)), places, atol=1e-9)
    np.testing.assert_allclose(belief_geometry.belief_variance(z), z.var(axis=0))


def test_neighbours_stay_neighbours():
    """Two clouds far apart: on the map of t-SNE nobody is nearest to somebody of the other."""
    rng = np.random.default_rng(2)
    z = np.concatenate([rng.normal(size=(20, 6)), rng.normal(size=(20, 6)) + 30])
    places = belief_geometry.neighbour_map(z)
    distance = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(40)
    assert ((distance.argmin(axis=1) < 20) == (np.arange(40) < 20)).all()
