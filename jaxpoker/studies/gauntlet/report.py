"""What a gauntlet says at its end: everybody by result, the worst, and the figures of the summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker.dashboard import print_line
from jaxpoker.match import Estimate
from jaxpoker.rivals import HANDS_PER_TABLE
from jaxpoker.studies.gauntlet.entrants import Opponent
from jaxpoker.studies.gauntlet.session import Played


def ranked(played: Played) -> dict[str, Estimate]:
    """What the player wins of each in mBB/hand, the worst first; without opponents whom it has not met."""
    known = {name: standing.result for name, standing in played.standings.items() if standing.result is not None}
    return dict(sorted(known.items(), key=lambda item: item[1].mean))


def say(console: Console, results: Mapping[str, Estimate], opponents: Mapping[str, Opponent], title: str) -> None:
    """The table, and the worst in a line."""
    table = Table(title=title, box=box.SIMPLE)
    table.add_column("opponent")
    table.add_column("mBB/hand ± 95%", justify="right", no_wrap=True)
    table.add_column("hands", justify="right", no_wrap=True)
    table.add_column("what it does", no_wrap=True, overflow="ellipsis")
    for name, result in results.items():
        sure = abs(result.mean) > result.ci95
        colour = ("green" if result.mean > 0 else "red") if sure else "default"
        hands = f"{2 * HANDS_PER_TABLE * result.n:,}"
        table.add_row(name, f"[{colour}]{result}[/]", hands, opponents[name].about)
    console.print(table)
    worst = next(iter(results))
    print_line(console, f"Worst: {results[worst]} mBB/hand against {worst}")


def figures(played: Played, results: Mapping[str, Estimate]) -> dict[str, Any]:
    """The figures of ``summary.json``; ``worst`` has the name of the opponent, too."""
    worst = next(iter(results))
    hands = 2 * HANDS_PER_TABLE * sum(result.n for result in results.values())
    return {
        "worst": {"opponent": worst, **results[worst]._asdict()},
        "mbb_per_hand": dict(results),
        "widest_half_width": max(result.ci95 for result in results.values()),
        "hands": hands,
        "processor_seconds": round(played.processor_seconds, 3),
    }
