"""Evolves dual-LSTM poker players against four rule players by a genetic algorithm (TSER).

    scripts/run evolve                       a minute: fewer generations and shorter sessions
    scripts/run evolve --preset full         the published numbers, stacks carried over
    scripts/run evolve --preset paper        200 big blinds, stacks reset every hand
    scripts/run evolve --show NAME           the dashboard of a run that ended, or is at work

At the end the last population plays for the title, and the champion plays fresh duplicate deals against every opponent
of both families, tag and lag; champion.npy is its genome (jaxpoker.models.pokernet.params_of makes the params of
players.networks.pokernet() of it).
"""

from __future__ import annotations

import jax
from rich.console import Console

from jaxpoker import runs
from jaxpoker.players.registry import CHAMPION_FILE
from jaxpoker.runs.config import read_config
from jaxpoker.studies.evolve import champion as champions
from jaxpoker.studies.evolve import dashboard, report
from jaxpoker.studies.evolve.config import Config
from jaxpoker.studies.evolve.learner import climb, evolve, learner_of, mesh_of
from jaxpoker.studies.final_key import final_key

# Like the paper's, but for what makes their noise bearable: constant normalisers, all-ins without luck, and more decks.
PRESETS = {
    "quick": Config(generations=40, hands=200, fitness="fixed", luck=False, final_hands=20_000, final_sessions=200),
    "full": Config(fitness="fixed", luck=False, repeats=4),
    "paper": Config(protocol="paper", fitness="fixed", luck=False, repeats=2),
}


def main() -> None:
    shown = runs.asked_for("--show", experiment="evolve", description=__doc__)
    if shown is not None:
        _, config = read_config(shown, "evolve", Config)
        dashboard.show(shown, Console(), config.unit)
        return
    launch = runs.parse(Config, PRESETS, experiment="evolve", description=__doc__)
    config = launch.config
    learner = learner_of(config, mesh_of(launch))
    console = Console()
    with runs.start(launch) as run:
        runoff_key, match_key, session_key = jax.random.split(final_key(config.seed), 3)
        if config.strategy == "gradient":
            champion = climb(run, learner)
        else:
            champion = evolve(run, learner, console, runoff_key)
        champions.save(run.folder / CHAMPION_FILE, champion)
        figures = report.figures_of(run, learner, champion, (match_key, session_key), console)
        run.finish(**figures, **run.totals("hands"))


if __name__ == "__main__":
    runs.main(main)
