"""What a response wins of its target: by duplicate matches in hold'em, exactly in Kuhn poker and Leduc.

Either is a lower bound of what can be won of the target: a better response may exist, and only an exact best response
says how much better.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np

from jaxpoker import match
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant, Player
from jaxpoker.solvers.exact import best_response, exact_game, strategies
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.studies.respond.targets import Target

Array = jax.Array

HANDS_PER_TABLE = 8
TABLES = 2_048  # that play at once
WIN_SAMPLES = 100  # of the win probabilities that deals carry


class ExactGain(NamedTuple):
    """What can be made of a target in a small game, in the game's unit per game, the mean of both seats."""

    value: float  # the response's
    best: float  # a best response's

    @property
    def part(self) -> float:
        """Of what a best response makes; 1 is all of it."""
        return self.value / self.best if self.best > 0 else float("nan")


def judged(target: Target, player: Player, params: Any, key: Array, hands: int) -> Estimate:
    """What the response wins in mBB/hand, in ``hands`` hands or a few more: duplicate deals, all-ins at their worth.

    Deals are played in blocks, each from a key of its own, so that any number of them fits into memory.
    """
    pair = [Entrant(player, params), target.entrant]
    wanted = max(-(-hands // (len(PLAYERS) * HANDS_PER_TABLE)), 2)
    tables = min(wanted, TABLES)
    blocks = [
        match.play(
            target.game,
            pair,
            jax.random.fold_in(key, block),
            tables=tables,
            hands_per_table=HANDS_PER_TABLE,
            win_samples=WIN_SAMPLES,
            luck=False,
        ).mbb_per_hand[0]
        for block in range(-(-wanted // tables))
    ]
    return pooled(blocks)


def pooled(blocks: list[Estimate]) -> Estimate:
    """The estimate from independent ones of as many samples each."""
    mean = float(np.mean([block.mean for block in blocks]))
    half_width = float(np.sqrt(np.sum(np.square([block.ci95 for block in blocks])))) / len(blocks)
    return Estimate(mean, half_width, sum(block.n for block in blocks))


def exact_gain(target: Target, player: Player, params: Any) -> ExactGain:
    """By enumeration of all deals and all that the response and its target do."""
    game = exact_game.whole(target.game)
    own = strategies.of_player(game, player, params)
    other = strategies.of_player(game, target.entrant.player, target.entrant.params)
    value = sum(float(best_response.value_against(game, own, other, seat)) for seat in PLAYERS) / 2
    best = sum(float(best_response.best_response(game, other, seat).value) for seat in PLAYERS) / 2
    return ExactGain(value, best)
