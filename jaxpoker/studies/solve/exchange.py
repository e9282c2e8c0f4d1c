"""Tables of a run that go into an HDF5 file at its end, and such a file that a new run goes on from."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from jaxpoker import devices, runs
from jaxpoker.errors import RunError
from jaxpoker.runs.config import read_config
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.blueprint import tables_file
from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.training import Begin


def require_places(launch: runs.Launch[Config]) -> None:
    """Before hours of training: what reads and writes the files is there, and the folder to write to."""
    config = launch.config
    if launch.resume and read_config(launch.folder, "solve", Config)[1].continue_from != config.continue_from:
        raise RunError(f"--continue-from {config.continue_from}: run {launch.folder} goes on from its own checkpoint")
    if config.export is None and config.continue_from is None:
        return
    tables_file.require_extra()
    if config.export is not None:
        if not tables_file.is_tables_file(config.export):
            raise RunError(f"--export {config.export}: name a file that ends in {' or '.join(tables_file.SUFFIXES)}")
        if not config.export.parent.is_dir():
            raise RunError(f"--export {config.export}: there is no folder {config.export.parent}")


def beginning(launch: runs.Launch[Config], solver: Any, known: CardAbstraction) -> Begin | None:
    """What makes the first state of a new run that goes on from a file, with the run's own seed; None without one.

    The same seed as the file's draws the boards that its run would have drawn next.
    """
    config = launch.config
    if config.continue_from is None or launch.resume:
        return None
    assert config.iterations is not None
    found = tables_file.load(config.continue_from, known, solver.game.tree)
    for name, ours in _about(config).items():
        theirs = found.about.get(name, ours)
        if name in ("sampling", "merged") and theirs != ours:
            raise RunError(f"{config.continue_from} was made with {name} {theirs}, not {ours}: take that of the file")
    if int(found.tables.step) >= config.iterations:
        raise RunError(
            f"{config.continue_from} has {int(found.tables.step)} iterations already: --iterations "
            f"{config.iterations} is to be more"
        )
    return lambda key: solver.state_of(found.tables._replace(key=key))


def export(console: Console, launch: runs.Launch[Config], solver: Any, known: CardAbstraction, state: Any) -> None:
    """Writes the tables of a run's last state, if its settings name a file."""
    path = launch.config.export
    if path is None:
        return
    tables = solver.street_tables(state)
    if devices.is_first():
        tables_file.save(path, tables, solver.game.tree, known, _about(launch.config))
        console.print(f"Tables after {int(tables.step):,} iterations: {path}", soft_wrap=True, highlight=False)


def _about(config: Config) -> dict[str, str]:
    """What a file says of the solver."""
    said = {"algorithm": config.algorithm, "sampling": config.sampling, "merged": config.merged, "seed": config.seed}
    return {name: str(value) for name, value in said.items()}
