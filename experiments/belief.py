"""Learns beliefs, a policy and a model of the opponent with a transformer, by search in its latent space.

    scripts/run belief                       Kuhn poker, a minute or two
    scripts/run belief --preset full         ... longer
    scripts/run belief --preset leduc        Leduc poker, ten minutes
    scripts/run belief --preset leduc-imitation   ... that begins with games of the solved strategy
    scripts/run belief --analyse NAME        draws the pictures of a run's beliefs anew

Presets that leave something out, on Kuhn: no-transition (loss), no-value (head), raw-policy (no search), no-magnet,
imitation (with it). At the end the averaged policy is measured by the exact best response and plays random and the
equilibrium, its range head is measured against the Bayes posterior and its latent steps against the beliefs that came.
network.npz is the network: saved_networks.load("runs/belief/NAME").
"""

from __future__ import annotations

import dataclasses

from rich.console import Console

from jaxpoker import runs
from jaxpoker.players.saved_networks import NETWORK_FILE
from jaxpoker.studies.belief import report
from jaxpoker.studies.belief.config import Config
from jaxpoker.studies.belief.learner import learner_of

QUICK = Config()
LEDUC_PRESET = Config(
    game="leduc",
    updates=600,
    tables=8_192,
    turns=8,
    layers=2,
    feed_forward=128,
    simulations=4,
    depth=1,
    magnet=(0.25, 0.25),
    entropy=(0.12, 0.06),
    tremble=(0.4, 0.2),
    reward_scale=0.25,
)
PRESETS = {
    "quick": QUICK,
    "full": dataclasses.replace(QUICK, updates=3_000),
    "leduc": LEDUC_PRESET,
    "leduc-imitation": dataclasses.replace(
        LEDUC_PRESET, updates=1_400, imitation=1_300, magnet=(1.0, 1.0), entropy=(0.005, 0.005), evenness=0.25
    ),
    "no-transition": dataclasses.replace(QUICK, transition_weight=0.0),
    "no-value": dataclasses.replace(QUICK, value_weight=0.0),
    "raw-policy": dataclasses.replace(QUICK, search="none"),
    "no-magnet": dataclasses.replace(QUICK, magnet=(0.0, 0.0)),
    "imitation": dataclasses.replace(QUICK, imitation=200),
}


def main() -> None:
    analysed = runs.asked_for("--analyse", experiment="belief", description=__doc__, file=NETWORK_FILE)
    if analysed is not None:
        report.analyse(analysed)
        return
    launch = runs.parse(Config, PRESETS, experiment="belief", description=__doc__)
    config = launch.config
    learner = learner_of(config, launch.mesh(config.tables))
    console = Console()
    with runs.start(launch) as run:
        state = run.train(learner, steps=config.updates, evaluate_every=config.evaluate_every)
        report.save_network(run, state)
        figures = report.figures_of(run, learner, state, console)
        run.finish(**figures, updates=run.metrics()[-1]["step"], **run.totals("decisions"))


if __name__ == "__main__":
    runs.main(main)
