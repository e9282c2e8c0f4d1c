"""A small hold'em that is trained as scripts/run solve trains it, without the matches at its end."""

import dataclasses

import pytest
from rich.console import Console

from jaxpoker import runs
from jaxpoker.studies.solve import exchange, training
from jaxpoker.studies.solve.config import Config

SMALL = ("--stack", "4", "--menu", "a, 75%; raises: 1", "--boards", "64", "--batch", "2", "--evaluations", "1")


@pytest.fixture(scope="package")
def train():
    """``train(folder, *flags)``: the last state of a run, or of its resume, and the strategy it found."""

    made = {}  # solvers by their settings: one that is there has compiled what it does

    def trained(folder, *flags):
        argv = ["--runs", str(folder), *(() if "--resume" in flags else SMALL), *map(str, flags)]
        launch = runs.parse(Config, {"quick": Config()}, experiment="solve", argv=argv)
        launch = dataclasses.replace(launch, config=launch.config.resolved())
        config, console = launch.config, Console()
        exchange.require_places(launch)
        asked = (config.stack, config.menu, config.cards, config.sampling, config.merged)
        if asked not in made:
            made[asked] = training.prepared(console, launch)
        _, known, solver, _ = made[asked]
        begin = exchange.beginning(launch, solver, known)
        with runs.start(launch, keep_every=config.checkpoint_every) as run:
            learner = training.Training(solver, known, config.boards, run.folder, config.iterations, begin=begin)
            state = run.train(learner, config.iterations)
            exchange.export(console, launch, solver, known, state)
        return state, solver.average(state)

    return trained


@pytest.fixture(scope="package")
def whole(train, tmp_path_factory):
    """The runs' folder with a run "whole" of six iterations, checkpoints of every second and tables in whole.h5, its
    last state and its strategy."""
    folder = tmp_path_factory.mktemp("runs")
    flags = ("--name", "whole", "--iterations", "6", "--checkpoint-every", "2", "--export", folder / "whole.h5")
    return folder, *train(folder, *flags)
