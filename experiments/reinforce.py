"""Learns Chicago for 2 to 6 players by policy gradient, all seats by one network that plays itself.

    scripts/run reinforce                    a few minutes: heads-up
    scripts/run reinforce --preset full      half an hour: 2 to 6 players, past selves among the opponents
    scripts/run reinforce --preset kuhn      the same learner on Kuhn poker, measured by the exact best response
    scripts/run reinforce --preset leduc     ... and on Leduc poker

At the end the network plays matches of duplicate deals against random, against the rule player and against what it was
half-way; network.npz is the network, to play with: python scripts/play_chicago.py --opponent runs/reinforce/NAME
"""

from __future__ import annotations

import dataclasses

from rich.console import Console

from jaxpoker import runs
from jaxpoker.studies import exact_quality, gradient_plots
from jaxpoker.studies.reinforce import report
from jaxpoker.studies.reinforce.config import Config
from jaxpoker.studies.reinforce.learner import learner_of

# What Chicago's presets have in common: PPO's clipping and generalised advantages waste less of what was played.
CHICAGO = Config(
    learning_rate=(1e-3, 1e-4),
    trace=0.9,
    reward_scale=10.0,
    normalises=True,
    clip=0.2,
    epochs=2,
    minibatches=8,
    average_over=20,
)
SMALL = Config(
    tables=512,
    turns=16,
    updates=1_600,
    learning_rate=(1e-3, 1e-4),
    discount=1.0,
    entropy_weight=(0.5, 0.05),
    average_over=400,
    evaluate_every=100,
)
PRESETS = {
    "quick": dataclasses.replace(CHICAGO, updates=150, evaluate_every=25, final_deals=250),
    "full": dataclasses.replace(
        CHICAGO,
        sizes=(2, 4, 2, 3, 2, 4, 5, 6),
        updates=400,
        tables=768,
        entropy_weight=(0.01, 0.002),
        pool_share=0.2,
        snapshots=8,
    ),
    "kuhn": dataclasses.replace(SMALL, game="kuhn"),
    "leduc": dataclasses.replace(SMALL, game="leduc", updates=3_000, tables=1_024),
}


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="reinforce", description=__doc__)
    config = launch.config
    learner = learner_of(config, launch.mesh(config.tables))
    console = Console()
    with runs.start(launch) as run:
        state = run.train(learner, steps=config.updates, evaluate_every=config.evaluate_every)
        figures_of = report.chicago_figures if config.game == "chicago" else exact_quality.figures_of
        figures = figures_of(run, learner, state, console)
        rows = run.metrics()
        gradient_plots.losses(run.plots / "updates.png", rows)
        run.finish(**figures, updates=rows[-1]["step"], **run.totals("decisions", "games"))


if __name__ == "__main__":
    runs.main(main)
