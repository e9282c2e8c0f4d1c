"""Learning beliefs: what a segment says, the targets, the bits of a run, and what comes of Kuhn poker."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.learners.belief import information_states
from jaxpoker.learners.belief.latent_search import Search
from jaxpoker.learners.belief.learner import Batch, Belief, Weights, following, sampled_q
from jaxpoker.models import belief
from jaxpoker.models.belief import Sizes
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.studies.belief import evaluation

KUHN, LEDUC = jaxpoker.make("kuhn"), jaxpoker.make("leduc")
TINY = Sizes(latent=16, heads=2, layers=1, feed_forward=32)


@pytest.fixture(scope="module")
def segment():
    """A learner of Leduc, its state, and a segment that it played."""
    learner = Belief(LEDUC, belief.network(LEDUC, TINY), None, tables=64, turns=24, trace=0.7, reward_scale=0.5)

    @jax.jit
    def play(state, key):
        tables, played = learner.play(state, key)
        rows, index = learner.rows_of(played.state)
        z = rows.beliefs(learner.network.of(state.params))
        batch, _ = learner.batch_of(state, tables, played, rows, index, z)
        return played, following(played), index, z, batch

    state = learner.init(jax.random.key(0))
    return learner, state, *jax.device_get(play(state, jax.random.key(1)))


# --- what a segment says --------------------------------------------------------------------------


def test_what_follows_a_decision_is_the_same_seats_next_one(segment):
    """Each table's turns read one by one."""
    _, _, played, found, *_ = segment
    actor, over, rewards = played.state.current_player, played.over, played.rewards
    turns, tables = over.shape
    unknown = 0
    for n in range(tables):
        for t in range(turns):
            seat, paid, place, known = actor[t, n], 0.0, -1, False
            for later in range(t, turns):
                if later > t and actor[later, n] == seat:
                    place, known = later * tables + n, True
                    break
                paid += rewards[later, n, seat]
                if over[later, n]:
                    known = True
                    break
            assert bool(found.known[t, n]) == known
            unknown += not known
            if known:
                assert (int(found.place[t, n]), float(found.paid[t, n])) == (place, pytest.approx(paid))
    assert 0 < unknown < tables * 2 + 1


def test_a_segment_is_summed_up_by_row_and_by_pair(segment):
    learner, _, played, found, index, z, batch = segment
    place, known, action = found.place.reshape(-1), found.known.reshape(-1), played.decision.action.reshape(-1)
    paid = learner.reward_scale * found.paid.reshape(-1)
    assert batch.row_weight.sum() == batch.pair_weight.sum() > 1_400
    pair = int(np.argmax(batch.goes_on))
    row, taken = divmod(pair, LEDUC.num_actions)
    assert (batch.pair_row[pair], batch.pair_action[pair]) == (row, taken)
    mine = (index == row) & (action == taken) & known
    goes_on = mine & (place >= 0)
    assert batch.step_weight[pair] == mine.sum() and batch.goes_on[pair] == goes_on.sum() > 3
    assert batch.paid[pair] == pytest.approx(paid[mine].mean(), abs=1e-5)
    np.testing.assert_allclose(batch.next_belief[pair], z[index[place[goes_on]]].mean(axis=0), atol=1e-5)
    legal = information_states.every_row(LEDUC).legal[index[place[goes_on]]]
    np.testing.assert_allclose(batch.next_legal[pair], legal.mean(axis=0), atol=1e-6)


def test_the_opponents_hand_is_never_ones_own(segment):
    *_, batch = segment
    first_rows = np.arange(36)  # line * 6 + card
    assert not batch.hands[first_rows, first_rows % 6].any()
    np.testing.assert_allclose(batch.hands.sum(axis=1), batch.row_weight)


# --- targets --------------------------------------------------------------------------------------


def some_batch(rows, actions):
    """Only what targets read."""
    empty = dict.fromkeys(Batch._fields)
    pair_row, pair_action = np.divmod(np.arange(rows * actions), actions)
    batch = Batch(**{**empty, "pair_row": pair_row, "pair_action": pair_action})
    nothing = np.zeros(len(pair_row))
    return batch._replace(row_weight=np.ones(rows), pair_weight=nothing, pair_returns=nothing)


def test_sampled_values_are_the_mean_of_their_formula():
    """V + 1[a was taken] (R - V) / π(a), decision by decision."""
    rng = np.random.default_rng(0)
    logits, value = rng.normal(size=(2, 3)).astype(np.float32), np.array([0.5, -1.0], np.float32)
    policy = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    decisions = [(0, 0, 1.0), (0, 0, 3.0), (0, 2, -1.0), (1, 1, 2.0)]  # row, action, return
    expected, count = np.zeros((2, 3)), np.zeros(2)
    for row, action, returned in decisions:
        expected[row] += value[row] + (np.arange(3) == action) * (returned - value[row]) / policy[row, action]
        count[row] += 1
    weight, total = np.zeros(6), np.zeros(6)
    for row, action, returned in decisions:
        weight[3 * row + action] += 1
        total[3 * row + action] += returned
    batch = some_batch(2, 3)._replace(row_weight=count, pair_weight=weight, pair_returns=total / np.maximum(weight, 1))
    found = jax.jit(sampled_q)(logits, value, batch)
    np.testing.assert_allclose(found, expected / count[:, None], rtol=1e-5)


@pytest.fixture(scope="module")
def started(kuhn_learner):
    """Two updates, so that the averaged parameters are others than the latest."""
    state = kuhn_learner.init(jax.random.key(0))
    for _ in range(2):
        state, _ = kuhn_learner.update(state)
    return state


@functools.partial(jax.jit, static_argnums=0)
def target_of(learner, state, imitates):
    """The policy to go toward at all information sets of Kuhn, of which nothing was played yet."""
    rows = jax.tree.map(jnp.asarray, information_states.every_row(KUHN))
    z = rows.beliefs(learner.network.of(state.params))
    return learner.target(state, rows, z, some_batch(*rows.legal.shape), jax.random.key(2), imitates)[0]


@pytest.mark.thorough
def test_the_target_is_a_step_of_magnetic_mirror_descent(kuhn_learner, started):
    """log target = (log π' + step * magnet * log ρ) / (1 + step * (magnet + entropy)) + constant."""
    held = dataclasses.replace(kuhn_learner, magnet=(0.5, 0.5), entropy=(0.2, 0.2))
    target, network, search = target_of(held, started, False), kuhn_learner.network, kuhn_learner.search
    improved = evaluation.searched_strategy(KUHN, network, search, started.params, jax.random.key(2))
    slow, latest = (
        np.asarray(evaluation.strategy(KUHN, network, params)) for params in (started.average, started.params)
    )
    assert np.abs(slow - latest).max() > 1e-4 and np.abs(improved - latest).max() > 0.01
    logs = (np.log(improved) + 10 * 0.5 * np.log(slow)) / (1 + 10 * (0.5 + 0.2))
    expected = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(target, expected, atol=1e-5)


def test_who_imitates_plays_and_aims_at_the_expert(kuhn_learner):
    """An expert who always bets: nothing but bets is played, and bets are the target."""
    always = np.tile(np.array([0.0, 1.0], np.float32), (KUHN.num_infosets, 1))
    learner = dataclasses.replace(kuhn_learner, search=None, expert=always, imitation=5)
    state, play = learner.init(jax.random.key(0)), jax.jit(learner.play)
    imitated, own = (np.asarray(play(state, jax.random.key(1), who)[1].decision.action) for who in (True, False))
    assert (imitated == 1).all() and (own == 0).any()
    np.testing.assert_array_equal(target_of(learner, state, True), always)
    assert (np.asarray(target_of(learner, state, False)) != always).any()


# --- losses ---------------------------------------------------------------------------------------


def test_the_loss_is_the_weighted_sum_of_its_parts(segment):
    learner, state, *_, batch = segment
    rows = information_states.every_row(LEDUC)
    target = np.float32(rows.legal / 2.5)
    assert Weights()[:4] == (1, 1, 0.5, 0.1)
    given = dataclasses.replace(learner, weights=Weights(0.3, 2.0, 0.7, 5.0))
    whole, found = jax.jit(given.loss)(state.params, rows, batch, target, jax.random.key(0))
    parts = [float(found[f"{name}_loss"]) for name in ("policy", "value", "transition", "range")]
    assert min(map(abs, parts)) > 1e-3
    assert float(whole) == pytest.approx(np.dot([0.3, 2.0, 0.7, 5.0], parts), rel=1e-4)


# --- runs -----------------------------------------------------------------------------------------


def same_bits(a, b) -> bool:
    def data(x):
        return jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x

    return jax.tree.all(jax.tree.map(lambda x, y: bool((data(x) == data(y)).all()), a, b))


@pytest.mark.thorough
def test_a_key_is_a_run_and_a_run_can_be_taken_up_again(kuhn_learner, started):
    stored = jax.tree.map(lambda x: x if x.dtype == started.key.dtype else jnp.asarray(np.asarray(x)), started)
    whole = kuhn_learner.init(jax.random.key(0))
    for _ in range(3):
        whole, metrics = kuhn_learner.update(whole)
    again, others = kuhn_learner.update(stored)
    assert same_bits(whole, again) and same_bits(metrics, others) and int(whole.step) == 3


@pytest.mark.slow
def test_holdem_is_learned_by_the_same_code():
    """Each decision is a row of its own; by search."""
    game = jaxpoker.make("holdem", menu="a", stack=20, max_log=6)
    network = belief.network(game, TINY)
    learner = Belief(
        game, network, Search(simulations=3, depth=2), updates=2, tables=4, turns=3, average_over=2, magnet=(0.5, 0.5)
    )
    first = learner.init(jax.random.key(0))
    before = jax.tree.map(np.asarray, first.params)
    state, metrics = learner.update(first)
    assert all(np.isfinite(value) for value in jax.tree.leaves(metrics)) and float(metrics["decisions"]) > 4
    moved = jax.tree.map(lambda old, new: float(np.abs(old - np.asarray(new)).max()), before, state.params)
    assert max(jax.tree.leaves(moved)) > 1e-5


@pytest.mark.slow
@pytest.mark.optimised
def test_kuhn_goes_to_equilibrium_and_not_in_circles():
    """Below 0.03, by the exact best response, the latest policy as well as the averaged one; uniform play has 0.458."""
    game = exact_game.whole(KUHN)
    learner = Belief(
        KUHN,
        belief.network(KUHN, Sizes(latent=32, heads=2, layers=2, feed_forward=64)),
        Search(simulations=8, depth=2, step=10.0),
        updates=1_000,
        magnet=(0.5, 0.5),
        entropy=(0.1, 0.01),
        evenness=0.5,
        average_over=100,
    )
    state = learner.init(jax.random.key(0))
    for _ in range(learner.updates):
        state, _ = learner.update(state)
    for params in (state.average, state.params):
        quality = best_response.quality(game, evaluation.strategy(KUHN, learner.network, params))
        assert float(quality.exploitability) < 0.03
        assert float(quality.value) == pytest.approx(-1 / 18, abs=0.03)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tables": 0}, "tables = 0: it is 1 or more"),
        ({"imitation": 3}, "imitation = 3: it needs an expert"),
    ],
)
def test_settings_that_make_no_sense_are_named(kuhn_learner, settings, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(kuhn_learner, **settings)
