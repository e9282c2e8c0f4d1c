"""How good a blueprint is at real tables: duplicate matches against rule players, other blueprints and push/fold.

Results are the blueprint's, in mBB/hand with their 95% intervals, at its own game's stacks and blinds; its opponents
bet what they like.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from rich import box
from rich.table import Table

import jaxpoker
from jaxpoker import match, players
from jaxpoker.games.holdem import Holdem
from jaxpoker.match import Estimate
from jaxpoker.players import Player
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers import cfr, public_game, strategies
from jaxpoker.solvers.blueprint import Blueprint

Array = jax.Array

# "raise" and "calling machine" are min-raise and call by the names of their family.
OPPONENTS = tuple(
    name
    for name in dict.fromkeys(players.NAMES + players.STYLES + players.OPPONENTS)
    if name not in ("raise", "calling machine")
)
EARLIER = "itself, half way"
HANDS_PER_TABLE = 8
WIN_SAMPLES = 100  # of the deals, for opponents who play by win probability
SHORT_STACK = (10, 20)  # big blinds at which push/fold is a way to play
PUSH_FOLD_ITERATIONS = 2_000


@functools.lru_cache(maxsize=8)
def _everybody(game: Holdem, other: Player) -> Player:
    """All rule players and another blueprint in one, so that one program plays them all."""
    rules = tuple(players.make(name, game) for name in OPPONENTS)
    return players.one_of((*rules, other), "opponent")


def against_everybody(blueprint: Blueprint, earlier: Blueprint | None, key: Array, hands: int) -> dict[str, Estimate]:
    """Against each of ``OPPONENTS`` and an ``earlier`` blueprint, ``hands`` hands or a few more of each."""
    game, other = blueprint.game, earlier or blueprint
    pair = [blueprints.as_player(blueprint), _everybody(game, blueprints.as_player(other, "earlier"))]
    own = (*[None] * len(OPPONENTS), other.params)
    results = {}
    for place, name in enumerate((*OPPONENTS, *([] if earlier is None else [EARLIER]))):
        params = [blueprint.params, (jnp.int32(place), own)]
        result = match.play(game, pair, key, params, _tables(hands), HANDS_PER_TABLE, win_samples=WIN_SAMPLES)
        results[name] = result.mbb_per_hand[0]
    return results


def against_push_fold(blueprint: Blueprint, key: Array, hands: int) -> Estimate | None:
    """Against the push/fold equilibrium of the same stacks and blinds; None where the stack is not that short."""
    game = blueprint.game
    if not SHORT_STACK[0] <= game.stack / game.big_blind <= SHORT_STACK[1]:
        return None
    stakes = {name: getattr(game, name) for name in ("stack", "small_blind", "big_blind", "ante")}
    push_fold = public_game.of(jaxpoker.make("holdem", menu="push/fold", **stakes))
    solver = cfr.CFR(push_fold, cfr.ALGORITHMS["cfr+"])
    equilibrium = solver.average(solver.run(solver.init(), PUSH_FOLD_ITERATIONS))
    pair = [blueprints.as_player(blueprint), strategies.as_player(push_fold, "push/fold")]
    return match.play(game, pair, key, [blueprint.params, equilibrium], _tables(hands), HANDS_PER_TABLE).mbb_per_hand[0]


def _tables(hands: int) -> int:
    """Tables for so many hands, every deal from both seats."""
    return max(-(-hands // (2 * HANDS_PER_TABLE)), 2)


def table(results: dict[str, Estimate], title: str) -> Table:
    """Results by opponent; wins and losses that are more than chance are coloured."""
    shown = Table(title=title, box=box.SIMPLE)
    shown.add_column("opponent")
    shown.add_column("mBB/hand ± 95%", justify="right")
    shown.add_column("hands", justify="right")
    for name, result in results.items():
        sure = abs(result.mean) > result.ci95
        colour = ("green" if result.mean > 0 else "red") if sure else "default"
        shown.add_row(name, f"[{colour}]{result}[/]", f"{2 * HANDS_PER_TABLE * result.n:,}")
    return shown
