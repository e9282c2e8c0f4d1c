"""The exploitability of a run beside that of others (the extra ``plots``)."""

from __future__ import annotations

from pathlib import Path

from jaxpoker import plots, runs
from jaxpoker.runs.config import read_config
from jaxpoker.runs.folder import existing_run
from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.game import NAME, UNIT


def exploitability(run: runs.Run[Config], others: dict[str, Path]) -> None:
    """Against iterations and against seconds, with other runs, whose folders are given by label."""
    many, unit = run.config.num_players > 2, UNIT[run.config.game]
    lines = {label_of(run.config): run.metrics()}
    lines |= {label: runs.read_metrics(folder) for label, folder in others.items()}
    for x, label, file in (("step", "iterations", "exploitability"), ("seconds", "seconds", "exploitability_seconds")):
        series = {}
        for name, rows in lines.items():
            found = [(row[x], row.get("exploitability", row.get("nash_conv")) or 0) for row in rows]
            shown = [(at, lost) for at, lost in found if at > 0 and lost > 0]  # rounding goes below
            if shown:
                series[name] = ([at for at, _ in shown], [lost for _, lost in shown])
        if series:
            plots.curves(
                run.plots / f"{file}.png",
                series,
                label,
                f"NashConv ({unit})" if many else f"exploitability ({unit}, half of NashConv)",
                f"{NAME[run.config.game]}: {'NashConv' if many else 'exploitability'} of the average strategy",
                log_x=True,
                log_y=True,
            )


def compared(launch: runs.Launch[Config]) -> dict[str, Path]:
    """The folders of the runs of ``--compare``, by label."""
    folders = [existing_run(launch.folder.parent, name, "to compare with") for name in launch.config.compare]
    return {f"{label_of(read_config(folder, 'solve', Config)[1])} ({folder.name})": folder for folder in folders}


def label_of(config: Config) -> str:
    """The solver in a picture: "cfr+", "external, linear"."""
    words = [config.sampling, config.algorithm, None if config.alternating else "simultaneous"]
    return ", ".join(word for word in words if word)
