"""What a run of local best responses says at its end: a table, a picture, and the figures of its summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker import plots, runs
from jaxpoker.dashboard import print_line
from jaxpoker.match import Estimate
from jaxpoker.solvers.response import local_best_response, settings
from jaxpoker.studies.lbr.config import Config
from jaxpoker.studies.lbr.learner import MILLI, Opponents, State, estimate

SEATS = {"holdem": ("button", "big blind"), "leduc": ("first", "second")}
UNITS = {"holdem": "mBB/hand", "leduc": "thousandths of an ante a hand"}


class Found(NamedTuple):
    """What one setting wins."""

    name: str
    both: Estimate
    seats: tuple[Estimate, Estimate]


def drawn(config: Config, state: State) -> list[Found]:
    """Of the deals that were drawn."""
    played, won = np.asarray(state.played), np.asarray(state.won)
    return [
        Found(name, estimate(config, played, won, at), tuple(estimate(config, played, won, at, s) for s in (0, 1)))  # type: ignore[arg-type]
        for at, name in enumerate(config.setting)
    ]


def counted(config: Config, opponents: Opponents) -> list[Found]:
    """Of all deals of a small game."""
    found = []
    for name, match in zip(config.setting, opponents.matches, strict=True):
        seats = MILLI * local_best_response.exact(match, opponents.params)
        both, first, second = (Estimate(float(mean), 0.0, 1) for mean in (seats.mean(), *seats))
        found.append(Found(name, both, (first, second)))
    return found


def say(console: Console, config: Config, found: Sequence[Found]) -> None:
    first, second = SEATS[config.game]
    shown = Table(title=f"Local best responses win of {config.player}, in {UNITS[config.game]}", box=box.SIMPLE)
    for heading in ("setting", "± 95%", first, second, "deals", "the responder"):
        in_words = heading == "the responder"
        shown.add_column(heading, justify="left" if in_words or heading == "setting" else "right", no_wrap=not in_words)
    for each in found:
        deals = "all" if each.both.ci95 == 0 else f"{each.both.n:,}"
        shown.add_row(each.name, *map(str, (each.both, *each.seats)), deals, settings.of_name(each.name).text)
    console.print(shown)
    best = max(found, key=lambda each: each.both.mean)
    print_line(
        console,
        f"A best response wins at least what each of these wins: {best.both} {UNITS[config.game]} ({best.name}). "
        "That is a lower bound of the exploitability; the true one may be much higher",
    )


def draw(run: runs.Run[Config], found: Sequence[Found]) -> None:
    """What each setting wins, by seat and in both."""
    config = run.config
    rows = {"both seats": [each.both for each in found]}
    rows |= {name: [each.seats[seat] for each in found] for seat, name in enumerate(SEATS[config.game])}
    bars = {name: plots.Bars([each.mean for each in row], [each.ci95 for each in row]) for name, row in rows.items()}
    title = f"Local best responses to {config.player}"
    names = [each.name for each in found]
    plots.bar_panels(run.plots / "local_best_response.png", {"": bars}, {"": names}, UNITS[config.game], title)


def figures(found: Sequence[Found], config: Config) -> dict[str, Any]:
    """The figures of ``summary.json``."""
    return {
        "local_best_response": {each.name: each.both for each in found},
        "by_seat": {each.name: dict(zip(SEATS[config.game], each.seats, strict=True)) for each in found},
    }
