"""The PokerNet player: what it sees, what it remembers, and that it plays by the rules."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, match, players
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import Deal
from jaxpoker.games.session import Session
from jaxpoker.models import pokernet as net
from jaxpoker.models import qnet, responder
from jaxpoker.players import networks
from jaxpoker.players.networks import of_values, pokernet

GAME = jaxpoker.make("holdem", stack=1000, small_blind=5, big_blind=10)  # heads-up; seat 0 has the button
PLAYER = pokernet()
HANDS = 12
NETWORK, OPPONENT = 0, 1


@pytest.fixture(scope="module")
def genome():
    return net.random_genomes(jax.random.key(0), 1)[0]


# --- what it sees -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table(play_out):
    """``table(*to, wins=None)``: Ah Kh against 7c 2d after those actions."""
    start = jax.jit(GAME.start)
    act = jax.jit(GAME.act)

    def after(*actions, wins=None):
        deal = Deal.of(cards.parse("AhKh7c2d").reshape(2, 2), cards.parse("Qh7h3s9cAd"))
        state = start(deal if wins is None else dataclasses.replace(deal, win_probability=jnp.asarray(wins)))
        return play_out(act, state, actions)

    return after


@pytest.fixture(scope="module")
def sight():
    """``sight(state)`` [64, 8]: the features that the player sees with as many keys.

    From the memory of a network whose game LSTM remembers nothing but tanh of each feature: the input gate is open, the
    forget gate closed, the candidate is the feature.
    """
    units = net.GAME_UNITS
    bias, kernel = np.zeros(4 * units), np.zeros((8, 4 * units))
    bias[:units], bias[units : 2 * units] = 50, -50
    kernel[np.arange(8), 2 * units + np.arange(8)] = 1
    genome = np.zeros(net.GENOME_SIZE, np.float32)
    genome[: bias.size] = bias
    genome[bias.size : bias.size + kernel.size] = kernel.ravel()
    keys = jax.random.split(jax.random.key(1), 64)
    before = net.Memory(*(jnp.ones(size) for size in (units, units, 10, 10)))

    @jax.jit
    def cells(state):
        act = jax.vmap(lambda key: PLAYER.act(net.params_of(genome), before, GAME, state, key)[1].game_cell)
        return act(keys)

    return lambda state: np.arctanh(np.asarray(cells(state), np.float64)[:, :8])


SIGHTS = {
    "the small blind opens": ((), [1, 0, 0, 0, 0.1, 0.005, 0.01, 0.25]),
    "the big blind faces a raise to 30": ((30,), [1, 0, 0, 0, 0.5, 0.01, 0.03, 1 / 3]),
    "the big blind opens the flop": ((30, 30), [0, 1, 0, 0, 0.6, 0.03, 0.03, 0]),
    "the button faces 20 on the turn": ((10, 10, 0, 0, 20), [0, 0, 1, 0, 0.3, 0.01, 0.03, 1 / 3]),
    "the big blind on the turn": ((10, 10, 0, 0), [0, 0, 1, 0, 0.7, 0.01, 0.01, 0]),
    "all-in on the river": ((10, 10, 0, 0, 0, 0, 990), [0, 0, 0, 1, 0.4, 0.01, 1, 0.495]),
}


@pytest.mark.parametrize(("actions", "features"), SIGHTS.values(), ids=SIGHTS)
def test_it_sees_the_eight_features_of_its_seat(table, sight, actions, features):
    """With win probabilities [seat, street] in the deal they are what it sees, whatever the key."""
    wins = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]], np.float32)
    seen = sight(table(*actions, wins=wins))
    np.testing.assert_allclose(seen, np.tile(features, (64, 1)), atol=1e-6)


# Ah Kh against a random hand by eval7: all hands and boards from the flop on.
EQUITIES = {
    "preflop": ((), 0.670446, 0),
    "flop": ((10, 10, 10), 0.7218849, 200),
    "turn": ((10, 10, 0, 0, 10), 26768.5 / 45540, 200),
    "river": ((10, 10, 0, 0, 0, 0, 10), 896 / 990, 0),
}


@pytest.mark.parametrize(("actions", "exact", "samples"), EQUITIES.values(), ids=EQUITIES)
def test_it_works_out_win_probabilities_that_are_not_in_the_deal(table, sight, actions, exact, samples):
    state = table(*actions)
    seen = sight(state)
    assert state.current_player == 0
    np.testing.assert_array_equal(seen[:, :4].round(6), np.tile(np.arange(4) == state.street, (64, 1)))
    wins = seen[:, 4]
    if not samples:
        np.testing.assert_allclose(wins, exact, atol=1e-6)
        return
    sigma = np.sqrt(exact * (1 - exact) / samples)  # a little more than it is, for ties
    assert abs(wins.mean() - exact) < 4.5 * sigma / 8
    assert 0.5 * sigma < wins.std() < 1.4 * sigma


def test_its_choice_is_what_the_networks_output_means(table, genome):
    """From a memory of its own, for outputs of either sign."""
    state = table(30, wins=np.full((2, 4), 0.5))
    memories = jax.random.uniform(jax.random.key(2), (64, 120), minval=-1)
    params = net.params_of(genome)

    @jax.jit
    @jax.vmap
    def decide(flat):
        memory = net.Memory(*jnp.split(flat, [50, 100, 110]))
        seen = net.features(GAME, state, jnp.float32(0.5))
        output, after = net.apply(params, seen, memory)
        return output, after, PLAYER.act(params, memory, GAME, state, jax.random.key(3))

    output, after, (chips, remembered) = jax.tree.map(np.asarray, decide(memories))
    assert (output < -0.1).sum() > 5
    assert (output > 0.1).sum() > 5
    np.testing.assert_array_equal(chips[output < 0], -1)
    raises = output > 0.1
    expected = np.minimum(30 + 10 * np.floor(100 * output[raises]), 1000)
    np.testing.assert_array_equal(chips[raises], expected)
    assert (expected < 1000).sum() > 5
    for ours, expected in zip(remembered, after, strict=True):
        np.testing.assert_allclose(ours, expected, atol=1e-6)


# --- what it remembers ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session_log(genome):
    """All of the network's decisions in a session of 12 hands, in order: hand, features, memory before; and after all.

    Played by the very functions that matches consist of.
    """
    session, pair = Session(GAME), (PLAYER, players.make("call", GAME))
    params = (net.params_of(genome), None)
    deals = jax.jit(lambda key: GAME.deal(key, (HANDS,), win_samples=20))(jax.random.key(4))

    @jax.jit
    def sit_down(deals):
        return match.sit_down(session, pair, params, session.start(deals), jnp.int32(1))  # the network is in seat 1

    @jax.jit
    def step(running, key):
        hand, memories, chosen = running.table.hand, [], []
        for player, own, memory in zip(pair, params, running.memories, strict=True):
            to, after = player.act(own, memory, GAME, hand, key)
            chosen.append(to)
            memories.append(after)
        seat = hand.current_player
        features = net.features(GAME, hand, hand.deal.win_probability[seat, hand.street])
        acting = running.acting(2)
        seen = (running.table.hand_index, features, running.memories[NETWORK])
        choice = jnp.where(acting == NETWORK, chosen[NETWORK], chosen[OPPONENT])
        return match.advance(session, pair, running, choice, memories), acting, seen

    running, log = sit_down(deals), []
    while not running.table.over:
        running, acting, seen = step(running, jax.random.key(5))
        if acting == NETWORK:
            log.append(jax.tree.map(np.asarray, seen))
    hands, features, memories = jax.tree.map(lambda *x: np.stack(x), *log)
    assert np.unique(hands).size > HANDS - 3  # the others ended before it had to decide
    assert len(hands) > np.unique(hands).size + 5
    return hands, features, memories, jax.tree.map(np.asarray, running.memories[NETWORK])


def test_a_hand_begins_with_an_empty_game_memory(session_log):
    hands, _, memories, last = session_log
    begins = np.diff(hands, prepend=-1) > 0
    for memory in (memories.game_hidden, memories.game_cell):
        np.testing.assert_array_equal((memory == 0).all(axis=1), begins)
    assert not last.game_hidden.any()  # after the last hand, too


def test_the_opponents_memory_lasts_over_hands(session_log):
    _, _, memories, _ = session_log
    for memory in (memories.opponent_hidden, memories.opponent_cell):
        assert not memory[0].any()  # nobody knows a stranger
        assert (memory[1:] != 0).all()
        assert (np.abs(np.diff(memory, axis=0)).max(axis=1) > 0).all()


def test_memories_are_those_of_its_own_decisions_alone(session_log, genome):
    """Run again from the features: the game LSTM from the hand's start, the opponent LSTM from the session's."""
    hands, features, memories, last = session_log
    apply = jax.jit(lambda features, memory: net.apply(net.params_of(genome), features, memory)[1])
    expected = net.empty_memory()
    for i, hand in enumerate(hands):
        if i > 0 and hand > hands[i - 1]:
            expected = expected._replace(game_hidden=np.zeros(50), game_cell=np.zeros(50))
        for ours, theirs in zip(memories, expected, strict=True):
            np.testing.assert_allclose(ours[i], theirs, atol=1e-4)
        expected = apply(features[i], expected)
    np.testing.assert_allclose(last.opponent_hidden, expected.opponent_hidden, atol=1e-4)
    np.testing.assert_allclose(last.opponent_cell, expected.opponent_cell, atol=1e-4)


# --- the contract -----------------------------------------------------------------------------


class WinsDealt(Holdem):
    """Hold'em whose deals always carry win probabilities."""

    def deal(self, key, shape=(), win_samples=0):
        return jax.jit(functools.partial(super().deal, shape=shape, win_samples=20))(key)


DEALT = WinsDealt(stack=1000, small_blind=5, big_blind=10)


@pytest.mark.thorough
@pytest.mark.parametrize("game", [GAME, DEALT], ids=["worked out", "dealt"])
def test_it_acts_by_the_rules_and_on_what_it_sees(game, genome):
    assert players.check(PLAYER, net.params_of(genome), game, jax.random.key(6), tables=32) > 2 * 32


def test_a_network_that_sees_the_others_win_probability_is_found_out(genome):
    def act(params, memory, game, state, key):
        seen = net.features(game, state, state.deal.win_probability[1 - state.current_player, state.street])
        output, memory = net.apply(params, seen, memory)
        return net.chips_to(game, game.facing(state), output), memory

    cheat = PLAYER._replace(name="cheat", act=act)
    with pytest.raises(AssertionError, match="player 'cheat' acts on what it cannot see"):
        players.check(cheat, net.params_of(genome), DEALT, jax.random.key(6), tables=32)


def test_it_chooses_chips_and_is_made_once():
    assert pokernet() is PLAYER
    assert pokernet("champion").name == "champion"
    with pytest.raises(ValueError, match="player 'pokernet' chooses chip amounts and has no policy over action ids"):
        players.require_policy(PLAYER)


# --- values of actions ------------------------------------------------------------------------


def test_the_player_of_a_qnet_acts_legally_and_on_what_it_sees():
    game = jaxpoker.make("leduc")
    network = qnet.network(game)
    assert players.check(of_values(network, game), network.init(jax.random.key(8)), game, jax.random.key(9), 16) >= 16


def test_the_player_of_a_qnet_goes_to_the_chips_of_its_best_legal_action(table):
    """Nobody may fold for free: of a network that values folding most it takes the second best."""
    network = qnet.QNetwork(lambda key: jnp.zeros(9), lambda params, observation: params)
    act = jax.jit(of_values(network, GAME).act, static_argnums=2)
    values = jnp.array([9.0, 0, 0, 0, 0, 1, 0, 0, 0])  # fold, then half the pot
    to = [int(act(values, (), GAME, table(*actions), jax.random.key(0))[0]) for actions in ((), (10,), (10, 10, 40))]
    assert to == [-1, 20, -1]


# --- responses --------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("make", [responder.values, responder.policy])
def test_a_response_acts_legally_and_on_what_it_sees(make):
    """Its deals carry no win probabilities: it works them out."""
    game = jaxpoker.make("holdem", menu="75%, a", stack=20)
    network = make(game)
    player = networks.responder(network, game)
    assert players.check(player, network.init(jax.random.key(8)), game, jax.random.key(9), 8) >= 8
    assert player.weighs_wins and player.menu == game.bet_menu
