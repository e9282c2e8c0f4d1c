"""The belief transformer: what may change a belief and what may not, its heads, and its latent steps."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jaxpoker
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.models import belief
from jaxpoker.models.belief import Sizes
from jaxpoker.models.belief_heads import divergence
from jaxpoker.models.policy import masked

LEDUC = jaxpoker.make("leduc")
NETWORK = belief.network(LEDUC, Sizes(latent=16, heads=2, layers=2, feed_forward=32))
DRAWN = belief.network(LEDUC, Sizes(latent=16, heads=2, layers=1, feed_forward=32, probabilistic=True))
LENGTH = 10  # tokens of Leduc
TABLES = 16


@pytest.fixture(scope="module")
def params():
    return NETWORK.init(jax.random.key(0))


@pytest.fixture(scope="module")
def encode():
    return jax.jit(lambda params, tokens: NETWORK.of(params).encode(tokens))


@pytest.fixture(scope="module")
def tables():
    """First decisions of Leduc, and the same tables with other hidden cards."""

    @jax.jit
    def deal(key):
        state = jax.vmap(LEDUC.start)(LEDUC.deal(key, (TABLES,)))
        return state, jax.vmap(LEDUC.resample_hidden)(state, state.current_player, jax.random.split(key, TABLES))

    return deal(jax.random.key(3))


@pytest.fixture(scope="module")
def said():
    return jax.jit(lambda params, state: NETWORK.policy.said(params, LEDUC, state))


@pytest.fixture(scope="module")
def tokens():
    """Random sequences of three to ten tokens."""
    rng = np.random.default_rng(0)
    actors, cards, actions = LEDUC.token_sizes
    sizes = np.array([actors - 1, cards, actions, 9])
    drawn = (rng.random((24, LENGTH, 4)) * sizes).astype(np.int32) + np.array([1, 0, 0, 0])
    length = rng.integers(3, LENGTH + 1, 24)
    return np.where(np.arange(LENGTH)[:, None] < length[:, None, None], drawn, 0).astype(np.int32)


def test_what_comes_later_changes_no_earlier_belief(params, encode, tokens):
    before = np.asarray(encode(params, tokens).tokens)
    for place in range(1, LENGTH):
        other = tokens.copy()
        other[:, place:] = other[::-1, place:]
        after = np.asarray(encode(params, other).tokens)
        np.testing.assert_array_equal(before[:, :place], after[:, :place])
        changed = (other[:, place] != tokens[:, place]).any(axis=1)
        assert changed.any() and (before[changed, place] != after[changed, place]).any(axis=1).all()


def test_padding_changes_no_belief(params, encode, tokens):
    """A hand of three tokens believes the same with three places as with ten or with fifty."""
    short = tokens[:, :3]
    alone = encode(params, short).belief
    for places in (LENGTH, 50):
        padded = np.zeros((len(short), places, 4), np.int32)
        padded[:, :3] = short
        np.testing.assert_allclose(encode(params, padded).belief, alone, atol=1e-5)


def test_the_belief_is_what_the_last_token_has_become(params, encode, tokens):
    encoded = encode(params, tokens)
    length = np.asarray(belief.length_of(jnp.asarray(tokens)))
    assert length.min() == 3 and length.max() == LENGTH
    np.testing.assert_array_equal(encoded.belief, np.asarray(encoded.tokens)[np.arange(24), length - 1])


def test_attention_rows_sum_to_one_and_never_look_ahead(params, encode, tokens):
    attention = np.asarray(encode(params, tokens).attention)
    assert attention.shape == (2, 24, 2, LENGTH, LENGTH)  # layers, hands, heads
    np.testing.assert_allclose(attention.sum(axis=-1), 1, atol=1e-5)
    assert not attention[..., ~np.tri(LENGTH, dtype=bool)].any()


def by_numpy(params, tokens):
    """What became of the tokens [..., 10, 16], and the attention of each layer [..., heads, 10, 10]."""

    def linear(layer, x):
        return x @ layer["kernel"] + layer["bias"]

    def normalised(layer, x):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
        return x * layer["scale"] + layer["bias"]

    spaces = params["embedding"]
    fields = [spaces[name]["embedding"][tokens[..., i]] for i, name in enumerate(("actor", "card", "action"))]
    amount = linear(spaces["amount"], np.log1p(tokens[..., 3:].astype(float)))
    x = np.concatenate([*fields, amount], axis=-1) + belief.position_code(LENGTH, 16)
    layers = []
    for block in params["blocks"].values():
        asked = linear(block["asks"], x).reshape(*x.shape[:-1], 2, 24).swapaxes(-2, -3)  # [..., heads, tokens, 24]
        queries, keys, values = np.split(asked, 3, axis=-1)
        scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(8)
        weights = np.where(np.tri(LENGTH, dtype=bool), np.exp(scores), 0)
        layers.append(weights / weights.sum(axis=-1, keepdims=True))
        gathered = (layers[-1] @ values).swapaxes(-2, -3).reshape(x.shape)
        x = normalised(block["after_attention"], x + linear(block["gathers"], gathered))
        wide = np.maximum(linear(block["widens"], x), 0)
        x = normalised(block["after_feed_forward"], x + linear(block["narrows"], wide))
    return x, layers


def test_blocks_are_attention_and_a_wide_layer_each_added_and_normalised(params, encode, tokens):
    plain = jax.tree.map(lambda x: np.asarray(x, np.float64), nnx.to_pure_dict(params))
    expected, attention = by_numpy(plain, tokens)
    found = encode(params, tokens)
    np.testing.assert_allclose(found.tokens, expected, atol=2e-5)
    np.testing.assert_allclose(found.attention, np.stack(attention), atol=1e-5)


def test_every_field_of_a_token_matters(params, encode, tokens):
    before = np.asarray(encode(params, tokens).belief)
    for field in range(4):
        other = tokens.copy()
        other[:, 1, field] = other[:, 1, field] % 2 + 1
        changed = (other != tokens).any(axis=(1, 2))
        assert changed.sum() > 5
        assert (np.abs(before - np.asarray(encode(params, other).belief)).max(axis=1) > 1e-3)[changed].all()


def test_positions_are_sines_and_cosines():
    code = belief.position_code(7, 8)
    for place in range(7):
        for i in range(4):
            angle = place / 10_000 ** (2 * i / 8)
            assert code[place, 2 * i : 2 * i + 2] == pytest.approx([np.sin(angle), np.cos(angle)], abs=1e-6)


def test_what_a_player_cannot_see_changes_nothing_that_the_network_says(params, tables, said):
    state, other = tables
    assert (np.asarray(state.table) != np.asarray(other.table)).any()
    for ours, theirs in zip(said(params, state), said(params, other), strict=True):
        np.testing.assert_array_equal(ours, theirs)


GAMES = {
    "kuhn": (Kuhn(), 4, 3, 2),
    "leduc": (LEDUC, LENGTH, 6, 3),
    "holdem": (jaxpoker.make("holdem", menu="33%, 75%, a", max_log=12), 25, 1326, None),
}


@pytest.mark.parametrize("name", GAMES)
def test_shapes_in_every_game(name):
    """All heads have the sizes of the game."""
    game, places, hands, actions = GAMES[name]
    network = belief.network(game, Sizes(latent=16, heads=2, layers=1, feed_forward=32))

    def start(key):
        return jax.vmap(game.start)(game.deal(key, (5,)))

    def looked_at(key):
        net, tokens = network.of(network.init(key)), belief.tokens_of(game, start(key))
        z = net.beliefs(tokens)
        step = net.transition(z, jnp.zeros(5, jnp.int32))
        heads = (net.value(z), net.range(z), net.policy(z), net.legal(z))
        return tokens, z, heads, (step.latent, step.reward, step.goes_on)

    tokens, z, heads, step = jax.tree.map(lambda x: x.shape, jax.eval_shape(looked_at, jax.random.key(0)))
    actions = actions or game.num_actions
    assert tokens == (5, places, 4) and z == (5, 16)
    assert heads == ((5,), (5, hands), (5, actions), (5, actions))
    assert step == ((5, 16), (5,), (5,))
    held = jax.jit(jax.vmap(lambda table: belief.hand_of(game, table, 1 - table.current_player)))
    held = np.asarray(held(jax.jit(start)(jax.random.key(1))))
    assert (held >= 0).all() and (held < hands).all()


def test_illegal_actions_have_probability_zero(params, tables, said):
    state, _ = tables
    probabilities = np.asarray(jax.nn.softmax(masked(said(params, state).logits, state.legal_action_mask)))
    assert (probabilities[:, 0] == 0).all()  # nothing to fold to
    assert (probabilities[:, 1:] > 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-6)


def test_the_size_when_none_is_asked_for():
    network = belief.network(LEDUC)
    net = network.of(jax.eval_shape(network.init, jax.random.key(0)))
    assert (network.sizes.latent, network.sizes.heads, network.sizes.layers) == (64, 4, 3)
    assert len(net.blocks) == 3 and net.blocks[0].widens.kernel.shape == (64, 256)
    # four fields of 16 floats each; queries, keys and values
    assert net.embedding.card.embedding.shape == (7, 16) and net.blocks[0].asks.kernel.shape == (64, 192)


# --- latent steps ---------------------------------------------------------------------------------


def test_a_deterministic_step_is_its_mean_and_depends_on_the_action(params):
    step = jax.jit(lambda z, action: NETWORK.of(params).transition(z, action))
    z = np.random.default_rng(1).normal(size=(4, 16)).astype(np.float32)
    steps = [step(z, np.full(4, action)) for action in range(3)]
    assert steps[0].log_variance is None
    np.testing.assert_array_equal(steps[0].latent, steps[0].mean)
    assert np.abs(np.asarray(steps[0].latent) - np.asarray(steps[1].latent)).max(axis=1).min() > 1e-3


def test_probabilistic_steps_are_draws_around_the_mean():
    params, random = DRAWN.init(jax.random.key(0)), np.random.default_rng(1)
    z, action = np.tile(random.normal(size=(1, 16)), (20_000, 1)), np.ones(20_000, np.int32)
    transition = jax.jit(lambda z, action, noise: DRAWN.of(params).transition(z, action, noise))
    step, without_noise = jax.device_get(
        [transition(z, action, noise) for noise in (random.normal(size=z.shape), None)]
    )
    deviation = np.exp(step.log_variance[0] / 2)
    np.testing.assert_allclose(step.latent.std(axis=0), deviation, rtol=0.05)
    assert (np.abs(step.latent.mean(axis=0) - step.mean[0]) < 5 * deviation / np.sqrt(20_000)).all()
    np.testing.assert_allclose(without_noise.latent, step.mean, atol=1e-5)


def test_gradients_of_a_draw_reach_mean_and_variance():
    z, noise = np.random.default_rng(1).normal(size=(2, 8, 16))
    action = np.zeros(8, np.int32)

    def distance(params):
        return (DRAWN.of(params).transition(z, action, noise).latent ** 2).sum()

    gradient = jax.jit(jax.grad(distance))(DRAWN.init(jax.random.key(0)))["transition"]
    for head in ("mean", "log_variance"):
        assert np.abs(gradient[head]["last"]["kernel"][...]).max() > 1e-3


def test_the_divergence_is_that_of_normal_distributions():
    """KL of N(μ, σ²) from N(0, 1) by numerical integration, and 0 for the same."""
    x = np.linspace(-30, 30, 200_001)
    standard = -(x**2) / 2 - np.log(2 * np.pi) / 2
    expected = 0.0
    mean, log_variance = np.array([0.3, -1.2]), np.array([0.5, -0.7])
    for m, v in zip(mean, log_variance, strict=True):
        log_density = -((x - m) ** 2) / (2 * np.exp(v)) - v / 2 - np.log(2 * np.pi) / 2
        expected += np.trapezoid(np.exp(log_density) * (log_density - standard), x)
    found = jax.jit(divergence)
    assert float(found(mean, log_variance)) == pytest.approx(expected, rel=1e-4)
    assert float(found(np.zeros(2), np.zeros(2))) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sizes(latent=30), "latent = 30: a multiple of 4 and of the 4 heads"),
        (lambda: Sizes(heads=0), "heads = 0: it is 1 or more"),
        (lambda: belief.network(Kuhn(3)), "about one opponent, and this kuhn has 3 players"),
        (
            lambda: belief.network(jaxpoker.make("chicago", num_players=2)),
            "an opponent.s hand, and chicago numbers none",
        ),
    ],
)
def test_what_does_not_fit_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
