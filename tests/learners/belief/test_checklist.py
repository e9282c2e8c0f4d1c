"""Ten things that a learner of beliefs has to show, on one short training of Kuhn poker."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import match, players
from jaxpoker.learners.belief import information_states
from jaxpoker.models.belief import Sizes
from jaxpoker.players import networks, saved_networks
from jaxpoker.players.saved_networks import BELIEF, SavedNetwork
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.studies.belief import evaluation

pytestmark = pytest.mark.thorough

KUHN = jaxpoker.make("kuhn")
SIZES = Sizes(latent=16, heads=2, layers=1, feed_forward=32)


@pytest.fixture(scope="module")
def trained(kuhn_learner):
    state, history = kuhn_learner.init(jax.random.key(0)), []
    for _ in range(kuhn_learner.updates):
        state, metrics = kuhn_learner.update(state)
        history.append({name: float(value) for name, value in metrics.items()})
    return state, history


@pytest.fixture(scope="module")
def seen(kuhn_learner, trained):
    """What the network says, by information set: betting * 3 + card, with bettings "", "bet", "pass", "pass bet"."""

    @jax.jit
    def look(params):
        net, rows = kuhn_learner.network.of(params), jax.tree.map(jnp.asarray, information_states.every_row(KUHN))
        z = rows.beliefs(net)
        said = {"beliefs": z, "values": net.value(z), "policy": net.policy(z), "range": net.range(z)}
        return said | {"attention": net.encode(rows.tokens).attention}

    return jax.device_get(look(trained[0].average))


def test_games_come_to_their_end(trained):
    """Two or three decisions a game, so that 256 tables times 8 turns end 680 to 1,024 of them."""
    assert all(680 <= row["games"] <= 1_024 for row in trained[1])


def test_the_model_can_be_made(kuhn_learner):
    leaves = jax.tree.leaves(kuhn_learner.network.init(jax.random.key(0)))
    assert sum(leaf.size for leaf in leaves) > 5_000 and all(np.isfinite(leaf).all() for leaf in leaves)


def test_a_pass_forward_has_the_right_shapes(seen):
    shapes = {name: said.shape for name, said in seen.items() if name != "attention"}
    assert shapes == {"beliefs": (12, 16), "values": (12,), "policy": (12, 2), "range": (12, 3)}


def test_losses_fall(trained):
    def mean(name, rows):
        return np.mean([row[name] for row in rows])

    for name in ("value_loss", "transition_loss", "range_loss"):
        assert mean(name, trained[1][-20:]) < 0.7 * mean(name, trained[1][:20]), name


def test_measures_can_be_worked_out(kuhn_learner, trained):
    state, _ = trained
    table = evaluation.strategy(KUHN, kuhn_learner.network, state.average)
    assert float(best_response.exploitability(exact_game.whole(KUHN), table)) < 0.2  # uniform: 0.458
    errors = evaluation.step_errors(kuhn_learner, state, jax.random.key(3))
    assert len(errors) == 1 and 0 < errors[0] < 1  # in Kuhn nobody decides three times
    bots = [networks.of_policy(kuhn_learner.network.policy), players.make("random", KUHN)]
    won = match.play(KUHN, bots, jax.random.key(4), params=[state.average, None], tables=256)
    assert won.mbb_per_hand[0].mean > won.mbb_per_hand[0].ci95


def test_networks_are_kept_and_come_back(kuhn_learner, trained, tmp_path):
    params = jax.device_get(trained[0].average)
    saved = SavedNetwork("kuhn", params, BELIEF, dataclasses.asdict(SIZES))
    saved_networks.save(tmp_path / "network.npz", saved, np.float32)
    again = saved_networks.load(tmp_path)
    for ours, theirs in zip(jax.tree.leaves(params), jax.tree.leaves(again.params), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert again.network is kuhn_learner.network and again.player("b").name == "b"


def test_beliefs_change_with_actions(seen):
    for card in range(3):
        first, bet, passed, check_raised = seen["beliefs"][card::3]
        for one, other in ((first, check_raised), (bet, passed)):
            assert np.linalg.norm(one - other) > 0.1


def test_values_are_reasonable(seen):
    """A king is worth more than a queen and a queen more than a jack; facing a bet a king is worth most."""
    values = seen["values"].reshape(4, 3)
    assert (np.diff(values[0]) > 0).all() and (values[:, 2] > values[:, :2].max(axis=1)).all()
    assert np.abs(values).max() < 2.3  # nobody can win more than 2
    assert values[1, 2] > 1  # a king that may call a bet
    assert values[1, 0] == pytest.approx(-1, abs=0.35)  # a jack that may fold


def test_policies_are_distributions(kuhn_learner, trained):
    table = np.asarray(evaluation.strategy(KUHN, kuhn_learner.network, trained[0].average))
    assert (table >= 0).all() and np.allclose(table.sum(axis=1), 1, atol=1e-6)
    assert table[5, 1] > 0.8 and table[3, 1] < 0.2  # a king calls a bet, a jack does not


def test_attention_rows_sum_to_one(seen):
    np.testing.assert_allclose(seen["attention"].sum(axis=-1), 1, atol=1e-5)
    assert seen["attention"].size > 100
