"""What a run of the respond experiment leaves."""

import types

import jax
import numpy as np
from rich.console import Console

from jaxpoker.match import Estimate
from jaxpoker.players import saved_networks
from jaxpoker.studies.respond import report
from jaxpoker.studies.respond.config import Config
from jaxpoker.studies.respond.learner import TrainState, learner_of
from jaxpoker.studies.respond.targets import target_of

ROW = {"seconds": 6.0, "processor_seconds": 9.0, "entropy": 1.0, "explained": 0.5, "value_loss": 2.0}


def test_the_best_network_is_judged_on_the_final_deals_and_saved(tmp_path, monkeypatch):
    """Neither those of learning nor those of the validation: the key is another one."""
    config = Config(to="call", menu="75%, a", final_hands=640)
    learner = learner_of(config, target_of("holdem", "call", menu=config.menu))
    best = learner.learner.network.init(jax.random.key(7))
    state = TrainState(np.int32(8), None, best, np.float32(300.0), np.int32(4))
    asked = []

    def judged(target, player, params, key, hands):
        asked.append((params, key, hands))
        return Estimate(250.0, 20.0, 40)

    monkeypatch.setattr(report.evaluation, "judged", judged)
    rows = [{**ROW, "step": step, "mbb": 100.0 * step, "mbb_ci95": 30.0} for step in (1, 2)]
    run = types.SimpleNamespace(config=config, folder=tmp_path, plots=tmp_path, metrics=lambda: rows)
    found = report.figures_of(run, learner, state, Console(quiet=True))
    assert found["mbb_per_hand"] == {"call": Estimate(250.0, 20.0, 40)} and found["bound"] == "lower"
    assert found["processor_minutes"] == 0.3 and found["best_update"] == 4
    ((params, key, hands),) = asked
    assert hands == 640 and (jax.random.key_data(key) != jax.random.key_data(learner.validation_key)).any()
    saved = saved_networks.load(tmp_path)
    assert saved.kind == "response" and dict(saved.options) == {"learner": "ppo", "menu": "75%, a"}
    for kept, played in zip(jax.tree.leaves(saved.params), jax.tree.leaves(params), strict=True):
        np.testing.assert_array_equal(kept, played)
    assert {path.name for path in tmp_path.iterdir()} == {"network.npz", "learning.png", "updates.png"}
