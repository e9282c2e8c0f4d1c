"""PPO against others: whose decisions are learned from, what is learned from them, and how bets are counted."""

import dataclasses

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.learners import ppo, ppo_plots
from jaxpoker.learners.ppo import PPO, Raises, Style
from jaxpoker.learners.sparring import Sparring
from jaxpoker.models import observer, sizednet
from jaxpoker.players import networks
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


def test_raises_are_counted_by_street_and_size():
    game = jaxpoker.make("holdem", stack=1_000, small_blind=5, big_blind=10)
    network = sizednet.network(game)
    against = ppo.sparring(game, network, ("call",), (1.0,), 0.25)
    assert against.shares == (0.75, 0.25) and against.opponents[-1].name == ppo.PAST_SELF
    params = network.init(jax.random.key(0))
    found = ppo.style(network, params, against, params, jax.random.key(1), 128, 12)
    np.testing.assert_allclose(found.kinds.sum(axis=1), 1, atol=1e-6)
    assert (found.kinds[:, ppo.KINDS.index("raise")] > 0.2).all()
    raises = found.raises
    assert set(raises.street.tolist()) == {0, 1, 2, 3} and (raises.pots > 0).all()
    assert 0.02 < raises.all_in.mean() < 0.5 and 0.02 < raises.least.mean() < 0.5 and 0.3 < raises.ahead.mean() < 0.7
    first = (raises.street == 0) & raises.least & ~raises.all_in
    assert raises.pots[first].max() == pytest.approx(0.5)  # 10 more than the big blind, and there are 20 after the call


def test_every_raise_is_in_one_bar():
    pots = np.array([0.1, 0.5, 1.0, 9.0, 9.0, 0.2])
    least, all_in = np.array([False] * 5 + [True]), np.array([False] * 4 + [True, False])
    raises = Raises(np.zeros(6, int), pots, least, all_in, np.ones(6, bool))
    found = dict(zip(ppo_plots.BINS, ppo_plots.shares(raises, np.ones(6, bool)), strict=True))
    expected = {"min": 1, "<¼": 1, "½": 1, "1": 1, ">5": 1, "all-in": 1}
    assert {name: round(6 * part) for name, part in found.items() if part} == expected
    assert not ppo_plots.shares(raises, np.zeros(6, bool)).any()


def test_pictures_are_drawn(tmp_path):
    raises = Raises(np.arange(4), np.ones(4), *(np.arange(4) % 2 == i for i in (0, 1, 0)))
    found = Style(np.full((4, 4), 0.25), raises)
    ppo_plots.sizes(tmp_path / "sizes.png", found)
    ppo_plots.kinds(tmp_path / "kinds.png", found)
    assert all((tmp_path / name).stat().st_size > 5_000 for name in ("sizes.png", "kinds.png"))


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
