"""The one-minute demonstration: equities, matches between rule players, and the speed of this machine."""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import tyro
from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker import equity, match, players, runs
from jaxpoker.games.holdem import Holdem
from jaxpoker.runs.config import require_at_least

sys.path.append(str(Path(__file__).resolve().parent.parent / "scripts"))

from bench_peers import ours
from bench_peers.timing import alternate

# Players and board of each equity shown.
SPOTS = (
    (("AhKh", "QsQd"), ""),
    (("AA", "KK"), ""),
    (("AhKh", "random"), ""),
    (("AhKh", "22+, A2s+, KTs+, QTs+, JTs, ATo+, KQo"), "Qh7h2c"),
    (("top 10%", "top 30%"), "Qh7h2c"),
    (("AhKh", "QsQd", "7c6c"), ""),
    (("AhKh", "top 20%", "random"), "Ts9s2h"),
)


@dataclass(frozen=True)
class Options:
    """What the demonstration takes."""

    seed: int = 0
    """Of everything random."""
    tables: int = 4_096
    """Tables of each match, with eight deals each, every one played from both seats."""

    def __post_init__(self) -> None:
        require_at_least(self, tables=2)


def show_equities(console: Console, seed: int) -> None:
    table = Table(title="Equities", box=box.SIMPLE)
    table.add_column("players (the equity is the first one's)")
    table.add_column("board")
    for heading in ("equity", "deals", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    for hands, board in SPOTS:
        with console.status(f"equity of {' against '.join(hands)}"):
            equity.equity(*hands, board=board, seed=seed)  # compiles
            start = time.perf_counter()
            hero = equity.equity(*hands, board=board, seed=seed)[0]
            seconds = time.perf_counter() - start
        error = "  exact  " if hero.exact else f"± {hero.standard_error:.3%}"
        shown = f"{hero.equity:.2%} {error}"
        table.add_row(" / ".join(hands), board, shown, f"{hero.deals:,}", f"{1e3 * seconds:.1f} ms")
    console.print(table)


def show_matches(console: Console, seed: int, tables: int) -> None:
    game = Holdem(num_players=2)
    pair = [players.one_of(tuple(players.make(name, game) for name in players.SIMPLE))] * 2
    results = {}
    for row, column in itertools.combinations(players.SIMPLE, 2):
        with console.status(f"{row} plays {column}"):
            places = [jnp.int32(players.SIMPLE.index(name)) for name in (row, column)]
            result = match.play(game, pair, jax.random.key(seed), places, tables=tables)
        results[row, column], results[column, row] = result.mbb_per_hand
    table = Table(
        title=f"Heads-up hold'em, {result.hands:,} hands a match: mBB/hand of the row against the column",
        box=box.SIMPLE,
    )
    table.add_column("")
    for name in players.SIMPLE:
        table.add_column(name, justify="right", no_wrap=True)
    for row in players.SIMPLE:
        cells = [
            f"{results[row, column].mean:+,.0f} ± {results[row, column].ci95:,.0f}" if row != column else ""
            for column in players.SIMPLE
        ]
        table.add_row(row, *cells)
    console.print(table)


def show_speed(console: Console) -> None:
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
