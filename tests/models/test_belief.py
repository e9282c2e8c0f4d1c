"""The belief transformer: what may change a belief and what may not, its heads, and its latent steps."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.models import belief
from jaxpoker.models.belief import Sizes
from jaxpoker.models.belief_heads import divergence
from jaxpoker.models.policy import masked

LEDUC = jaxpoker.make("leduc")
NETWORK = belief.network(LEDUC)
DRAWN = belief.network(LEDUC, Sizes(latent=16, heads=2, layers=1, feed_forward=32, probabilistic=True))
LENGTH = 10  # tokens of Leduc


@pytest.fixture(scope="module")
def params():
    return NETWORK.init(jax.random.key(0))


@pytest.fixture(scope="module")
def encode():
    return jax.jit(lambda params, tokens: NETWORK.of(params).encode(tokens))


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


def test_padding_changes_no_belief(params, tokens):
    """A hand of three tokens believes the same with three places as with ten or with fifty."""
    net = NETWORK.of(params)
    short = tokens[:, :3]
    for places in (LENGTH, 50):
        padded = np.zeros((len(short), places, 4), np.int32)
        padded[:, :3] = short
        np.testing.assert_allclose(net.beliefs(padded), net.beliefs(short), atol=1e-5)


def test_the_belief_is_what_the_last_token_has_become(params, encode, tokens):
    encoded = encode(params, tokens)
    length = np.asarray(belief.length_of(jnp.asarray(tokens)))
    assert length.min() == 3 and length.max() == LENGTH
    np.testing.assert_array_equal(encoded.belief, np.asarray(encoded.tokens)[np.arange(24), length - 1])


def test_attention_rows_sum_to_one_and_never_look_ahead(params, encode, tokens):
    attention = np.asarray(encode(params, tokens).attention)
    assert attention.shape == (3, 24, 4, LENGTH, LENGTH)
    np.testing.assert_allclose(attention.sum(axis=-1), 1, atol=1e-5)
    assert not attention[..., ~np.tri(LENGTH, dtype=bool)].any()


def test_compiled_is_the_same_as_not_compiled(params, encode, tokens):
    with jax.disable_jit():
        plain = NETWORK.of(params).encode(tokens)
    for ours, theirs in zip(encode(params, tokens), plain, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-5)


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


def test_what_a_player_cannot_see_changes_nothing_that_the_network_says(params):
    state = jax.vmap(LEDUC.init)(jax.random.split(jax.random.key(3), 16))
    keys = jax.random.split(jax.random.key(4), 16)
    other = jax.vmap(LEDUC.resample_hidden)(state, state.current_player, keys)
    assert (np.asarray(state.table) != np.asarray(other.table)).any()
    said = jax.jit(NETWORK.policy.said, static_argnums=1)
    for ours, theirs in zip(said(params, LEDUC, state), said(params, LEDUC, other), strict=True):
        np.testing.assert_array_equal(ours, theirs)


GAMES = {
    "kuhn": (Kuhn(), 4, 3, 2),
    "leduc": (LEDUC, LENGTH, 6, 3),
    "holdem": (jaxpoker.make("holdem", menu="33%, 75%, a", max_log=12), 25, 1326, None),
}


@pytest.mark.parametrize("name", GAMES)
def test_shapes_in_every_game(name):
    """The model instantiates, and all its heads have the sizes of the game."""
    game, places, hands, actions = GAMES[name]
    network = belief.network(game, Sizes(latent=16, heads=2, layers=1, feed_forward=32))
    params = network.init(jax.random.key(0))
    state = jax.vmap(game.start)(game.deal(jax.random.key(1), (5,)))
    tokens = belief.tokens_of(game, state)
    assert tokens.shape == (5, places, 4)
    net = network.of(params)
    z = net.beliefs(tokens)
    assert z.shape == (5, 16) and net.value(z).shape == (5,) and net.range(z).shape == (5, hands)
    assert net.policy(z).shape == net.legal(z).shape == (5, actions or game.num_actions)
    step = net.transition(z, jnp.zeros(5, jnp.int32))
    assert step.latent.shape == (5, 16) and step.reward.shape == step.goes_on.shape == (5,)
    held = jax.vmap(lambda table: belief.hand_of(game, table, 1 - table.current_player))(state)
    assert (np.asarray(held) >= 0).all() and (np.asarray(held) < hands).all()


def test_illegal_actions_have_probability_zero(params):
    state = jax.vmap(LEDUC.init)(jax.random.split(jax.random.key(3), 8))
    logits = NETWORK.policy.said(params, LEDUC, state).logits
    probabilities = np.asarray(jax.nn.softmax(masked(logits, state.legal_action_mask)))
    assert (probabilities[:, 0] == 0).all()  # nothing to fold to
    assert (probabilities[:, 1:] > 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-6)


def test_the_size_that_was_asked_for():
    net = NETWORK.of(NETWORK.init(jax.random.key(0)))
    assert (NETWORK.sizes.latent, NETWORK.sizes.heads, NETWORK.sizes.layers) == (64, 4, 3)
    assert len(net.blocks) == 3 and net.blocks[0].widens.kernel.shape == (64, 256)
    # four fields of 16 floats each; queries, keys and values; one layer of width 64 per head, and its output
    assert net.embedding.card.embedding.shape == (7, 16) and net.blocks[0].asks.kernel.shape == (64, 192)


# --- latent steps ---------------------------------------------------------------------------------


def test_a_deterministic_step_is_its_mean_and_depends_on_the_action(params):
    net = NETWORK.of(params)
    z = jax.random.normal(jax.random.key(1), (4, 64))
    steps = [net.transition(z, jnp.full(4, action)) for action in range(3)]
    assert steps[0].log_variance is None
    np.testing.assert_array_equal(steps[0].latent, steps[0].mean)
    assert np.abs(np.asarray(steps[0].latent - steps[1].latent)).max(axis=1).min() > 1e-3


def test_probabilistic_steps_are_draws_around_the_mean():
    net = DRAWN.of(DRAWN.init(jax.random.key(0)))
    z, action = jnp.tile(jax.random.normal(jax.random.key(1), (1, 16)), (20_000, 1)), jnp.ones(20_000, jnp.int32)
    step = net.transition(z, action, jax.random.normal(jax.random.key(2), z.shape))
    deviation = np.exp(np.asarray(step.log_variance[0]) / 2)
    drawn = np.asarray(step.latent)
    np.testing.assert_allclose(drawn.std(axis=0), deviation, rtol=0.05)
    assert (np.abs(drawn.mean(axis=0) - np.asarray(step.mean[0])) < 5 * deviation / np.sqrt(20_000)).all()
    np.testing.assert_allclose(net.transition(z[:1], action[:1]).latent, step.mean[:1], atol=1e-5)


def test_gradients_of_a_draw_reach_mean_and_variance():
    noise = jax.random.normal(jax.random.key(2), (8, 16))
    z, action = jax.random.normal(jax.random.key(1), (8, 16)), jnp.zeros(8, jnp.int32)

    def distance(params):
        return (DRAWN.of(params).transition(z, action, noise).latent ** 2).sum()

    gradient = jax.grad(distance)(DRAWN.init(jax.random.key(0)))["transition"]
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
    assert float(divergence(jnp.asarray(mean), jnp.asarray(log_variance))) == pytest.approx(expected, rel=1e-4)
    assert float(divergence(jnp.zeros(3), jnp.zeros(3))) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sizes(latent=30), "latent = 30: a multiple of 4 and of the 4 heads"),
        (lambda: belief.network(Kuhn(3)), "about one opponent, and this kuhn has 3 players"),
        (lambda: belief.network(jaxpoker.make("chicago", num_players=2)), "kuhn, leduc or holdem, not in chicago"),
    ],
)
def test_what_does_not_fit_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
