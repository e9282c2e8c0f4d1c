"""How good a blueprint is at real tables: duplicate matches against rule players, other blueprints and push/fold.

Results are the blueprint's, in mBB/hand with their 95% intervals, at its own game's stacks and blinds; its opponents
bet what they like.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax

import jaxpoker
from jaxpoker import players, rivals
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.exact import equilibrium

Array = jax.Array

# "raise" and "calling machine" are min-raise and call by the names of their family.
OPPONENTS = tuple(
    name
    for name in dict.fromkeys(players.SIMPLE + players.STYLES + players.OPPONENTS)
    if name not in ("raise", "calling machine")
)
EARLIER = "itself, half way"
PUSH_FOLD = "push/fold"
WIN_SAMPLES = 100  # of the deals, for opponents who play by win probability
SHORT_STACK = (10, 20)  # big blinds at which push/fold is a way to play
PUSH_FOLD_ITERATIONS = 2_000


def against(blueprint: Blueprint, names: Sequence[str], key: Array, hands: int) -> dict[str, Estimate]:
    """Against players by their names, ``hands`` hands or a few more of each."""
    own = Entrant(blueprints.as_player(blueprint), blueprint.params)
    return rivals.against_each(blueprint.game, own, rivals.named(blueprint.game, names), key, hands, WIN_SAMPLES)


def against_everybody(blueprint: Blueprint, earlier: Blueprint | None, key: Array, hands: int) -> dict[str, Estimate]:
    """Against each of ``OPPONENTS`` and an ``earlier`` blueprint, ``hands`` hands or a few more of each."""
    game = blueprint.game
    everybody = rivals.named(game, OPPONENTS)
    if earlier is not None:
        everybody[EARLIER] = Entrant(blueprints.as_player(earlier, "earlier"), earlier.params)
    own = Entrant(blueprints.as_player(blueprint), blueprint.params)
    return rivals.against_each(game, own, everybody, key, hands, WIN_SAMPLES)


def against_push_fold(blueprint: Blueprint, key: Array, hands: int) -> Estimate | None:
    """Against the push/fold equilibrium of the same stacks and blinds; None where the stack is not that short."""
    game = blueprint.game
    if not SHORT_STACK[0] <= game.stack / game.big_blind <= SHORT_STACK[1]:
        return None
    stakes = {name: getattr(game, name) for name in ("stack", "small_blind", "big_blind", "ante")}
    push_fold = jaxpoker.make("holdem", menu="push/fold", **stakes)
    own = Entrant(blueprints.as_player(blueprint), blueprint.params)
    rival = {PUSH_FOLD: equilibrium.entrant(push_fold, PUSH_FOLD_ITERATIONS, PUSH_FOLD)}
    return rivals.against_each(game, own, rival, key, hands)[PUSH_FOLD]
