"""Search in a latent space, on a game that can be enumerated and on the beliefs of a network."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.learners.belief.latent_search import Edge, Model, Node, Search, belief_model, belief_root
from jaxpoker.models import belief
from jaxpoker.models.policy import masked

# --- a game of perfect information: take one to three stones, whoever takes the last one wins ------

STONES = 13
REPLY = np.array([0] + [(n % 4) or 1 for n in range(1, STONES + 1)])  # of a perfect opponent: leave a multiple of 4


def node_of(stones):
    """All legal actions alike, and nothing known of their value."""
    legal = jnp.arange(1, 4) <= stones[:, None]
    return Node(stones, masked(jnp.zeros((len(stones), 3)), legal), jnp.zeros(len(stones)))


def take(params, stones, action, noise):
    """From one turn of the player to its next, the opponent's reply included."""
    left = stones - (action + 1)
    after = jnp.where(left > 0, left - jnp.asarray(REPLY)[jnp.maximum(left, 0)], 0)
    won, lost = left == 0, (left > 0) & (after == 0)
    reward = jnp.where(won, 1.0, jnp.where(lost, -1.0, 0.0))
    over = won | lost | (left < 0)
    return Edge(jnp.where(left < 0, 99.0, reward), jnp.where(over, 0.0, 1.0), node_of(jnp.where(over, 3, after)))


@functools.cache
def minimax(stones):
    """The best that the player to move can get, and the actions that get it; both play perfectly."""
    if stones == 0:
        return -1, ()
    values = {take - 1: -minimax(stones - take)[0] for take in range(1, min(3, stones) + 1)}
    best = max(values.values())
    return best, tuple(action for action, value in values.items() if value == best)


NIM = Model(take, lambda key, n: jnp.zeros((n, 1)))
SEARCHES = {
    "gumbel": Search("gumbel", simulations=64, step=20.0, depth=8),
    "muzero": Search("muzero", simulations=64, depth=8),
    "stochastic": Search("stochastic", simulations=160, depth=8, outcomes=2),
    "rollout": Search("rollout", simulations=300, step=20.0, depth=8),
}


@functools.cache
def searched(method):
    stones = jnp.arange(1, STONES + 1)
    return jax.jit(lambda key: SEARCHES[method](NIM, None, node_of(stones), key))(jax.random.key(0))


@pytest.mark.thorough
@pytest.mark.parametrize("method", SEARCHES)
def test_the_search_finds_the_minimax_move(method):
    found = searched(method)
    for stones in range(1, STONES + 1):
        value, best = minimax(stones)
        if value == 1:  # else all moves lose
            assert int(np.argmax(found.policy[stones - 1])) in best, stones
    if method != "rollout":  # which plays on at random
        won = [minimax(stones)[0] == 1 for stones in range(1, 8)]  # near the end it also knows that it wins
        np.testing.assert_array_equal(np.asarray(found.q).max(axis=1)[:7] > 0, won)


@pytest.mark.parametrize("method", SEARCHES)
def test_an_illegal_action_is_never_tried(method):
    """With one or two stones left, three cannot be taken; it would pay 99, so that a single visit would show."""
    found = searched(method)
    stones = np.arange(1, STONES + 1)[:, None]
    illegal = np.arange(1, 4) > stones
    assert illegal.any() and not np.asarray(found.visits)[illegal].any() and not np.asarray(found.policy)[illegal].any()
    assert np.abs(np.asarray(found.q)[~illegal]).max() <= 1 + 1e-6  # inside the tree it was not tried either
    np.testing.assert_allclose(np.asarray(found.policy).sum(axis=1), 1, rtol=1e-5)


@jax.jit
def searched_by(step):
    """A short search by steps of that size."""
    search = Search("gumbel", simulations=16, step=step, depth=8)
    return search(NIM, None, node_of(jnp.arange(1, STONES + 1)), jax.random.key(0))


def test_a_policy_improved_by_values_is_a_step_of_mirror_descent():
    """π' ∝ π exp(step * q), by the values that the search itself found, where every action was tried."""
    found = searched_by(0.7)
    tried = (np.asarray(found.visits) > 0).all(axis=1)
    assert tried.sum() == STONES - 2  # all where three stones can be taken
    expected = np.exp(0.7 * np.asarray(found.q)[tried])
    assert np.ptp(expected, axis=1).max() > 0.5
    np.testing.assert_allclose(found.policy[tried], expected / expected.sum(axis=1, keepdims=True), atol=1e-5)


def test_a_small_step_changes_a_policy_little():
    choices = np.minimum(np.arange(1, STONES + 1), 3)[:, None]
    even = np.where(np.arange(3) < choices, 1 / choices, 0)
    np.testing.assert_allclose(searched_by(0.01).policy, even, atol=0.01)


# --- on beliefs -----------------------------------------------------------------------------------

LEDUC = jaxpoker.make("leduc")
DRAWN = belief.network(LEDUC, belief.Sizes(latent=16, heads=2, layers=1, feed_forward=32, probabilistic=True))


@pytest.fixture(scope="module")
def roots():
    @jax.jit
    def roots_of(params, key):
        state = jax.vmap(LEDUC.start)(LEDUC.deal(key, (6,)))
        state = jax.vmap(LEDUC.step)(state, jnp.array([1, 2, 1, 2, 1, 2]))
        z = DRAWN.of(params).beliefs(belief.tokens_of(LEDUC, state))
        return belief_root(DRAWN, params, z, state.legal_action_mask), state.legal_action_mask

    params = DRAWN.init(jax.random.key(0))
    root, legal = roots_of(params, jax.random.key(1))
    return params, root, np.asarray(legal)


@pytest.mark.thorough
@pytest.mark.parametrize("method", SEARCHES)
def test_beliefs_can_be_searched_by_every_method(method, roots):
    params, root, legal = roots
    search = Search(method, simulations=24, depth=3)
    found = jax.jit(lambda key: search(belief_model(DRAWN), params, root, key))(jax.random.key(0))
    assert not legal.all() and not np.asarray(found.policy)[~legal].any() and not np.asarray(found.visits)[~legal].any()
    np.testing.assert_allclose(np.asarray(found.policy).sum(axis=1), 1, rtol=1e-5)
    assert np.isfinite(found.q).all() and np.isfinite(found.value).all()


def test_imagined_decisions_have_the_actions_that_the_network_thinks_are_legal(roots):
    """Those of a logit of 0 or more, and the likeliest one in any case."""
    params, root, _ = roots

    @jax.jit
    def imagined(action):
        node = belief_model(DRAWN).step(params, root.latent, action, None).node
        return node, DRAWN.of(params).legal(node.latent)

    said = []
    for action in range(3):
        node, thought = jax.device_get(imagined(np.full(6, action)))
        expected = (thought >= 0) | (thought == thought.max(axis=1, keepdims=True))
        np.testing.assert_array_equal(node.logits > -1e8, expected)
        said.append(expected)
    assert not np.stack(said).all() and np.stack(said).any(axis=-1).all()


@pytest.mark.thorough
def test_a_search_of_depth_one_reads_the_latent_step(roots):
    """q = reward + P(there is a next decision) * value of the belief there."""
    params, root, legal = roots
    search = Search(simulations=12, depth=1)

    @jax.jit
    def both(key):
        return tuple(search(belief_model(DRAWN, uses_value), params, root, key) for uses_value in (True, False))

    @jax.jit
    def ahead(action):
        net = DRAWN.of(params)
        step = net.transition(root.latent, action)
        return step.reward, step.reward + jax.nn.sigmoid(step.goes_on) * net.value(step.latent)

    found, blind = jax.device_get(both(jax.random.key(0)))
    for action in range(3):
        reward, worth = ahead(np.full(6, action))
        tried = found.visits[:, action] > 0
        np.testing.assert_allclose(found.q[tried, action], np.asarray(worth)[tried], atol=1e-5)
        if action == 1:  # legal everywhere
            np.testing.assert_allclose(blind.q[:, action], reward, atol=1e-5)
    np.testing.assert_array_equal(found.visits > 0, legal)


def test_what_makes_no_sense_is_named(roots):
    with pytest.raises(ValueError, match="simulations = 0: a search has 1 or more"):
        Search(simulations=0)
    params, root, _ = roots
    plain = belief.network(LEDUC, belief.Sizes(latent=16, heads=2, layers=1, feed_forward=32))
    with pytest.raises(ValueError, match="needs a model with probabilistic transitions"):
        Search("stochastic")(belief_model(plain), params, root, jax.random.key(0))
