"""What a run that solves a small game leaves: its strategy, shown and as a file, and the figures of the summary."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.console import Console

from jaxpoker import runs
from jaxpoker.files import write_whole
from jaxpoker.solvers.exact import best_response, strategy_charts
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.push_fold import JamGame
from jaxpoker.studies.solve import jams, push_fold
from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.game import PUBLISHED, UNIT, stakes_of
from jaxpoker.studies.solve.plots import label_of


def small_game_figures(
    run: runs.Run[Config], game: ExactGame | JamGame, average: Any, iterations: Any, console: Console
) -> dict[str, Any]:
    """Writes strategy.csv and shows the ``average`` strategy ``[information sets, actions]``; the summary's figures."""
    config = run.config
    found = best_response.figures(game, average)
    strategy = np.asarray(average, np.float64)
    text = jams.as_csv(game, strategy) if isinstance(game, JamGame) else strategy_charts.as_csv(game, strategy)
    write_whole(run.folder / "strategy.csv", text)
    percents: dict[str, float] = {}
    if isinstance(game, JamGame):
        found |= jams.show(console, game, strategy, config, run.plots)
    elif config.game == "pushfold":
        percents = push_fold.show(console, game, strategy, stakes_of(config), run.plots / "ranges.png")
    else:
        console.print(strategy_charts.table(game, strategy))
    return {
        **found,
        "iterations": iterations,
        "algorithm": config.algorithm,
        "game": config.game,
        **speeds(run),
        **percents,
    }


def say_small_game(console: Console, config: Config, summary: Mapping[str, Any]) -> None:
    """The figures in words."""
    if "nash_conv" in summary or config.jams:
        jams.say_seats(console, config, summary)
    else:
        _say_two(console, config, summary)
    console.print(
        f"{summary['iterations']:,} iterations of {label_of(config)} in {summary['seconds']:.1f} s with compiling"
    )


def _say_two(console: Console, config: Config, summary: Mapping[str, Any]) -> None:
    published = f" (published {PUBLISHED[config.game]:.9f})" if config.game in PUBLISHED else ""
    who, unit = "the small blind" if config.game == "pushfold" else "seat 0", UNIT[config.game]
    console.print(f"Value for {who} {summary['value']:+.9f} {unit}{published}")
    console.print(f"Exploitability {summary['exploitability']:.3g} {unit}, half of NashConv")


def speeds(run: runs.Run[Config]) -> dict[str, float | None]:
    """Iterations, boards and nodes times hand types a second, without compiling and evaluating."""
    rows, sampled = run.metrics(), run.config.sampling is not None
    pairs = [
        (a, b) for a, b in itertools.pairwise(rows) if not (sampled and ("exploitability" in b or "nash_conv" in b))
    ]
    seconds = sum(b["seconds"] - a["seconds"] for a, b in pairs)
    if seconds <= 0:
        return {"iterations_per_s": None}
    found = {"iterations_per_s": sum(b["step"] - a["step"] for a, b in pairs) / seconds}
    if "boards" in rows[-1]:
        found["boards_per_s"] = sum(b["boards"] - a["boards"] for a, b in pairs) / seconds
        updates = sum((b["step"] - a["step"]) * b["node_updates"] for a, b in pairs)
        found["node_updates_per_s"] = updates / seconds
    return found
