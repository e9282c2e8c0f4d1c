"""The solver of a run, as its settings say: an algorithm, what it samples, and the devices that share it."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np

from jaxpoker import devices, runs
from jaxpoker.games.holdem import Holdem
from jaxpoker.solvers import tree
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.exact import best_response, cfr
from jaxpoker.solvers.exact.exact_game import PublicGame
from jaxpoker.solvers.sampling import public_cfr, walk_cfr
from jaxpoker.solvers.tree import infosets
from jaxpoker.studies.solve.config import Config


def of_small_game(launch: runs.Launch[Config], game: PublicGame) -> Any:
    """Of a small game: an exact solver, or a sampling one."""
    config = launch.config
    assert config.iterations is not None
    if config.sampling is None:
        # More devices gain nothing here: they are used if asked for, or if processes have to do the same.
        mesh = launch.mesh() if launch.devices or devices.together() else None
        number = np.float64 if config.float64 else np.float32
        return cfr.CFR(game, algorithm_of(config), number, last=config.iterations, mesh=mesh)
    if config.sampling == "public":
        return Measured(public_cfr.of(game, **sampled_options(launch)), game)
    return walk_cfr.make(config.sampling, game, **sampled_options(launch))


def of_holdem(launch: runs.Launch[Config], game: Holdem, known: CardAbstraction) -> Any:
    """Of hold'em: a sampling solver."""
    config, options = launch.config, sampled_options(launch)
    if config.sampling == "public":
        rows = infosets.merged_rows(tree.build(game)).row_of if config.merged else None
        return public_cfr.holdem(game, known, rows, **options)
    assert config.sampling is not None
    return walk_cfr.make(config.sampling, (tree.build(game), known), **options)


def sampled_options(launch: runs.Launch[Config]) -> dict[str, Any]:
    """Of a sampling solver: the algorithm, boards or walks of an iteration, and the devices that share them."""
    config = launch.config
    boards = config.sampling == "public"
    batch = config.batch or (public_cfr.PublicCFR.batch if boards else walk_cfr.SampledCFR.batch)
    mesh = launch.mesh(batch, "boards" if boards else "walks")
    return {"algorithm": algorithm_of(config), "batch": batch, "mesh": mesh}


def algorithm_of(config: Config) -> cfr.Algorithm:
    """The algorithm that ``config`` names, with the powers that it changes."""
    given = {name: getattr(config, name) for name in ("alpha", "beta", "gamma")}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    assert config.algorithm is not None
    algorithm = cfr.ALGORITHMS[config.algorithm]
    return dataclasses.replace(algorithm, alternating=config.alternating, delay=config.delay, **changes)


@dataclasses.dataclass(frozen=True)
class Measured:
    """A sampling solver of a small game as a learner that says how good its average strategy is, exactly."""

    solver: public_cfr.PublicCFR
    game: PublicGame

    def init(self, key: jax.Array) -> Any:
        return self.solver.init(key)

    def update(self, state: Any) -> tuple[Any, dict[str, Any]]:
        return self.solver.update(state)

    def average(self, state: Any) -> Any:
        return self.solver.average(state)

    def evaluate(self, state: Any, key: jax.Array) -> dict[str, Any]:
        quality = best_response.quality(self.game, self.average(state))
        return {"exploitability": quality.exploitability, "value": quality.value}
