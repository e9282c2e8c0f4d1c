"""PPO against others: whose decisions are learned from, and what is learned from them."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.learners.experience.sparring import Sparring
from jaxpoker.learners.policy_gradient import ppo
from jaxpoker.learners.policy_gradient.ppo import PPO
from jaxpoker.models import observer, sizednet
from jaxpoker.players import Player, networks
from jaxpoker.solvers.exact import best_response, exact_game, strategies

KUHN = jaxpoker.make("kuhn")
NETWORK = observer.network(KUHN)
AGAINST = Sparring(KUHN, (players.make("random", KUHN), networks.of_policy(NETWORK, "past self")), (0.8, 0.2))
LEARNER = PPO(
    KUHN,
    NETWORK,
    updates=150,
    tables=256,
    turns=8,
    learning_rate=(5e-3, 1e-3),
    entropy_weight=(0.01, 0.0),
    minibatches=4,
    learned_share=0.5,
    snapshots=2,
    sparring=AGAINST,
)


@pytest.fixture(scope="module")
def segment():
    @jax.jit
    def play(state, play_key, pool_key):
        tables, played = LEARNER.play(state, play_key, pool_key)
        return played, *LEARNER.batch_of(state.params, tables.state, played)

    return play(LEARNER.init(jax.random.key(0)), jax.random.key(1), jax.random.key(2))


def test_only_the_learners_own_seat_is_paid_and_learned_from(segment):
    played, batch, paid = segment
    seats, actor = np.arange(256) % 2, np.asarray(played.state.current_player)
    learns, rewards, over = (np.asarray(x) for x in (played.decision.learns, played.rewards, played.over))
    np.testing.assert_array_equal(learns, actor == seats)
    others = np.take_along_axis(rewards, np.broadcast_to(1 - seats, over.shape)[..., None], axis=2)[..., 0]
    own = np.take_along_axis(rewards, np.broadcast_to(seats, over.shape)[..., None], axis=2)[..., 0]
    assert not others.any() and not own[~over].any() and (own[over] != 0).all()
    weight = np.asarray(batch.weight).reshape(over.shape)
    assert not weight[~learns].any() and weight[:-1][learns[:-1]].mean() > 0.9
    assert float(paid["reward"]) == pytest.approx(own.sum() / over.size, rel=1e-5)


def test_an_epoch_goes_over_own_decisions_first_and_over_each_once(segment):
    _, batch, _ = segment
    weight = np.asarray(batch.weight)
    order_of = jax.jit(LEARNER._order)
    order = np.asarray(order_of(jax.random.key(3), batch.weight))
    assert len(set(order.tolist())) == len(order) == weight.size // 2
    assert weight[order].sum() == min(weight.sum(), len(order)) and weight.sum() > 0.4 * weight.size
    again = np.asarray(order_of(jax.random.key(4), batch.weight))
    assert (order != again).any()


@pytest.mark.thorough
def test_what_is_learned_exploits_the_opponent():
    """Most hands are against uniform play: the policy comes close to the best response, and past equilibrium play."""
    game, state = exact_game.whole(KUHN), LEARNER.init(jax.random.key(0))
    for _ in range(LEARNER.updates):
        state, _ = LEARNER.update(state)
    own = strategies.of_player(game, networks.of_policy(NETWORK), state.params)
    uniform = strategies.of_player(game, players.make("random", KUHN))
    made = sum(float(best_response.value_against(game, own, uniform, seat)) for seat in range(2)) / 2
    most = float(best_response.exploitability(game, uniform))
    assert 0.85 * most < made <= most


def test_hands_are_shared_out_between_rule_players_and_the_past_self():
    game = jaxpoker.make("holdem")
    against = ppo.sparring(game, sizednet.network(game), ("call",), (1.0,), 0.25)
    assert against.shares == (0.75, 0.25) and against.opponents[-1].name == ppo.PAST_SELF


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learned_share": 0.0}, "0 decisions of an update in 4 minibatches"),
        ({"learned_share": 1.5}, "learned_share = 1.5: a part of the whole, 0 to 1"),
        ({"snapshots": 0}, "the last opponent a past self"),
        ({"game": jaxpoker.make("leduc")}, "the game of sparring is the learner's"),
    ],
)
def test_settings_that_make_no_sense_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(LEARNER, **settings)


def test_params_of_opponents_are_data():
    """Against one who takes the action that its params name, whoever always bets wins or loses two antes or one."""

    def act(params, memory, game, state, key):
        return params, memory

    named = Player("named", act)
    against = Sparring(KUHN, (named, networks.of_policy(NETWORK, "past self")), (1.0, 0.0))
    learner = dataclasses.replace(LEARNER, sparring=against, opponent_params=(jnp.int32(0),))
    state = learner.init(jax.random.key(0))
    played = [
        jax.device_get(jax.jit(learner.play)(state, jax.random.key(1), jax.random.key(2), (jnp.int32(action),))[1])
        for action in (0, 1)
    ]
    passes, bets = played
    assert set(passes.rewards[passes.over].max(axis=1).tolist()) <= {0.0, 1.0}, "who never bets is never called"
    assert np.abs(bets.rewards).max() == 2
    with pytest.raises(ValueError, match="opponent_params are those of all opponents of sparring but the past self"):
        dataclasses.replace(learner, opponent_params=(None, None))
