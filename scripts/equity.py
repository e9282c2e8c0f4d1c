#!/usr/bin/env python3
"""Prints the equity of hands and ranges.

python scripts/equity.py "AhKh" "QQ+, AK" --board Qh7h2c
python scripts/equity.py "AA" "KK" "random" --samples 5000000
python scripts/equity.py --table
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table
from rich.text import Text

from jaxpoker.errors import RunError


@dataclass(frozen=True)
class Options:
    """Equity of hands and ranges in hold'em: the share of the pot that each wins on average."""

    players: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """A hand or range for each of 2 to 10 players: "AhKh", "22+, AKs, A2s-A5s:0.5", "top 20%", "random"."""
    board: str = ""
    """Cards on the board, as in Qh7h2c."""
    dead: str = ""
    """Cards that are out of the deck."""
    samples: int | None = None
    """Draw that many random deals instead of counting all."""
    exact: bool = False
    """Count all deals, however long it takes."""
    seed: int = 0
    """Of the random deals."""
    table: bool = False
    """Print the exact equity of the 169 hands against one random hand before the flop."""


def print_equities(options: Options, console: Console) -> None:
    from jaxpoker import equity, ranges

    method = "exact" if options.exact else "sample" if options.samples is not None else "auto"
    start = time.perf_counter()
    results = equity.equity(
        *options.players,
        board=options.board,
        dead=options.dead,
        method=method,
        samples=1_000_000 if options.samples is None else options.samples,
        seed=options.seed,
    )
    seconds = time.perf_counter() - start
    table = Table(title=f"board {options.board}" if options.board else "before the flop")
    table.add_column("hand or range")
    for column in ("combos", "equity", "± std. error", "win", "tie"):
        table.add_column(column, justify="right")
    for player, result in zip(options.players, results, strict=True):
        error = "exact" if result.exact else f"{result.standard_error:.3%}"
        combos = f"{ranges.parse(player).sum():,.4g}"
        table.add_row(player, combos, f"[bold]{result.equity:.2%}", error, f"{result.win:.2%}", f"{result.tie:.2%}")
    console.print(table)
    kind = "combinations counted" if results[0].exact else "random deals"
    console.print(f"{results[0].deals:,} {kind} in {seconds:.2f} s")


def print_preflop_table(console: Console) -> None:
    from jaxpoker import ranges

    equities = ranges.preflop_table().equity
    lowest, highest = equities.min(), equities.max()
    grid = Table(title="equity in % against one random hand before the flop", show_header=False, box=None, padding=0)
    for row in range(13):
        cells = []
        for number in range(13 * row, 13 * row + 13):
            warmth = (equities[number] - lowest) / (highest - lowest)
            background = f"rgb({int(60 + 150 * warmth)},60,{int(150 - 110 * warmth)})"
            name, percent = ranges.CLASS_NAMES[number], 100 * equities[number]
            cells.append(Text(f" {name:<4} \n {percent:.1f} ", style=f"white on {background}"))
        grid.add_row(*cells)
    console.print(grid)


def main(arguments: list[str] | None = None) -> int:
    options = tyro.cli(Options, args=arguments, description=__doc__)
    console = Console()
    try:
        if options.table:
            if options != Options(table=True):
                raise ValueError(
                    "--table prints the 169 hands before the flop: it takes no players and no other option"
                )
            print_preflop_table(console)
        else:
            if options.exact and options.samples is not None:
                raise ValueError("--exact counts all deals and --samples draws random ones: choose one")
            if len(options.players) < 2:
                raise ValueError("name two players or more, as in: scripts/equity.py AhKh 'QQ+, AK' --board Qh7h2c")
            print_equities(options, console)
    except (ValueError, TypeError, RunError) as error:
        print(f"scripts/equity.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped")
