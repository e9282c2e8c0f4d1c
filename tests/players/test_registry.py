"""All players by one registry: names, games, params, files, and a clear no to anything else."""

import ast
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.app import opponents
from jaxpoker.errors import RunError
from jaxpoker.models import pokernet
from jaxpoker.players import networks, registry, saved_networks
from jaxpoker.solvers import blueprint
from jaxpoker.solvers.exact import best_response, exact_game

KEY = jax.random.key(0)


@pytest.mark.parametrize("name", players.names())
def test_every_name_is_a_player_of_its_usual_game(name):
    entrant = players.entrant(name)
    assert isinstance(entrant, players.Entrant) and entrant.player.name == name
    game = jaxpoker.make(registry.PLAYERS.get(name).plays[0])
    choice, _ = jax.eval_shape(
        lambda key: entrant.player.act(
            entrant.params, entrant.player.init_memory(entrant.params), game, game.init(key), key
        ),
        KEY,
    )
    assert choice.shape == () and choice.dtype == jnp.int32


def test_names_are_by_game_and_capitals_do_not_matter():
    assert players.names("kuhn") == ("random", "equilibrium")
    assert players.names("chicago") == ("random", "regular", "chicagonet")
    assert set(players.names()) == {name for game in jaxpoker.GAMES for name in players.names(game)}
    assert players.make(" TAG ") is players.make("tag") is players.entrant("tag").player


def test_a_rule_player_is_the_same_one_every_time_so_that_nothing_compiles_twice():
    game = jaxpoker.make("holdem", stack=50)
    assert players.make("lag", game) is players.make("lag", jaxpoker.make("holdem", stack=50))
    assert players.entrant("dqn").player is players.entrant("dqn").player
    assert players.entrant("blueprint").player is players.entrant("blueprint").player


def test_the_equilibrium_of_a_small_game_loses_nothing():
    game = exact_game.whole(jaxpoker.make("kuhn"))
    assert best_response.exploitability(game, players.entrant("equilibrium", jaxpoker.make("kuhn")).params) < 1e-3


@pytest.mark.thorough
def test_players_that_runs_made(tmp_path):
    np.save(tmp_path / "champion.npy", np.asarray(pokernet.random_genomes(KEY, 1)[0]))
    for given in (tmp_path, tmp_path / "champion.npy"):
        champion = players.entrant(str(given))
        assert champion.player is networks.pokernet("champion") and champion.player.weighs_wins
    (tmp_path / "champion.npy").unlink()
    (tmp_path / "blueprint.zip").symlink_to(blueprint.SHIPPED)
    assert players.entrant(str(tmp_path)).player is players.make("blueprint")
    assert players.entrant(str(saved_networks.DATA / "chicagonet.npz")).player.name == "network"


@pytest.mark.parametrize("file", ["qnet.npz", "blueprint.zip"])
def test_a_player_in_a_file_plays_its_own_game_alone(file):
    with pytest.raises(RunError, match=f"{file} plays holdem, not kuhn"):
        players.entrant(str(saved_networks.DATA / file), jaxpoker.make("kuhn"))


def test_what_is_no_player_is_told_so(tmp_path):
    with pytest.raises(ValueError, match="unknown player 'phil': players are random, regular, chicagonet; or name"):
        players.entrant("phil", jaxpoker.make("chicago"))
    with pytest.raises(ValueError, match="'tag' plays holdem, not leduc: leduc has random, equilibrium"):
        players.make("tag", jaxpoker.make("leduc"))
    with pytest.raises(RunError, match=r"no player in .*: runs that have ended hold blueprint.zip, champion.npy"):
        players.entrant(str(tmp_path))
    np.save(tmp_path / "champion.npy", np.zeros(3))
    too_short = (tmp_path / "champion.npy").read_bytes()
    for damaged in (too_short, b"", b"PK\x03\x04"):
        (tmp_path / "champion.npy").write_bytes(damaged)
        with pytest.raises(RunError, match="no genome of a PokerNet, or damaged"):
            players.entrant(str(tmp_path))


def test_random_plays_any_game_there_may_be():
    game = dataclasses.make_dataclass("Snap", [("name", str)], frozen=True)("snap")
    assert players.make("random", game).name == "random" and players.names("snap") == ("random",)


@pytest.mark.parametrize(
    ("module", "cls", "field", "known"),
    [
        (
            "jaxpoker/studies/dqn/config.py",
            "Config",
            "target",
            ("random", "tag", "lag", "call", "min-raise", "check-fold"),
        ),
        (
            "jaxpoker/studies/ppo/config.py",
            "Config",
            "opponents",
            ("random", "tag", "lag", "call", "min-raise", "check-fold"),
        ),
        ("jaxpoker/app/play.py", "Options", "opponent", tuple(one.name for one in opponents.SHIPPED)),
        ("scripts/play_chicago.py", "Options", "opponent", players.names("chicago")),
    ],
)
def test_help_lists_the_players_that_an_option_takes(repository, module, cls, field, known):
    """Help texts are the literals below fields."""
    tree = ast.parse((repository / module).read_text())
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls]
    fields = [node.target.id if isinstance(node, ast.AnnAssign) else "" for node in body]
    text = ast.unparse(body[fields.index(field) + 1])
    assert set(known) <= set(players.names()) and all(name in text for name in known)
