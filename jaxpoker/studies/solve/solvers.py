"""The solver of a run, as its settings say: an algorithm, what it samples, and the devices that share it."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np

from jaxpoker import devices, runs, solvers
from jaxpoker.games.holdem import Holdem
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers import tree
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.push_fold import JamGame
from jaxpoker.solvers.regret import ALGORITHMS, Algorithm
from jaxpoker.solvers.sampling import abstract_games
from jaxpoker.solvers.sampling.public_cfr import PublicCFR
from jaxpoker.solvers.sampling.table_rows import OwnRows
from jaxpoker.solvers.sampling.walk_cfr import WalkCFR
from jaxpoker.solvers.tree import infosets
from jaxpoker.studies.solve.config import NOTHING, SHIPPED, Config

FEW_SHAPES = 1.6  # waste of the betting's shapes, of a run for a minute or two: it has no minutes to compile


def of_small_game(launch: runs.Launch[Config], game: ExactGame | JamGame) -> Any:
    """Of a small game: an exact solver, or a sampling one."""
    config = launch.config
    assert config.iterations is not None
    if config.sampling is None:
        # More devices gain nothing here: they are used if asked for, or if processes have to do the same.
        mesh = launch.mesh() if launch.devices or devices.together() else None
        number = np.float64 if config.float64 else np.float32
        if isinstance(game, JamGame):
            return CFR(game, algorithm_of(config), number, config.iterations, mesh)
        return solvers.make(algorithm_of(config), game, dtype=number, last=config.iterations, mesh=mesh)
    assert isinstance(game, ExactGame)
    if config.sampling == "public":
        return Measured(solvers.make(game=game, sampling="public", **sampled_options(launch)), game)
    return solvers.make(game=game, sampling=config.sampling, **sampled_options(launch))


def started_from(start: str) -> Blueprint | None:
    """The strategy that ``--start`` names; None for nothing."""
    if start == NOTHING:
        return None
    return blueprints.load_shipped() if start == SHIPPED else blueprints.load(start)


def of_blueprint(
    launch: runs.Launch[Config], solved: Blueprint, betting: tree.Tree, known: CardAbstraction
) -> PublicCFR:
    """Of the game of a blueprint, with ``betting`` and buckets that need not be its own; it counts as ``counts_as``
    iterations.
    """
    options, before = sampled_options(launch), launch.config.counts_as
    assert before is not None
    is_same = known is solved.abstraction and betting is solved.tree
    waste = FEW_SHAPES if is_same else abstract_games.WASTE_OF_HANDS
    swept, boards = abstract_games.of_abstraction(
        betting, known, options.pop("mesh"), waste, options.pop("play_cost", 0.0)
    )
    remember = boards.num_types > 0
    devices.give_back_memory()
    return PublicCFR(swept, boards, OwnRows(swept.betting), **options, remember=remember, before=before)


def of_holdem(launch: runs.Launch[Config], game: Holdem, known: CardAbstraction) -> Any:
    """Of hold'em: a sampling solver."""
    config, options = launch.config, sampled_options(launch)
    if config.sampling == "public":
        rows = infosets.merged_rows(tree.build(game)).row_of if config.merged else None
        return solvers.make(game=game, cards=known, rows=rows, **options)
    return solvers.make(game=game, cards=known, sampling=config.sampling, **options)


def sampled_options(launch: runs.Launch[Config]) -> dict[str, Any]:
    """Of a sampling solver: the algorithm, boards or walks of an iteration, and the devices that share them."""
    config = launch.config
    boards = config.sampling == "public"
    batch = config.batch or (PublicCFR.batch if boards else WalkCFR.batch)
    mesh = launch.mesh(batch, "boards" if boards else "walks")
    options = {"algorithm": algorithm_of(config), "batch": batch, "mesh": mesh}
    if config.play_cost:
        options["play_cost"] = config.play_cost
    if config.shares is not None:
        options["shares"] = config.shares
    if config.preflop is not None:
        options["first_street"] = algorithm_of(dataclasses.replace(config, algorithm=config.preflop))
    return options


def algorithm_of(config: Config) -> Algorithm:
    """The algorithm that ``config`` names, with the powers that it changes."""
    given = {name: getattr(config, name) for name in ("alpha", "beta", "gamma")}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    assert config.algorithm is not None
    algorithm = ALGORITHMS[config.algorithm]
    return dataclasses.replace(algorithm, alternating=config.alternating, delay=config.delay, **changes)


@dataclasses.dataclass(frozen=True)
class Measured:
    """A sampling solver of a small game as a learner that says how good its average strategy is, exactly."""

    solver: PublicCFR
    game: ExactGame

    def init(self, key: jax.Array) -> Any:
        return self.solver.init(key)

    def update(self, state: Any) -> tuple[Any, dict[str, Any]]:
        return self.solver.update(state)

    def average(self, state: Any) -> Any:
        return self.solver.average(state)

    def evaluate(self, state: Any, key: jax.Array) -> dict[str, Any]:
        quality = best_response.quality(self.game, self.average(state))
        return {"exploitability": quality.exploitability, "value": quality.value}
