"""One player against many rivals: a duplicate match with each, in few compiled programs.

    results = rivals.against_each(game, Entrant(bot, params), rivals.named(game, ("call", "tag")), key, hands=20_000)
    console.print(rivals.table(results, "100 big blinds"))

Results are in mBB/hand, the table also has BB/100.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
from rich import box
from rich.table import Table

from jaxpoker import core, match, players
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant, Player

Array = jax.Array

HANDS_PER_TABLE = 8
MBB_OF_BB_PER_100 = 10  # mBB/hand that are one big blind in a hundred hands


def named(game: core.Game, names: Sequence[str]) -> dict[str, Entrant]:
    """Players of the registry by their names."""
    return {name: players.entrant(name, game) for name in names}


def against_each(
    game: core.Game, own: Entrant, rivals: Mapping[str, Entrant], key: Array, hands: int, win_samples: int = 0
) -> dict[str, Estimate]:
    """What ``own`` wins of each, in mBB/hand, in ``hands`` hands or a few more; all of them see the same deals.

    Rivals without params are cheap to ask, so that one program plays all of them; each of the others has its own.
    ``win_samples`` is that of ``match.play``.
    """
    rules = [name for name, rival in rivals.items() if rival.params is None]
    groups = [*([rules] if rules else []), *([name] for name in rivals if name not in rules)]
    tables = max(-(-hands // (game.num_players * HANDS_PER_TABLE)), 2)
    results = {}
    for group in groups:
        rival = _one_of(tuple(rivals[name].player for name in group))
        params = tuple(rivals[name].params for name in group)
        for place, name in enumerate(group):
            pair = [own, Entrant(rival, (jnp.int32(place), params))]
            played = match.play(game, pair, key, None, tables, HANDS_PER_TABLE, win_samples=win_samples)
            results[name] = played.mbb_per_hand[0]
    return {name: results[name] for name in rivals}


@functools.lru_cache(maxsize=16)
def _one_of(rivals: tuple[Player, ...]) -> Player:
    """The same one every time, so that nothing compiles twice."""
    return players.one_of(rivals, "rival")


def table(results: Mapping[str, Estimate], title: str) -> Table:
    """Results by rival; wins and losses that are more than chance are coloured."""
    shown = Table(title=title, box=box.SIMPLE)
    shown.add_column("opponent")
    for heading in ("mBB/hand ± 95%", "BB/100 ± 95%", "hands"):
        shown.add_column(heading, justify="right")
    for name, result in results.items():
        sure = abs(result.mean) > result.ci95
        colour = ("green" if result.mean > 0 else "red") if sure else "default"
        per_100 = Estimate(result.mean / MBB_OF_BB_PER_100, result.ci95 / MBB_OF_BB_PER_100, result.n)
        shown.add_row(name, f"[{colour}]{result}[/]", f"[{colour}]{per_100}[/]", f"{2 * HANDS_PER_TABLE * result.n:,}")
    return shown
