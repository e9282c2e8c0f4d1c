"""Files of solved spots, whatever street they begin on: ``.flop`` of a flop, ``.spot`` of a turn or a river."""

from __future__ import annotations

from pathlib import Path

from jaxpoker.solvers import subgame
from jaxpoker.solvers.flops import files
from jaxpoker.solvers.spots.words import AnySolved

FLOP_SUFFIX = ".flop"


def load(path: str | Path) -> AnySolved:
    """The solved spot of a file; a flop is read node by node."""
    return files.load(path) if Path(path).suffix == FLOP_SUFFIX else subgame.load(path)
