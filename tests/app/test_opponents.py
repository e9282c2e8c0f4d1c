"""Who can be played against: all that ship, runs by their folders, and a clear no to anything else."""

import jax
import numpy as np
import pytest

from jaxpoker.app import opponents
from jaxpoker.app.room import GAME
from jaxpoker.errors import RunError
from jaxpoker.models import pokernet
from jaxpoker.players import EXPLOITERS, networks, saved_networks
from jaxpoker.solvers import blueprint


@pytest.mark.thorough
def test_all_that_ship_have_a_model_and_a_word_for_the_coach():
    assert len({one.name for one in opponents.SHIPPED}) == len(opponents.SHIPPED) >= 10
    assert {"blueprint", "dqn", "ppo", "tag", "lag"} <= {one.name for one in opponents.SHIPPED}
    for one in opponents.SHIPPED:
        model = one.model(GAME)
        assert model.name == one.title and model.profile.endswith(".")
        assert (model.menu is None) == (model.player.policy is None)


def test_a_name_is_found_whatever_its_capitals():
    assert opponents.named(" LAG ").name == "lag"


def test_exploiters_can_be_played_against_and_are_not_on_the_menu():
    assert opponents.named("Value 60% pot").model(GAME).win_samples > 0
    assert not {one.name for one in opponents.SHIPPED} & set(EXPLOITERS)


def test_an_evolved_champion_plays_from_its_file(tmp_path):
    run = tmp_path / "evolve" / "mine"
    run.mkdir(parents=True)
    np.save(run / "champion.npy", np.random.default_rng(0).normal(size=pokernet.GENOME_SIZE).astype(np.float32))
    for given in (run, run / "champion.npy"):
        assert opponents.named(str(given)).title in ("mine", "champion")
    model = opponents.named(str(run)).model(GAME)
    assert model.menu is None and model.player is networks.pokernet("champion") and model.title == "mine"
    assert sum(leaf.size for leaf in jax.tree.leaves(model.params)) == pokernet.GENOME_SIZE


def test_a_run_goes_by_its_whole_name(tmp_path, monkeypatch):
    run = tmp_path / "spread-0.25"
    run.mkdir()
    (run / "champion.npy").touch()
    monkeypatch.chdir(run)
    assert opponents.named(str(run)).title == opponents.named(".").title == "spread-0.25"


def test_a_solved_run_plays_from_its_file(tmp_path):
    (tmp_path / "blueprint.zip").symlink_to(blueprint.SHIPPED)
    model = opponents.named(str(tmp_path)).model(GAME)
    assert model.menu == blueprint.load_shipped().game.bet_menu


def test_a_trained_network_plays_from_its_file_if_it_plays_holdem():
    model = opponents.named(str(saved_networks.DATA / "qnet.npz")).model(GAME)
    assert model.menu == GAME.bet_menu and model.title == "qnet"
    with pytest.raises(RunError, match="plays chicago, not holdem: take one that learned holdem"):
        opponents.named(str(saved_networks.DATA / "chicagonet.npz")).model(GAME)


def test_what_is_no_player_is_told_so(tmp_path):
    with pytest.raises(RunError, match="unknown opponent 'phil': play blueprint, dqn, ppo, tag, lag"):
        opponents.named("phil")
    with pytest.raises(RunError, match="no player in"):
        opponents.named(str(tmp_path))
    (tmp_path / "champion.npy").write_bytes(b"nothing")
    with pytest.raises(RunError, match="no genome of a PokerNet, or damaged"):
        opponents.named(str(tmp_path)).model(GAME)
    np.save(tmp_path / "champion.npy", np.zeros(3))
    with pytest.raises(RunError, match="no genome of a PokerNet"):
        opponents.named(str(tmp_path)).model(GAME)
