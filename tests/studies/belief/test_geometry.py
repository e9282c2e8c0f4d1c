"""The geometry of beliefs: attention, variance, and places on a map."""

import numpy as np
import pytest

from jaxpoker.studies.belief import geometry


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
    found = geometry.attention_to_opponent(ATTENTION, TOKENS)
    np.testing.assert_allclose(found[:, 0], ATTENTION[:, 0, :, 2, 2])
    np.testing.assert_allclose(found[:, 1], ATTENTION[:, 1, :, 1, 1])
    assert found.shape == (2, 3, 2) and not found[:, 2].any()


def test_flow_multiplies_the_layers_with_their_residuals():
    flow = geometry.attention_flow(ATTENTION)
    first, second = ((layer.mean(axis=1) + np.eye(4)) / 2 for layer in ATTENTION)
    np.testing.assert_allclose(flow, second @ first)
    np.testing.assert_allclose(flow.sum(axis=-1), 1)
    alone = np.broadcast_to(np.eye(4), ATTENTION.shape)
    np.testing.assert_allclose(geometry.attention_flow(alone), np.broadcast_to(np.eye(4), (3, 4, 4)))


def test_entropy_of_attention_is_0_for_one_token_and_log_n_for_n_alike():
    assert geometry.attention_entropy(ATTENTION[:, 2:], TOKENS[2:]) == pytest.approx(0)
    alike = np.tril(np.ones((1, 1, 1, 4, 4)))
    alike /= alike.sum(axis=-1, keepdims=True)
    assert geometry.attention_entropy(alike, TOKENS[:1]) == pytest.approx(np.log(3))


def test_components_are_the_directions_of_most_variance():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(500, 5)) * np.array([0.1, 4.0, 0.3, 2.0, 0.2]) + 7
    found = geometry.principal_components(z)
    values, vectors = np.linalg.eigh(np.cov(z.T))
    np.testing.assert_allclose(found.explained, values[[-1, -2]] / values.sum(), rtol=1e-6)
    np.testing.assert_allclose(np.abs((found.axes * vectors[:, [-1, -2]].T).sum(axis=1)), 1, rtol=1e-6)
    places = found.of(z)
    np.testing.assert_allclose(found.of(found.back(places)), places, atol=1e-9)
    np.testing.assert_allclose(geometry.belief_variance(z), z.var(axis=0))


@pytest.mark.thorough
def test_neighbours_stay_neighbours():
    """Two clouds far apart: on the map of t-SNE nobody is nearest to somebody of the other."""
    rng = np.random.default_rng(2)
    z = np.concatenate([rng.normal(size=(20, 6)), rng.normal(size=(20, 6)) + 30])
    places = geometry.neighbour_map(z)
    distance = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(40)
    assert ((distance.argmin(axis=1) < 20) == (np.arange(40) < 20)).all()
