"""How a responder reads a player: probabilities of what was played, against the player itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, players
from jaxpoker.games.holdem.table import Deal
from jaxpoker.players import from_policy
from jaxpoker.players.contract import on_menu
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.response import range_reader

pytestmark = [pytest.mark.optimised, pytest.mark.thorough]

BOARD = cards.parse("AhKd7c2h9d")
KEYS = 4_000


@pytest.fixture(scope="module")
def solved():
    """Any strategy with two sizes at 20 big blinds."""
    menu = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"
    betting = tree.build(jaxpoker.make("holdem", menu=menu, stack=200, small_blind=5, big_blind=10))
    known, rng, strategy = abstraction.make("rank_based"), np.random.default_rng(3), []
    for street, buckets in enumerate(known.num_buckets):
        nodes = betting.decisions(street=street)
        weights = rng.exponential(size=(len(nodes), buckets, betting.num_actions)) * betting.legal(nodes)[:, None]
        strategy.append((weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32))
    return Blueprint(betting, known, tuple(strategy))


def act(game, state, *bets):
    for to in bets:
        state = game.act(state, jnp.int32(to))
    return state


def test_a_blueprint_is_read_as_it_acts_with_its_luck_in_reading_bets(solved):
    """It is in the big blind and faces a raise to 34, between its sizes 25 and all-in. It calls, checks, and faces a
    bet of 30 into 68, between a check and 75%. What it does in all is as likely as ``act`` does it, hand by hand."""
    game = solved.game
    player, params = blueprints.entrant(solved)
    reader = range_reader.of_blueprint(solved)
    start = game.start(Deal.of(jnp.asarray([[0, 1], [2, 3]]), jnp.asarray(BOARD)))
    states = [act(game, start, 34), act(game, start, 34, 34), act(game, start, 34, 34, 0, 30)]
    played = (1, 1)  # calls, and checks

    belief = reader.begin(params, start.deal)
    for street, (state, action) in enumerate(zip(states[:2], played, strict=True)):
        belief = reader.follow(reader.look(params, belief, state, street), jnp.int32(action))
    look = reader.look(params, belief, states[2], 1)
    mix = np.asarray(look.reach / reader.weights(belief)[:, None])  # [1326, 4], given what it did before
    stays, readable = reader.stay(params, belief, states[2], 1)
    np.testing.assert_allclose(stays, reader.weights(belief) - look.reach[:, 0], atol=1e-6)
    assert readable and (np.asarray(belief.weight).max(axis=1) > 0).sum() == 2, "it may think that it was all-in or 25"

    def one(hand, key):
        """Whether it played like that, and what it does at last."""
        memory, as_told = player.new_hand(player.init_memory(params)), True
        for state, action, k in zip(states, (*played, None), jax.random.split(key, 3), strict=True):
            state = game.with_hand(state, 1, hand)
            to, memory = player.act(params, memory, game, state, k)
            if action is not None:
                as_told &= to == game.choices(state)[0][action]
        return as_told, to

    keys = jax.random.split(jax.random.key(0), KEYS)
    likely = jax.jit(jax.vmap(jax.vmap(one, (None, 0)), (0, None)))
    hands = np.nonzero(np.asarray(game.possible_hands(start.deal, 3)))[0][::200]
    as_told, to = (np.asarray(x) for x in likely(jnp.asarray(COMBOS[hands]), keys))
    seen = 0
    for hand, told, last in zip(hands, as_told, to, strict=True):
        times = told.sum()
        for action, chips in enumerate(np.asarray(look.choices)):
            p = mix[hand, action]
            assert abs((last[told] == chips).mean() - p) < 4.5 * np.sqrt(p * (1 - p) / times) + 1e-6
            seen += 0.05 < p < 0.95
    assert seen > 10


def test_with_one_place_a_bet_off_the_tree_cannot_be_read(solved):
    reader = range_reader.of_blueprint(solved, places=1)
    params, game = solved.params, solved.game
    start = game.start(Deal.of(jnp.asarray([[0, 1], [2, 3]]), jnp.asarray(BOARD)))
    belief = reader.begin(params, start.deal)
    assert reader.stay(params, belief, act(game, start, 25), 0)[1]
    assert not reader.stay(params, belief, act(game, start, 34), 0)[1]


def test_on_its_tree_a_blueprint_is_read_by_bucket_as_its_policy_is_by_hand(solved):
    game = solved.game
    player, params = blueprints.entrant(solved)
    readers = range_reader.of_blueprint(solved, places=1), range_reader.of_player(player, game)
    start = game.start(Deal.of(jnp.asarray([[0, 1], [2, 3]]), jnp.asarray(BOARD)))
    states = [act(game, start, 25), act(game, start, 25, 25), act(game, start, 25, 25, 0, 37)]
    found = []
    for reader in readers:
        belief = reader.begin(params, start.deal)
        for street, state in zip((0, 1), states[:2], strict=True):
            belief = reader.follow(reader.look(params, belief, state, street), jnp.int32(1))
        found.append(np.asarray(reader.look(params, belief, states[2], 1).reach))
    possible = np.asarray(game.possible_hands(start.deal, 3))
    np.testing.assert_allclose(found[0][possible], found[1][possible], atol=1e-5)


def test_sizes_that_come_to_the_same_chips_are_one_action():
    """Of nine actions a raise by 1/4 and by 1/3 of 8 chips are both the minimum raise."""
    game = jaxpoker.make("holdem")

    def policy(params, memory, game, state):
        wanted = jnp.arange(1.0, 10.0) * state.legal_action_mask
        return wanted / wanted.sum(), memory

    reader = range_reader.of_player(on_menu(from_policy("any", policy)), game)
    start = game.start(Deal.of(jnp.asarray([[0, 1], [2, 3]]), jnp.asarray(BOARD)))
    state = act(game, start, 4, 4)
    look = reader.look(None, reader.begin(None, start.deal), state, 1)
    assert look.choices[2:5].tolist() == [2, 2, 2]
    legal = np.asarray(state.legal_action_mask)
    total = np.arange(1, 10)[legal].sum()
    np.testing.assert_allclose(look.reach[0, 1:6], np.array([2, 3 + 4 + 5, 0, 0, 6]) / total, rtol=1e-5)


def test_a_player_without_a_policy_is_refused_by_name():
    game = jaxpoker.make("holdem")
    with pytest.raises(ValueError, match="player 'ppo' chooses chip amounts and has no policy"):
        range_reader.of_player(players.make("ppo", game), game)
