"""Measures how much a player loses to opponents who know it and look one bet ahead: local best responses.

    scripts/run lbr                                              the shipped blueprint in four settings
    scripts/run lbr --player dqn --setting tree fold-call --half-width 200
    scripts/run lbr --player runs/solve/NAME --setting tree late
    scripts/run lbr --player equilibrium --game leduc            all deals, no luck
    scripts/run lbr --resume --name NAME                         goes on; Ctrl-C keeps what there is

Settings say where the responder may bet and with what. tree: the bets of the player's own menu; fold-call: none; late:
calls before the flop and on it, then 56 sizes; any: 56 sizes everywhere. What each wins is a lower bound of what a best
response wins. A player needs a policy; one that chooses chips without one is refused.
"""

from __future__ import annotations

from rich.console import Console

from jaxpoker import dashboard, runs
from jaxpoker.studies.lbr import learner, report
from jaxpoker.studies.lbr.config import Config

PRESETS = {
    "quick": Config(setting=("tree", "fold-call"), half_width=400.0),
    "full": Config(),
}


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="lbr", description=__doc__)
    config, console = launch.config, Console()
    opponents = learner.opponents_of(config)
    with runs.start(launch) as run:
        if config.game == "leduc":
            found = report.counted(config, opponents)
            processor = {}
        else:
            rounds = learner.Rounds(config, opponents)
            state = run.train(rounds, config.rounds, display=learner.Narrowing(dashboard.progress(), config))
            found = report.drawn(config, state)
            processor = {"processor_seconds": run.totals("processor_seconds")["processor_seconds"]}
        report.say(console, config, found)
        report.draw(run, found)
        run.finish(**report.figures(found, config), **processor)


if __name__ == "__main__":
    runs.main(main)
