"""QNet: its size, and its values by NumPy."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker.models import qnet

GAME = jaxpoker.make("holdem")  # heads-up, the nine actions


def arrays(params):
    """Parameters by their place in the network: "hidden/0/kernel"."""
    return {
        "/".join(str(getattr(k, "key", getattr(k, "name", k))) for k in path if str(k) != ".value"): np.asarray(leaf)
        for path, leaf in jax.tree.leaves_with_path(params)
    }


def test_it_is_200_to_three_times_256_to_9():
    params = qnet.network(GAME).init(jax.random.key(0))
    shapes = {name: leaf.shape for name, leaf in arrays(params).items()}
    assert shapes == {
        "hidden/0/kernel": (200, 256),
        "hidden/0/bias": (256,),
        "hidden/1/kernel": (256, 256),
        "hidden/1/bias": (256,),
        "hidden/2/kernel": (256, 256),
        "hidden/2/bias": (256,),
        "actions/kernel": (256, 9),
        "actions/bias": (9,),
    }


def by_numpy(params, observation, dueling, layer_norm):
    x = np.asarray(observation, np.float64)
    for i in range(3):
        x = x @ params[f"hidden/{i}/kernel"] + params[f"hidden/{i}/bias"]
        if layer_norm:
            x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
            x = x * params[f"norms/{i}/scale"] + params[f"norms/{i}/bias"]
        x = np.maximum(x, 0)
    actions = x @ params["actions/kernel"] + params["actions/bias"]
    if not dueling:
        return actions
    return x @ params["value/kernel"] + params["value/bias"] + actions - actions.mean(-1, keepdims=True)


@pytest.mark.parametrize("dueling", [False, True])
@pytest.mark.parametrize("layer_norm", [False, True])
def test_values_by_numpy(dueling, layer_norm):
    network = qnet.network(GAME, dueling, layer_norm)
    random, shapes = np.random.default_rng(0), jax.eval_shape(network.init, jax.random.key(1))
    params = jax.tree.map(lambda x: 0.1 * random.normal(size=x.shape).astype(np.float32), shapes)  # no bias is 0
    observation = random.random((5, 200)).astype(np.float32)
    found = jax.jit(network.values)(params, observation)
    np.testing.assert_allclose(found, by_numpy(arrays(params), observation, dueling, layer_norm), rtol=1e-4, atol=1e-4)


def test_the_greedy_action_is_the_best_legal_one():
    values, legal = (
        np.array([[1.0, 2.0, 5.0], [-3.0, -1.0, -2.0]]),
        np.array([[True, True, False], [True, False, True]]),
    )
    assert qnet.greedy(values, legal).tolist() == [1, 2]


def test_it_takes_the_observations_of_a_hand():
    network = qnet.network(GAME)

    @jax.jit
    def values_of(params, key):
        return network.values(params, GAME.observe(GAME.init(key), 0))

    values = values_of(network.init(jax.random.key(0)), jax.random.key(2))
    assert values.shape == (GAME.num_actions,) == (9,) and np.isfinite(values).all() and len(set(values.tolist())) == 9
