"""Tables of the demonstration: equities, and matches of rule players with each other."""

from __future__ import annotations

import itertools
import time

import jax
import jax.numpy as jnp
from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker import equity, match, players
from jaxpoker.games.holdem import Holdem

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


def show_equities(console: Console, seed: int) -> None:
    """The first player's equity in each of ``SPOTS``, and how long it took."""
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
    """What each simple rule player wins of each other one."""
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
