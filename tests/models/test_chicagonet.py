"""ChicagoNet: its size, its heads, and a first layer that sums rows instead of multiplying."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from jaxpoker import core
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.chicago import view as chicago_view
from jaxpoker.models import chicagonet
from jaxpoker.models.policy import masked

GAME = Chicago(num_players=6)


@pytest.fixture(scope="module")
def params():
    return chicagonet.init(jax.random.key(0))


@pytest.fixture(scope="module")
def states():
    """Tables of two to six, some way into their first round."""
    players = np.tile(np.arange(2, 7, dtype=np.int32), 8)

    @jax.jit
    def play(key):
        def one(state, key):
            return jax.vmap(GAME.step)(state, core.random_action(key, state.legal_action_mask)), None

        state = jax.vmap(GAME.start)(GAME.deal(key, players.shape), players)
        return jax.lax.scan(one, state, jax.random.split(key, 17))[0]

    return play(jax.random.key(1))


def test_it_has_1_130_310_parameters(params):
    shapes = {"/".join(str(k.key) for k in path[:2]): leaf.shape for path, leaf in jax.tree.leaves_with_path(params)}
    assert sum(leaf.size for leaf in jax.tree.leaves(params)) == 1_130_310
    assert shapes == {
        "first/kernel": (4087, 256),
        "first/bias": (256,),
        "second/kernel": (256, 256),
        "second/bias": (256,),
        "discards/kernel": (256, 64),
        "discards/bias": (64,),
        "tricks/kernel": (256, 5),
        "tricks/bias": (5,),
        "value/kernel": (256, 1),
        "value/bias": (1,),
    }


def test_summing_rows_gives_the_same_numbers(params, states):
    @jax.jit
    def both(params, state):
        player = state.current_player
        net, entries = chicagonet.net_of(params), jax.vmap(chicago_view.entries)(state, player)
        return (
            net(jax.vmap(GAME.observe)(state, player)),
            net.from_entries(entries),
            jax.vmap(net.from_entries)(entries),
        )

    dense, summed, one_by_one = both(params, states)
    assert dense.logits.shape == (40, 69) and dense.value.shape == (40,)
    for output in (summed, one_by_one):
        np.testing.assert_allclose(output.logits, dense.logits, atol=2e-6)
        np.testing.assert_allclose(output.value, dense.value, atol=2e-6)
    assert np.asarray(dense.logits).std(axis=0).min() > 1e-3  # it looks at what it is shown


def test_the_network_is_two_relu_layers_and_three_heads(params):
    seen = np.random.default_rng(0).random(4087, np.float32)
    layers = jax.tree.map(np.asarray, nnx.to_pure_dict(params))

    def layer(name, x):
        return x @ layers[name]["kernel"] + layers[name]["bias"]

    hidden = np.maximum(layer("second", np.maximum(layer("first", seen), 0)), 0)
    output = jax.jit(lambda params, seen: chicagonet.net_of(params)(seen))(params, seen)
    np.testing.assert_allclose(output.logits[:64], layer("discards", hidden), atol=1e-4)
    np.testing.assert_allclose(output.logits[64:], layer("tricks", hidden), atol=1e-4)
    np.testing.assert_allclose(output.value, layer("value", hidden)[0], atol=1e-4)


def test_illegal_actions_are_never_sampled(params, states):
    @jax.jit
    def probabilities_of(params, state):
        legal = state.legal_action_mask
        return jax.nn.softmax(masked(chicagonet.net_of(params)(jnp.zeros((40, 4087))).logits, legal)), legal

    probabilities, legal = map(np.asarray, probabilities_of(params, states))
    assert not probabilities[~legal].any()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
