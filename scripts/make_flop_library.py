#!/usr/bin/env python3
"""Computes jaxpoker/data/flops.zip: flops of button against big blind, solved, for the explorer and the coach.

    .venv/bin/python scripts/make_flop_library.py                      24 flops of each pot, an hour or two on two cores
    .venv/bin/python scripts/make_flop_library.py --flops 8 --target 2 a smaller and looser one

The flops are a sample that stands for all: each texture has its share. Flops that are done are kept in the folder
--work, so that it goes on where it stopped. A library of fewer flops has flops of the larger one, if --of is the same.
"""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from typing import Annotated

import tyro

from jaxpoker import cards
from jaxpoker.errors import RunError
from jaxpoker.files import write_whole
from jaxpoker.solvers import flops
from jaxpoker.solvers.flops import files, library, solving
from jaxpoker.solvers.flops.library import DEPTH, LEVELS, POTS, SHIPPED
from jaxpoker.solvers.subgame.solving import Progress


def main(
    flops_of_a_pot: Annotated[int, tyro.conf.arg(name="flops")] = 24,
    of: int = 24,
    target: float = 0.5,
    iterations: int = 300,
    bits: int = 32,
    work: Path = Path("runs/flop_library"),
    output: Path = SHIPPED,
) -> None:
    """Solves and packs.

    Args:
      flops_of_a_pot: how many flops of each pot.
      of: the size of the whole sample, of which these are the first.
      target: exploitability, in % of the pot.
      iterations: the most for a flop.
      bits: of the tables, 32 or 16.
      work: the folder for flops that are done.
      output: the file to write.
    """
    if not 1 <= flops_of_a_pot <= of:
        raise RunError(f"--flops {flops_of_a_pot}: 1 to {of}, the size of the sample (--of)")
    work.mkdir(parents=True, exist_ok=True)
    sample = library.spread_out(of)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for place, flop in enumerate(sample[:flops_of_a_pot]):
            for name, pot in POTS.items():
                text = cards.text(flop)
                done = work / f"{name}-{text}-{target:g}.flop"
                if not done.is_file():
                    print(f"{place + 1} of {flops_of_a_pot}: {name} {text}", flush=True)
                    widths = tuple(max(solving.places_of(pot.spot(other))[seat] for other in sample) for seat in (0, 1))
                    spot = pot.spot(flop.tolist())
                    begun = solving.prepared(spot, bits=bits, widths=(widths[0], widths[1]))
                    solved = flops.solve(spot, target, iterations, start=begun, progress=_say)
                    if solved.interrupted:
                        raise RunError(f"stopped; the flops that are done are in {work}: the same command goes on")
                    files.save(solved, done, DEPTH, LEVELS)
                file.writestr(zipfile.ZipInfo(f"{name}/{text}.flop"), done.read_bytes())
    write_whole(output, content.getvalue())
    print(f"{output}: {2 * flops_of_a_pot} flops, {len(content.getvalue()) / 1e6:.1f} MB")


def _say(progress: Progress) -> None:
    print(f"  {progress}", flush=True)


if __name__ == "__main__":
    try:
        tyro.cli(main, description=__doc__)
    except RunError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
