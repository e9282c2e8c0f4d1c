#!/usr/bin/env python3
"""Makes jaxpoker/data/aivat_blueprint.npz: values for AIVAT, fitted to the shipped blueprint against itself.

Takes some ten minutes on two cores.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import tyro

from jaxpoker import match, players
from jaxpoker.aivat import fitting, two_towers
from jaxpoker.games.holdem import Holdem


def main(
    hands: int = 300_000, steps: int = 5_000, stages: int = 5, seed: int = 100, to: Path = two_towers.SHIPPED
) -> int:
    """Fits the values and says how much luck they take out of other hands.

    Args:
        hands: Hands that are played in each stage.
        steps: Gradient steps in each stage.
        stages: Each learns from hands with less luck in them than the one before.
        seed: Of the hands and of the networks.
        to: The file to write.
    """
    game = Holdem()
    pair = [players.entrant("blueprint", game)] * 2

    def tell(stage: int, step: int, loss: float) -> None:
        if step % 1_000 == 0:
            print(f"stage {stage + 1} of {stages}, step {step:,} of {steps:,}: {loss:.3f}", flush=True)

    towers = fitting.fit(game, pair, jax.random.key(seed), hands, steps, stages, tell)
    two_towers.save(to, towers)
    values = two_towers.by_towers(two_towers.load(to))
    other_hands = jax.random.key(seed + 1)
    result = match.play(game, pair, other_hands, tables=20_000, hands_per_table=1, duplicate=False, values=values)
    ratio = result.adjusted[0].ci95 / result.mbb_per_hand[0].ci95
    print(f"{to}: {ratio:.2f} of the raw standard deviation\n{result}")
    return 0


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")
    sys.exit(tyro.cli(main))
