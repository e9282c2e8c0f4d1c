"""Plays one player against a gallery of simple exploiters and all rule players of hold'em, and names the worst.

    scripts/run gauntlet                                       the shipped blueprint, a minute or two
    scripts/run gauntlet --player ppo --half-width 40
    scripts/run gauntlet --player runs/solve/NAME --preset full
    scripts/run gauntlet --player equilibrium --stack 10       push/fold; opponents jam or fold, too
    scripts/run gauntlet --resume --name NAME --half-width 20  goes on; Ctrl-C keeps what there is

Each opponent looks for one kind of mistake (jaxpoker/players/exploiters.py). Every deal is played from both seats and
all-ins count at their worth. Rounds of hands are played until each 95% interval has the half width that is asked for.
The run folder gets a picture (plots/results.png) and summary.json: mbb_per_hand by opponent, and worst, a lower
bound of what the player can lose: a better opponent may win more of it.
"""

from __future__ import annotations

from rich.console import Console

from jaxpoker import runs
from jaxpoker.dashboard import print_line
from jaxpoker.studies.gauntlet import entrants, plots, report, session
from jaxpoker.studies.gauntlet.config import Config

PRESETS = {
    "quick": Config(half_width=250.0),
    "full": Config(half_width=40.0),
}


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="gauntlet", description=__doc__)
    console = Console()
    player, game = entrants.player_and_game(launch.config)
    opponents = entrants.opponents(launch.config, game)
    title = f"{launch.config.player} at {game.stack / game.big_blind:g} big blinds"
    with runs.start(launch) as run:
        played = session.play(run, player, game, opponents, console)
        results = report.ranked(played)
        if results:
            report.say(console, results, opponents, title)
            plots.results(run.plots / "results.png", results, title)
            run.finish(**report.figures(played, results))
        if played.stopped_by is not None:
            print_line(console, f"stopped before all intervals are narrow; go on with: {run.launch.resume_command}")
            raise runs.Stopped(128 + played.stopped_by)


if __name__ == "__main__":
    runs.main(main)
