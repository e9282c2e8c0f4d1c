"""Whom networks of hold'em meet in duplicate matches: rule players, and at the end the shipped blueprint too."""

from __future__ import annotations

import jax

from jaxpoker import core, rivals
from jaxpoker.players import Entrant

RULES = ("random", "tag", "lag", "call", "min-raise", "check-fold")
MET_OFTEN = RULES[:4]  # while a network learns
BLUEPRINT = "blueprint"


def everybody(game: core.Game) -> dict[str, Entrant]:
    """Rule players and the blueprint, by name."""
    return rivals.named(game, (*RULES, BLUEPRINT))


def short_evaluation(game: core.Game, own: Entrant, key: jax.Array, hands: int) -> dict[str, float]:
    """What ``own`` wins of the first four rule players, in mBB/hand, as metrics ``mbb/NAME``."""
    results = rivals.against_each(game, own, rivals.named(game, MET_OFTEN), key, hands)
    return {f"mbb/{name}": result.mean for name, result in results.items()}
