"""The one-minute demonstration: equities, matches between rule players, and the speed of this machine."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import tyro
from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker import runs
from jaxpoker.studies.demo.config import Options
from jaxpoker.studies.demo.tables import show_equities, show_matches

sys.path.append(str(Path(__file__).resolve().parent.parent / "scripts"))

from bench_peers import ours
from bench_peers.timing import alternate


def show_speed(console: Console) -> None:
    """Speeds as scripts/bench.py measures them, which is why this stays outside of the package."""
    table = Table(title="Speed of this machine, one process", box=box.SIMPLE)
    table.add_column("what")
    table.add_column("a second", justify="right")
    works = (
        ("seven-card hands evaluated, from suit masks", ours.evaluator_of_masks),
        ("seven-card hands evaluated, from card ids", ours.evaluator_of_ids),
        ("equity samples, against a random hand", lambda: ours.sampled_equity("random", "")),
        ("steps of Kuhn poker, random play at 8,192 tables", lambda: ours.random_play("kuhn", 400)),
        ("steps of Leduc hold'em", lambda: ours.random_play("leduc", 200)),
        ("steps of no-limit hold'em, two players", lambda: ours.random_play("holdem", 100, num_players=2)),
    )
    for what, prepare in works:
        with console.status(f"measuring {what}"):
            measured = alternate([prepare()], repeats=3)[0]
        table.add_row(what, f"{measured.best_per_s / 1e6:,.1f} million")
    console.print(table)


def main() -> None:
    options = tyro.cli(Options, prog="scripts/run demo", description=__doc__)
    console = Console()
    start = time.perf_counter()
    show_equities(console, options.seed)
    show_matches(console, options.seed, options.tables)
    show_speed(console)
    console.print(f"That took {time.perf_counter() - start:.0f} s. Next: scripts/run --help, README.md.")


if __name__ == "__main__":
    runs.main(main)
