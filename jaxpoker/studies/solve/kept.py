"""What a run of hold'em has kept besides its blueprint, to be asked: any of its checkpoints, or an HDF5 file."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
from rich.console import Console

from jaxpoker import runs
from jaxpoker.errors import RunError
from jaxpoker.runs import folder as run_files
from jaxpoker.runs.checkpoints import Checkpoints
from jaxpoker.runs.config import fingerprint, read_config
from jaxpoker.solvers.blueprint import Blueprint, tables_file
from jaxpoker.solvers.sampling.public_cfr import PublicCFR
from jaxpoker.solvers.tree.street_tables import StreetTables
from jaxpoker.studies.solve import training
from jaxpoker.studies.solve.config import Config


class Kept(NamedTuple):
    """A strategy, and how often its decisions were come to while it was learned."""

    blueprint: Blueprint
    weights: tuple[np.ndarray, ...]  # by street [decisions, buckets], in iterations

    def times_seen(self, node: int, bucket: int) -> float:
        """How many iterations' weight own cards and own play have brought to a bucket at decision ``node``."""
        street, row = int(self.blueprint.tree.street[node]), int(self.blueprint.row[node])
        return float(self.weights[street][row, bucket])

    @property
    def iterations(self) -> float:
        """The weight of all iterations, the last of which counts once."""
        return float(self.weights[0][0].sum())


def checkpoint(folder: Path, step: str) -> Kept:
    """The average strategy in the checkpoint of that ``step`` of the run in ``folder``; nothing there is changed."""
    preset, config = read_config(folder, "solve", Config)
    if config.game != "holdem":
        raise RunError(f"run {folder} is of {config.game}: checkpoints of hold'em can be asked")
    store = Checkpoints(folder / run_files.CHECKPOINTS, fingerprint(config), keep=1)
    there = store.whole_steps()
    if not step.isdecimal() or int(step) not in there:
        steps = ", ".join(map(str, there)) or "none"
        raise RunError(f"run {folder} has no checkpoint {step!r}: the steps there are {steps}")
    launch = runs.Launch("solve", preset, config, folder.name, runs=folder.parent.parent, devices=1)
    assert config.iterations is not None
    _, known, solver, _ = training.prepared(Console(stderr=True), launch)
    state = store.at(int(step), jax.eval_shape(solver.init, jax.random.key(config.seed))).state
    trained = training.Training(solver, known, config.boards, folder, config.iterations)
    tables: StreetTables = solver.street_tables(state)
    last = solver.last_weights(int(step)) if isinstance(solver, PublicCFR) else [1.0] * len(tables.strategy_sums)
    weights = tuple(weight / unit for weight, unit in zip(tables.weights(), last, strict=True))
    return Kept(trained.blueprint(trained.to_keep(state)), weights)


def tables(path: Path) -> Kept:
    """The average strategy in an HDF5 file."""
    found = tables_file.load(path)
    return Kept(found.blueprint(), found.tables.weights())
