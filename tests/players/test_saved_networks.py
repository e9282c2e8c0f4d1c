"""Networks in files: what is saved plays on as it did, and what cannot be read is said."""

import dataclasses
import functools
import io

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, players
from jaxpoker.games.chicago import Chicago
from jaxpoker.models import observer, responder
from jaxpoker.players import saved_networks
from jaxpoker.players.saved_networks import NETWORK_FILE, SavedNetwork
from jaxpoker.runs import RunError


@functools.cache
def new_params(game):
    """Of the network that learns a policy of the game called ``game``."""
    return jax.jit(observer.network(jaxpoker.make(game)).init)(jax.random.key(0))


def test_a_saved_network_plays_as_it_did(tmp_path):
    game, before = jaxpoker.make("leduc"), SavedNetwork("leduc", new_params("leduc"))
    saved_networks.save(tmp_path / NETWORK_FILE, before, np.float32)
    after = saved_networks.load(tmp_path)  # the folder of a run
    assert after.game == "leduc"

    @functools.partial(jax.jit, static_argnums=0)
    def policy(player, params):
        return player.policy(params, (), game, game.init(jax.random.key(1)))[0]

    policies = [policy(saved.player(), saved.params) for saved in (before, after)]
    np.testing.assert_array_equal(*policies)


@pytest.mark.thorough
def test_the_network_that_comes_along_draws_to_what_it_has():
    shipped = saved_networks.load_shipped("chicagonet")
    game = Chicago(num_players=2)

    @jax.jit
    @jax.vmap
    def likeliest(held):
        state = game.with_hand(game.init(jax.random.key(0)), 0, held)
        return jnp.argmax(shipped.player().policy(shipped.params, (), game, state)[0])

    discards = {"AcAd7h4s2c": "7h4s2c", "Qc2dQhQs7c": "2d7c"}
    hands = np.stack([cards.parse(hand) for hand in discards])
    for held, action, expected in zip(hands, likeliest(hands).tolist(), discards.values(), strict=True):
        assert cards.text([card for i, card in enumerate(held) if action >> i & 1]) == expected


def test_files_that_are_no_networks_are_refused(tmp_path):
    with pytest.raises(RunError, match=r"no network in .*: give a network\.npz, or the folder"):
        saved_networks.load(tmp_path)
    one_array, about_nothing = io.BytesIO(), io.BytesIO()
    np.save(one_array, np.zeros(3))
    np.savez(about_nothing, about=np.asarray("[]"))
    for content in (b"nonsense", b"", one_array.getvalue(), about_nothing.getvalue()):
        (tmp_path / NETWORK_FILE).write_bytes(content)
        with pytest.raises(RunError, match="is no network, or damaged"):
            saved_networks.load(tmp_path)
    params = new_params("kuhn")
    saved_networks.save(tmp_path / NETWORK_FILE, SavedNetwork("leduc", params))
    with pytest.raises(RunError, match="does not fit the network of leduc"):
        saved_networks.load(tmp_path)
    saved_networks.save(tmp_path / NETWORK_FILE, SavedNetwork("poker dice", params))
    with pytest.raises(RunError, match="plays 'poker dice': networks of kind 'policy' play chicago, kuhn, leduc"):
        saved_networks.load(tmp_path)


def test_the_network_of_hold_em_that_comes_along_knows_what_calls_an_all_in():
    """In the big blind, 100 big blinds deep; at a table with another menu than its own."""
    shipped = saved_networks.load_shipped("qnet")
    game = jaxpoker.make("holdem", menu="33%, a", stack=200)

    @jax.jit
    @jax.vmap
    def answer(hand):
        state = game.with_hand(game.act(game.init(jax.random.key(5)), 200), 1, hand)
        return shipped.player().act(shipped.params, (), game, state, jax.random.key(0))[0]

    hands = np.stack([cards.parse(hand) for hand in ("AsAh", "KdKs", "7c2d", "3c2d")])
    assert answer(hands).tolist() == [200, 200, -1, -1]


def test_a_file_with_options_of_another_network_is_refused(tmp_path):
    saved = SavedNetwork("leduc", new_params("leduc"), options={"wings": True})
    saved_networks.save(tmp_path / NETWORK_FILE, saved)
    with pytest.raises(RunError, match=r"has options \{'wings': True\} that a network of kind 'policy' has not"):
        saved_networks.load(tmp_path)


def test_only_what_comes_along_is_loaded_by_name():
    with pytest.raises(ValueError, match="no network 'deep blue' comes along: there are chicagonet, qnet, sizednet"):
        saved_networks.load_shipped("deep blue")


def test_a_response_comes_back_with_its_menu(tmp_path):
    game = jaxpoker.make("holdem", menu="50%, a")
    for learner, network in (("dqn", responder.values(game)), ("ppo", responder.policy(game))):
        options = {"learner": learner, "menu": "50%, a"}
        saved = SavedNetwork("holdem", network.init(jax.random.key(0)), saved_networks.RESPONSE, options)
        saved_networks.save(tmp_path / NETWORK_FILE, saved, np.float32)
        player = players.entrant(str(tmp_path)).player
        assert player.menu == game.bet_menu and player.policy is not None
    saved_networks.save(tmp_path / NETWORK_FILE, dataclasses.replace(saved, options={"learner": "luck"}))
    with pytest.raises(RunError, match="learner 'luck': there are dqn and ppo"):
        saved_networks.load(tmp_path)


# --- numbers that are none, and files that claim too much ---------------------------------------


def rewritten(path, **arrays):
    """The file with other arrays."""
    with np.load(path) as file:
        kept = {name: file[name] for name in file.files} | arrays
    np.savez_compressed(path, **{name: array for name, array in kept.items() if array is not None})


@pytest.fixture
def kuhn_file(tmp_path):
    network = saved_networks.policy_network("kuhn")
    path = tmp_path / "network.npz"
    saved_networks.save(path, SavedNetwork("kuhn", network.init(jax.random.key(0))))
    return path


def some_array(path):
    with np.load(path) as file:
        return next((name, file[name]) for name in file.files if name != "about" and file[name].ndim == 2)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_network_with_a_number_that_is_none_is_refused(kuhn_file, value):
    name, array = some_array(kuhn_file)
    array[0, 0] = value
    rewritten(kuhn_file, **{name: array})
    with pytest.raises(RunError, match=r"no finite floats \(float16\): the run that made it went astray"):
        saved_networks.load(kuhn_file)
    rewritten(kuhn_file, **{name: np.full(array.shape, 1e30, np.float32)})
    saved_networks.load(kuhn_file)
    rewritten(kuhn_file, **{name: np.full(array.shape, 1e300)})
    with pytest.raises(RunError, match=r"no finite floats \(float64\)"):
        saved_networks.load(kuhn_file)
    rewritten(kuhn_file, **{name: np.ones(array.shape, np.int32)})
    with pytest.raises(RunError, match=r"no finite floats \(int32\)"):
        saved_networks.load(kuhn_file)


def test_a_network_that_its_file_cannot_hold_is_not_saved(tmp_path):
    network = saved_networks.policy_network("kuhn")
    params = jax.tree.map(lambda x: x * 0 + 1e30, network.init(jax.random.key(0)))
    with pytest.raises(RunError, match=r"cannot save the network .* not finite in float16"):
        saved_networks.save(tmp_path / "network.npz", SavedNetwork("kuhn", params))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("about", "says"),
    [
        ('{"game": "kuhn", "kind": [1]}', r"of kind \[1\]"),
        ('{"game": ["kuhn"], "kind": "policy"}', "plays"),
        ('{"game": "leduc", "kind": "belief", "layers": 3000}', "layers = 3000: it is 1 or more, at most 24"),
        ('{"game": "leduc", "kind": "belief", "latent": 4.0}', "latent = 4.0"),
        ("[" * 9_000, "is no network, or damaged"),
        ('{"kind": "policy"}', "does not say its game"),
        ("[]", "does not say its game"),
    ],
)
def test_what_a_file_says_of_itself_is_checked_first(kuhn_file, about, says):
    rewritten(kuhn_file, about=np.asarray(about))
    with pytest.raises(RunError, match=says):
        saved_networks.load(kuhn_file)
