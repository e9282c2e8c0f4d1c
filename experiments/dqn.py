"""Learns heads-up hold'em at 100 big blinds with nine actions by Double DQN, in up to three phases.

    scripts/run dqn                                  a few minutes of phase A
    scripts/run dqn --preset full                    all three phases: half an hour and more
    scripts/run dqn --phase C --target min-raise --start runs/dqn/NAME
    scripts/run dqn --preset leduc                   Leduc poker, measured by exact best responses

Phase A plays against a mix of random, tag and lag, B against past selves, C against one opponent, --target, to learn
what beats it; B and C go on from the network of the phase before, or from that of --start. At the end the network of
each phase plays duplicate matches against rule players and the shipped blueprint, and against those before it;
network-A.npz, network-B.npz and network-C.npz are these, network.npz is the last of them.
"""

from __future__ import annotations

import math

from rich.console import Console

from jaxpoker import runs
from jaxpoker.studies.dqn import report
from jaxpoker.studies.dqn.config import Config
from jaxpoker.studies.dqn.learner import learner_of

LEDUC = Config(
    game="leduc",
    phase="ABC",
    shares=(1.0, 1.0),
    target="random",
    updates=(150, 300, 150),
    tables=512,
    turns=10,
    reward_scale=0.2,
    evaluate_every=25,
    mix_share=0.0,
    learning_rate=(1e-3, 5e-5),
    epsilon=(1.0, 0.1),
)
PRESETS = {
    "quick": Config(evaluation_hands=4_000, final_hands=40_000),
    "full": Config(phase="ABC", updates=(2_400, 1_200, 600), evaluate_every=200, final_hands=300_000),
    "leduc": LEDUC,
}


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="dqn", description=__doc__)
    config = launch.config
    shared = math.gcd(config.tables, config.capacity)
    learner = learner_of(config, launch.mesh(shared, "tables and transitions"))
    console = Console()
    with runs.start(launch) as run:
        state = run.train(learner, steps=learner.updates, evaluate_every=config.evaluate_every)
        report.save_networks(run, learner, state)
        figures = report.figures_of(run, learner, state, console)
        updates = run.metrics()[-1]["step"]
        run.finish(
            **figures, updates=updates, gradient_steps=updates * learner.gradient_steps, **run.totals("decisions")
        )


if __name__ == "__main__":
    runs.main(main)
