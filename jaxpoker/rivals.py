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

    ``win_samples`` is that of ``match.play``.
    """
    tables = max(-(-hands // (game.num_players * HANDS_PER_TABLE)), 2)
    results = {}
    for name, rival in of_few_programs(rivals).items():
        played = match.play(game, [own, rival], key, None, tables, HANDS_PER_TABLE, win_samples=win_samples)
        results[name] = played.mbb_per_hand[0]
    return results


def of_few_programs(rivals: Mapping[str, Entrant]) -> dict[str, Entrant]:
    """The same rivals, such that few compiled programs play all of them.

    Those without params are cheap to ask: they are one player, whose params say which of them it is. Of the others
    those that differ by name and params alone are one player, too.
    """
    rules = tuple(rival.player for rival in rivals.values() if rival.params is None)

    def shared(rival: Entrant) -> Entrant:
        if rival.params is not None:
            return Entrant(rival.player._replace(name="rival"), rival.params)
        return Entrant(_one_of(rules), jnp.int32(rules.index(rival.player)))

    return {name: shared(rival) for name, rival in rivals.items()}


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
