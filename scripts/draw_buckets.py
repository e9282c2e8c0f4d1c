#!/usr/bin/env python3
"""Draws what the buckets of a blueprint hold: flop.png, turn.png and river.png, with hands that a player knows.

    scripts/draw_buckets.py                            # of the blueprint that ships, into the folder buckets
    scripts/draw_buckets.py --blueprint runs/solve/NAME/blueprint.zip --folder pictures

A row is a bucket: its equity, how that lies on the river, and examples of its hands. Takes half a minute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import jax
import tyro

from jaxpoker import runs
from jaxpoker.games.holdem.table import FLOP, STREETS
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.abstraction import bucket_examples


def draw(
    folder: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = Path("buckets"),
    blueprint: Annotated[Path, tyro.conf.arg(metavar="FILE")] = blueprints.SHIPPED,
) -> None:
    """Draws them.

    Args:
      folder: Where the pictures go; it is made.
      blueprint: The strategy whose buckets are drawn; the shipped one when left out.
    """
    known = blueprints.load(blueprint).abstraction
    folder.mkdir(parents=True, exist_ok=True)
    for street in range(FLOP, len(STREETS)):
        bucket_examples.save(folder / f"{STREETS[street]}.png", known, street)
        print(folder / f"{STREETS[street]}.png")


def main() -> None:
    tyro.cli(draw, description=__doc__)


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")
    runs.main(main)
