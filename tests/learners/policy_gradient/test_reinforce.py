"""REINFORCE: its gradient, its options, its bits, and what it makes of Kuhn poker and of Chicago."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.chicago import view as chicago_view
from jaxpoker.learners.experience import opponent_pool
from jaxpoker.learners.policy_gradient.reinforce import Batch, Reinforce, Weights
from jaxpoker.models import chicagonet, observer
from jaxpoker.models.policy import Output, PolicyNetwork
from jaxpoker.players import networks
from jaxpoker.solvers.exact import best_response, exact_game, strategies

KUHN = jaxpoker.make("kuhn")
LEDUC = jaxpoker.make("leduc")


def table_network(game) -> PolicyNetwork:
    """A network that is a table: logits and a value for each information set."""

    def init(key):
        logits = 0.3 * jax.random.normal(key, (game.num_infosets, game.num_actions))
        return {"logits": logits, "values": jnp.zeros(game.num_infosets)}

    def said(params, game, state):
        row = jax.vmap(game.infoset_index)(state, state.current_player)
        return Output(params["logits"][row], params["values"][row])

    return PolicyNetwork(init, said)


def some_decisions(game, count=12):
    """First decisions of as many deals, with advantages and returns of any size."""
    state = jax.jit(lambda key: jax.vmap(game.start)(game.deal(key, (count,))))(jax.random.key(1))
    random = np.random.default_rng(0)
    legal = np.asarray(state.legal_action_mask)
    action = np.array([random.choice(np.flatnonzero(row)) for row in legal])
    advantage, returns = random.normal(size=(2, count)).astype(np.float32)
    weight = (np.arange(count) % 4 > 0).astype(np.float32)
    return Batch(state, *map(jnp.asarray, (action, np.zeros(count, np.float32), advantage, returns, weight)))


@pytest.mark.parametrize("game", [KUHN, LEDUC], ids=["kuhn", "leduc"])
def test_the_gradient_is_the_formula(game):
    """d/dz of - A log π(a) is - A (1[a] - π); of - entropy π (log π + H); of (V - R)² 2 (V - R)."""
    network = table_network(game)
    learner = Reinforce(game, network, tables=4, turns=4)
    params, batch = network.init(jax.random.key(0)), some_decisions(game)
    gradient, parts = jax.jit(jax.grad(learner.loss, has_aux=True))(params, batch, Weights(0.5, 0.1))

    rows = np.asarray(jax.jit(jax.vmap(game.infoset_index))(batch.state, batch.state.current_player))
    legal = np.asarray(batch.state.legal_action_mask)
    logits, values = np.zeros(params["logits"].shape), np.zeros(params["values"].shape)
    count, entropies = float(batch.weight.sum()), []
    for i, row in enumerate(rows):
        z = np.where(legal[i], np.asarray(params["logits"], np.float64)[row], -np.inf)
        pi = np.exp(z) / np.exp(z).sum()
        log_pi = np.log(np.where(pi > 0, pi, 1))
        entropy = -(pi * log_pi).sum()
        entropies.append(entropy * float(batch.weight[i]))
        taken = np.arange(len(pi)) == int(batch.action[i])
        by_logits = -float(batch.advantage[i]) * (taken - pi) + 0.1 * pi * (log_pi + entropy)
        by_value = 0.5 * 2 * (0.0 - float(batch.returns[i]))
        logits[row] += float(batch.weight[i]) * by_logits / count
        values[row] += float(batch.weight[i]) * by_value / count
    np.testing.assert_allclose(gradient["logits"], logits, atol=1e-6)
    np.testing.assert_allclose(gradient["values"], values, atol=1e-6)
    assert float(parts["entropy"]) == pytest.approx(sum(entropies) / count, rel=1e-5)


def test_clipping_stops_what_has_gone_far_enough_and_nothing_else():
    network = table_network(KUHN)
    learner = Reinforce(KUHN, network, tables=4, turns=4, clip=0.2)
    params = {"logits": jnp.zeros((KUHN.num_infosets, 2)), "values": jnp.zeros(KUHN.num_infosets)}  # π = 1/2
    ratio, advantage = np.float32([1.5, 1.5, 0.5, 0.5]), np.float32([1.0, -1.0, 1.0, -1.0])

    @jax.jit
    @jax.vmap
    def gradients(state, ratio, advantage):
        """Of one decision each."""
        tables, played, gained = jax.tree.map(lambda x: x[None], (state, jnp.log(0.5 / ratio), advantage))
        one = Batch(tables, jnp.zeros(1, jnp.int32), played, gained, jnp.zeros(1), jnp.ones(1))
        return jax.grad(learner.loss, has_aux=True)(params, one, Weights(0.0, 0.0))[0]

    found = gradients(some_decisions(KUHN, 4).state, ratio, advantage)
    moves = np.abs(found["logits"]).max(axis=(1, 2))
    assert moves[0] == 0 and moves[3] == 0  # a good action is likely enough, a bad one unlikely enough
    assert moves[1] == pytest.approx(1.5 / 2) and moves[2] == pytest.approx(0.5 / 2)


SMALL = Reinforce(
    KUHN,
    observer.network(KUHN),
    updates=8,
    tables=32,
    turns=8,
    trace=0.9,
    normalises=True,
    clip=0.2,
    epochs=2,
    minibatches=4,
    snapshots=2,
    snapshot_every=2,
    pool_share=0.25,
    average_over=4,
)


def trained(learner, state, updates):
    for _ in range(updates):
        state, metrics = learner.update(state)
    return state, metrics


def same_bits(a, b) -> bool:
    def data(x):
        return jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x

    return jax.tree.all(jax.tree.map(lambda x, y: bool((data(x) == data(y)).all()), a, b))


@pytest.mark.thorough
def test_a_key_is_a_run_and_a_run_can_be_taken_up_again():
    whole, metrics = trained(SMALL, SMALL.init(jax.random.key(0)), 4)
    half, _ = trained(SMALL, SMALL.init(jax.random.key(0)), 2)
    stored = jax.tree.map(lambda x: x if x.dtype == half.key.dtype else jnp.asarray(np.asarray(x)), half)
    again, others = trained(SMALL, stored, 2)
    assert same_bits(whole, again) and same_bits(metrics, others)
    assert int(whole.step) == 4
    other, _ = trained(SMALL, SMALL.init(jax.random.key(1)), 4)
    assert not same_bits(whole.params, other.params)
    # past selves: the first, then those of updates 2 and 4, of which the last two are kept
    assert int(whole.pool.taken) == 3
    assert same_bits(jax.tree.map(lambda x: x[0], whole.pool.params), whole.params)
    assert same_bits(opponent_pool.oldest(whole.pool), half.params)


def test_what_past_selves_decide_is_not_learned_from():
    state = SMALL.init(jax.random.key(0))

    @jax.jit
    def play(state, play_key, pool_key):
        tables, played = SMALL.play(state, play_key, pool_key)
        return played, *SMALL.batch_of(state.params, tables, played)

    played, batch, paid = play(state, jax.random.key(1), jax.random.key(2))
    learns, actor = np.asarray(played.decision.learns), np.asarray(played.state.current_player)
    assert learns[:, :24].all()  # itself in both seats
    own = np.arange(24, 32) % 2
    np.testing.assert_array_equal(learns[:, 24:], actor[:, 24:] == own)
    assert not np.asarray(batch.weight).reshape(learns.shape)[~learns].any()
    assert float(paid["decisions"]) == np.asarray(batch.weight).sum() > 100
    learned = np.asarray(batch.advantage)[np.asarray(batch.weight) > 0]
    assert learned.mean() == pytest.approx(0, abs=1e-5) and learned.std() == pytest.approx(1, abs=1e-3)


def test_a_past_self_plays_the_other_seats():
    """The learner always passes and the past self always bets: at their tables nothing else happens."""
    network = table_network(KUHN)
    learner = dataclasses.replace(SMALL, network=network)
    state = learner.init(jax.random.key(0))

    def always(action):
        logits = jnp.where(jnp.arange(2) == action, 50.0, -50.0)
        return {"logits": jnp.tile(logits, (KUHN.num_infosets, 1)), "values": jnp.zeros(KUHN.num_infosets)}

    state = state.replace(params=always(0), pool=opponent_pool.first_pool(always(1), 2))
    _, played = jax.jit(learner.play)(state, jax.random.key(1), jax.random.key(2))
    action, learns = np.asarray(played.decision.action), np.asarray(played.decision.learns)
    assert (action[learns] == 0).all() and (action[~learns] == 1).all() and (~learns).sum() > 20


@pytest.mark.slow
@pytest.mark.optimised
def test_kuhn_comes_close_to_equilibrium():
    """Entropy annealed and parameters averaged: below 0.05, by the exact best response."""
    game = exact_game.whole(KUHN)
    network = observer.network(KUHN)
    learner = Reinforce(
        KUHN,
        network,
        updates=1_600,
        tables=256,
        turns=16,
        learning_rate=(1e-3, 1e-4),
        discount=1.0,
        entropy_weight=(0.5, 0.05),
        average_over=400,
    )
    state, _ = trained(learner, learner.init(jax.random.key(0)), learner.updates)
    average, first = (
        strategies.of_player(game, networks.of_policy(network), params)
        for params in (state.average, learner.init(jax.random.key(0)).params)
    )
    quality = best_response.quality(game, average)
    assert float(quality.exploitability) < 0.05 < 0.2 < float(best_response.exploitability(game, first))
    assert float(quality.value) == pytest.approx(-1 / 18, abs=0.05)


WEIGHTS = Weights(0.5, 0.01)
CHICAGO = Reinforce(
    Chicago(3, target=5), chicagonet.network(), tables=8, turns=16, sizes=(2, 3), minibatches=2, reward_scale=10.0
)


@pytest.fixture(scope="module")
def chicago_segment():
    @jax.jit
    def play(state, play_key, pool_key):
        tables, played = CHICAGO.play(state, play_key, pool_key)
        return played, CHICAGO.batch_of(state.params, tables, played)[0]

    state = CHICAGO.init(jax.random.key(0))
    return state, *play(state, jax.random.key(1), jax.random.key(2))


@pytest.fixture(scope="module")
def chicago_loss():
    """Loss and gradient of a batch."""
    return jax.jit(lambda params, batch: jax.value_and_grad(CHICAGO.loss, has_aux=True)(params, batch, WEIGHTS))


def test_tables_of_chicago_keep_their_size(chicago_segment):
    state, played, _ = chicago_segment
    assert np.asarray(state.tables.players).tolist() == [2, 3] * 4
    assert (np.asarray(played.state.players) == [2, 3] * 4).all()


def test_the_loss_through_the_sparse_first_layer_is_that_of_the_whole_observation(chicago_segment, chicago_loss):
    """The same loss, and the same gradient of all 1,130,310 parameters."""
    state, _, batch = chicago_segment

    def dense(params, game, tables):
        return chicagonet.net_of(params)(jax.vmap(game.observe)(tables, tables.current_player))

    whole = dataclasses.replace(CHICAGO, network=chicagonet.network()._replace(said=dense))
    (loss, _), gradient = chicago_loss(state.params, batch)
    (other, _), expected = jax.jit(jax.value_and_grad(whole.loss, has_aux=True))(state.params, batch, WEIGHTS)
    assert float(loss) == pytest.approx(float(other), rel=1e-5)
    for ours, theirs in zip(jax.tree.leaves(gradient), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5 * np.abs(theirs).max())
    rows_with_gradient = np.asarray(gradient["first"]["kernel"][...]).any(axis=1).sum()
    assert 100 < rows_with_gradient < chicago_view.OBSERVATION_SIZE / 2


def test_what_is_hidden_changes_nothing_that_is_learned(chicago_segment, chicago_loss):
    state, _, batch = chicago_segment
    game = CHICAGO.game

    @jax.jit
    def elsewhere(tables, key):
        keys = jax.random.split(key, len(tables.round))
        return jax.vmap(game.resample_hidden)(tables, tables.current_player, keys)

    other = batch._replace(state=elsewhere(batch.state, jax.random.key(5)))
    assert (np.asarray(other.state.deck) != np.asarray(batch.state.deck)).any(axis=1).all()
    assert same_bits(chicago_loss(state.params, batch), chicago_loss(state.params, other))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tables": 0}, "tables = 0: it is 1 or more"),
        ({"minibatches": 7}, "256 decisions of an update in 7 minibatches"),
        ({"sizes": (2, 9)}, r"sizes = \(2, 9\): at 2 seats play 2 to that many"),
        ({"snapshots": 0}, "no snapshots are kept"),
    ],
)
def test_settings_that_make_no_sense_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(SMALL, **settings)
