"""Pictures of policy gradients as they learn, REINFORCE or PPO (the extra ``plots``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from jaxpoker import plots
from jaxpoker.studies import update_plots
from jaxpoker.studies.update_plots import Row

LOSSES = {
    "entropy": "nats a decision",
    "explained": "part of the returns' variance",
    "value_loss": "mean square",
    "kl": "nats a decision",
}


def learning(
    path: Path, rows: Sequence[Row], measures: Mapping[str, str], lines: Mapping[str, float], unit: str = ""
) -> None:
    """What was measured while it learned, by ``measures`` (metric: label), against decisions learned from."""
    decisions = np.cumsum([row["decisions"] for row in rows]) / 1e6
    curves = {}
    for metric, label in measures.items():
        known = [(x, row[metric]) for x, row in zip(decisions, rows, strict=True) if row.get(metric) is not None]
        if known:
            x, y = zip(*known, strict=True)
            curves[label] = (x, y)
    plots.curves(path, curves, "decisions learned from (millions)", unit, "Learning", lines=lines)


def losses(path: Path, rows: Sequence[Row]) -> None:
    """Entropy, explained variance, value loss and the distance from the policy that played, update by update."""
    update_plots.updates(path, rows, LOSSES)
