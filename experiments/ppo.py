"""Learns heads-up hold'em at 100 big blinds with bets of any size, by PPO: an actor and a critic.

    scripts/run ppo                    a few minutes
    scripts/run ppo --preset full      three times as long
    scripts/run ppo --preset leduc     Leduc poker in self-play, measured by the exact best response

At every decision the network folds, calls, or raises to a number of chips between the minimum and all-in; a big blind
is 100 chips. It plays against random, tag, lag, call and past selves. At the end it plays duplicate matches against
rule players and the shipped blueprint; sizes.png shows how much it bets on each street.
"""

from __future__ import annotations

from rich.console import Console

from jaxpoker import runs
from jaxpoker.studies import exact_quality, gradient_plots
from jaxpoker.studies.ppo import report
from jaxpoker.studies.ppo.config import Config
from jaxpoker.studies.ppo.learner import learner_of

PRESETS = {
    "quick": Config(),
    "full": Config(updates=300, average_over=30, evaluate_every=50, final_hands=60_000),
    "leduc": Config(
        game="leduc",
        updates=1_000,
        learning_rate=(2e-3, 2e-4),
        trace=0.95,
        entropy_weight=(0.5, 0.2),
        reward_scale=1.0,
        normalises=False,
        minibatches=4,
        learned_share=1.0,
        average_over=500,
        evaluate_every=50,
    ),
}


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="ppo", description=__doc__)
    config = launch.config
    learner = learner_of(config, launch.mesh(config.tables))
    console = Console()
    with runs.start(launch) as run:
        state = run.train(learner, steps=config.updates, evaluate_every=config.evaluate_every)
        figures_of = report.holdem_figures if config.game == "holdem" else exact_quality.figures_of
        figures = figures_of(run, learner, state, console)
        rows = run.metrics()
        gradient_plots.losses(run.plots / "updates.png", rows)
        run.finish(**figures, updates=rows[-1]["step"], **run.totals("decisions", "games"))


if __name__ == "__main__":
    runs.main(main)
