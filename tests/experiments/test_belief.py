"""scripts/run belief, from the command line to the files it leaves."""

import functools
import json

import pytest

from jaxpoker.players import saved_networks

SMALL = (
    *("--updates", "4", "--tables", "16", "--latent", "16", "--heads", "2", "--layers", "1", "--feed-forward", "32"),
    *("--simulations", "2", "--evaluate-every", "2", "--final-hands", "64", "--speed-simulations", "2"),
)
PICTURES = {
    *("exploitability.png", "exploitability_seconds.png", "losses.png", "ranges.png", "latent_steps.png"),
    *("beliefs.png", "beliefs_tsne.png", "value_landscape.png", "belief_paths.png", "attention.png"),
    *("attention_layers.png", "variance.png"),
}
OF_BELIEFS = ("beliefs.png", "attention.png", "belief_paths.png")


@pytest.fixture
def belief(run_experiment):
    return functools.partial(run_experiment, "belief")


@pytest.mark.slow
def test_kuhn_from_the_command_line_and_analysed_again(tmp_path, belief):
    shown = belief(tmp_path, *SMALL, "--imitation", "2", "--name", "tiny")
    folder = tmp_path / "belief" / "tiny"
    summary = json.loads((folder / "summary.json").read_text())
    assert 0 < summary["exploitability"] < 1 and summary["exploitability_uniform"] == pytest.approx(0.4583, abs=1e-4)
    assert summary["value_of_the_game"] == pytest.approx(-1 / 18, abs=1e-3)
    assert f"exploitability {summary['exploitability']:.4f}" in shown
    assert set(summary["mbb_per_hand"]) == {"random", "equilibrium"} and list(summary["latent_step_error"]) == [
        "1 ahead"
    ]
    assert summary["range_times_closer_than_prior"] > 0 and summary["searched_decisions_per_s"] > 0
    assert {path.name for path in (folder / "plots").iterdir()} == PICTURES
    assert saved_networks.load(folder).kind == "belief"

    before = {name: (folder / "plots" / name).read_bytes() for name in OF_BELIEFS}
    for name in OF_BELIEFS:
        (folder / "plots" / name).unlink()
    belief(tmp_path, "--analyse", "tiny")
    assert all((folder / "plots" / name).read_bytes() == picture for name, picture in before.items())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--search", "stochastic"), "--search stochastic: needs --probabilistic"),
        (("--trace", "2"), "--trace 2.0: 0 to 1"),
        (("--latent", "30"), "latent = 30: a multiple of 4 and of the 4 heads"),
        (("--heads", "0"), "--heads 0: at least 1"),
        (("--analyse", "nosuch"), "no run 'nosuch' to analyse: there is none in runs/belief"),
        (("--analyse=nosuch",), "no run 'nosuch' to analyse: there is none in runs/belief"),
    ],
)
def test_settings_that_make_no_sense_are_clear_errors(arguments, message, answer):
    assert message in answer("belief", *arguments)
