"""Networks in files: what is saved plays on as it did, and what cannot be read is said."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.games.chicago import Chicago
from jaxpoker.models import observer
from jaxpoker.players import saved_networks
from jaxpoker.players.saved_networks import NETWORK_FILE, SavedNetwork
from jaxpoker.runs import RunError


def test_a_saved_network_plays_as_it_did(tmp_path):
    game = jaxpoker.make("leduc")
    params = observer.network(game).init(jax.random.key(0))
    saved_networks.save(tmp_path / NETWORK_FILE, SavedNetwork("leduc", params), np.float32)
    loaded = saved_networks.load(tmp_path)  # the folder of a run
    assert loaded.game == "leduc"
    state = game.init(jax.random.key(1))
    before, _ = SavedNetwork("leduc", params).player().policy(params, (), game, state)
    after, _ = loaded.player().policy(loaded.params, (), game, state)
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize(("hand", "discards"), [("AcAd7h4s2c", "7h4s2c"), ("Qc2dQhQs7c", "2d7c")])
def test_the_network_that_comes_along_draws_to_what_it_has(hand, discards):
    shipped = saved_networks.load_shipped("chicagonet")
    game = Chicago(num_players=2)
    state = game.init(jax.random.key(0))
    held = cards.parse(hand)
    state = dataclasses.replace(state, hands=state.hands.at[0].set(jnp.asarray(held, jnp.int8)))
    policy = jax.jit(lambda state: shipped.player().policy(shipped.params, (), game, state)[0])
    action = int(np.argmax(policy(state)))
    assert [card for i, card in enumerate(held) if action >> i & 1] == cards.parse(discards).tolist()


def test_files_that_are_no_networks_are_refused(tmp_path):
    with pytest.raises(RunError, match=r"no network in .*: give a network\.npz, or the folder"):
        saved_networks.load(tmp_path)
    (tmp_path / NETWORK_FILE).write_bytes(b"nonsense")
    with pytest.raises(RunError, match="is no network, or damaged"):
        saved_networks.load(tmp_path)
    params = observer.network(jaxpoker.make("kuhn")).init(jax.random.key(0))
    saved_networks.save(tmp_path / NETWORK_FILE, SavedNetwork("leduc", params))
    with pytest.raises(RunError, match="does not fit the network of leduc"):
        saved_networks.load(tmp_path)
    saved_networks.save(tmp_path / NETWORK_FILE, SavedNetwork("poker dice", params))
    with pytest.raises(RunError, match="plays 'poker dice': networks of kind 'policy' play chicago, kuhn, leduc"):
        saved_networks.load(tmp_path)


@pytest.mark.parametrize(("hand", "chips"), [("AsAh", 200), ("KdKs", 200), ("7c2d", -1), ("3c2d", -1)])
def test_the_network_of_hold_em_that_comes_along_knows_what_calls_an_all_in(hand, chips):
    """In the big blind, 100 big blinds deep; at a table with another menu than its own."""
    shipped = saved_networks.load_shipped("qnet")
    game = jaxpoker.make("holdem", menu="33%, a", stack=200)
    state = game.act(game.start(game.deal(jax.random.key(5))), 200)
    state = game.with_hand(state, 1, cards.parse(hand))
    answer, _ = jax.jit(lambda state: shipped.player().act(shipped.params, (), game, state, jax.random.key(0)))(state)
    assert int(answer) == chips


def test_a_file_with_options_of_another_network_is_refused(tmp_path):
    params = observer.network(jaxpoker.make("leduc")).init(jax.random.key(0))
    saved_networks.save(tmp_path / NETWORK_FILE, SavedNetwork("leduc", params, options={"wings": True}))
    with pytest.raises(RunError, match=r"has options \{'wings': True\} that a network of kind 'policy' has not"):
        saved_networks.load(tmp_path)


def test_only_what_comes_along_is_loaded_by_name():
    with pytest.raises(ValueError, match="no network 'deep blue' comes along: there are chicagonet, qnet, sizednet"):
        saved_networks.load_shipped("deep blue")
