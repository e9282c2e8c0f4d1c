"""Learns what beats one player, who never changes: a lower bound of how much can be won of it.

    scripts/run respond                                  the shipped blueprint, three minutes
    scripts/run respond --to blueprint --minutes 30
    scripts/run respond --to runs/ppo/NAME --learner dqn
    scripts/run respond --preset leduc --to random       Leduc poker, measured by the exact best response

A network learns by PPO or Double DQN at thousands of tables against the target. In hold'em it sees the betting and its
own win probability, never the other's cards. Every so many updates it plays its target on deals that are always the
same, and the network with the best result is kept; at the end that one plays on deals that neither learning nor this
choice has seen. The response is a player: players.entrant("runs/respond/NAME"). learning.png shows its way.

What it wins is a lower bound: a better response may exist. A small figure does not prove that a player is strong.
"""

from __future__ import annotations

from rich.console import Console

from jaxpoker import runs
from jaxpoker.studies.respond import report, targets
from jaxpoker.studies.respond.config import Config
from jaxpoker.studies.respond.learner import NO_END, learner_of

PRESETS = {
    "quick": Config(),
    "full": Config(minutes=30.0),
    "leduc": Config(
        game="leduc", to="noisy", learner="dqn", minutes=1.0, tables=1_024, validate_every=20, falls_over=800
    ),
    "kuhn": Config(game="kuhn", to="noisy", learner="dqn", minutes=0.5, tables=256, validate_every=20, falls_over=200),
}


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="respond", description=__doc__)
    config = launch.config
    target = targets.target_of(config.game, config.to, config.stack, config.menu)
    learner = learner_of(config, target, launch.mesh(config.tables))
    console = Console()
    with runs.start(launch) as run:
        state = run.train(learner, steps=config.updates or NO_END, seconds=60 * config.minutes)
        run.finish(**report.figures_of(run, learner, state, console), **run.totals("decisions"))


if __name__ == "__main__":
    runs.main(main)
