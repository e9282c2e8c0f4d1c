"""Pictures of the PPO experiment (the extra ``plots``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from jaxpoker import plots
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.match import Estimate
from jaxpoker.plots import Bars
from jaxpoker.studies.ppo.style import KINDS, Raises, Style

EDGES = (0.25, 0.4, 0.6, 0.85, 1.15, 1.6, 2.5, 5.0)  # between the bins of sizes, in pots
BINS = ("min", "<¼", "⅓", "½", "¾", "1", "1½", "2", "3-5", ">5", "all-in")


def shares(raises: Raises, chosen: np.ndarray) -> np.ndarray:
    """``[bins]``: parts of the ``chosen`` ``[n]`` raises; all-in first, then the minimum, then by the size."""
    found = 1 + np.digitize(raises.pots, EDGES)
    found = np.where(raises.least, 0, found)
    found = np.where(raises.all_in, len(BINS) - 1, found)
    counts = np.bincount(found[chosen], minlength=len(BINS))
    return counts / max(counts.sum(), 1)


def sizes(path: Path, found: Style) -> None:
    """Sizes of bets and raises by street, with hands that were ahead and with hands that were behind."""
    raises = found.raises
    panels = {}
    for street, name in enumerate(STREETS):
        here = raises.street == street
        rows = {"with the better hand": here & raises.ahead, "with the worse hand": here & ~raises.ahead}
        panels[name] = {label: Bars(shares(raises, chosen)) for label, chosen in rows.items()}
    names = {name: BINS for name in STREETS}
    plots.bar_panels(path, panels, names, "part of the raises", "Sizes of bets and raises, in pots after calling")


def kinds(path: Path, found: Style) -> None:
    """How often it folds, checks, calls and raises on each street."""
    panels = {"by street": {kind: Bars(found.kinds[:, i]) for i, kind in enumerate(KINDS)}}
    plots.bar_panels(path, panels, {"by street": STREETS}, "part of its decisions", "What it does")


def results(path: Path, found: Mapping[str, Estimate], met: Sequence[str]) -> None:
    """What the network wins of each rival: those that it ``met`` in training, and the others."""
    sides = {"met in training": [name for name in found if name in met]}
    sides["not met in training"] = [name for name in found if name not in met]
    names = {title: side for title, side in sides.items() if side}
    panels = {
        title: {"network": Bars(*np.array([found[name][:2] for name in side]).T)} for title, side in names.items()
    }
    lines = {title: {"": 0.0} for title in names}
    plots.bar_panels(path, panels, names, "mBB/hand", "Duplicate matches, with 95% intervals", lines)
