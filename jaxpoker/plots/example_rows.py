"""A table of rows that have a histogram and examples in two lines each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxpoker.plots import figures
from jaxpoker.plots.figures import CURVE_COLOURS, FAINT, FONT, GREY, INK

_WIDTH, _ROW, _MARGIN = 11.0, 0.42, 0.8  # inches
_LABEL, _HISTOGRAM, _EXAMPLES = 0.09, 0.16, 0.29  # parts of the width at which columns begin


class ExampleRow(NamedTuple):
    """A row of ``example_rows``."""

    label: str
    histogram: np.ndarray  # [bins] shares from 0 to 1 of what the bins span
    examples: Sequence[tuple[str, str]]  # the first line in bold


def example_rows(path: str | Path, rows: Sequence[ExampleRow], xlabel: str, title: str = "") -> None:
    """Draws the rows from the top down; the histograms, from 0 to 100%, have one axis, ``xlabel``, each as high as it
    is.
    """
    if not rows:
        raise ValueError("there is no row to draw: give some ExampleRow")
    height = _ROW * len(rows) + 2 * _MARGIN
    figure = figures.empty(path, _WIDTH, height)
    figure.text(0.02, 1 - 0.4 / height, title, fontsize=15, fontweight="bold", color=INK, family=FONT)
    most = max(len(row.examples) for row in rows)
    step = (1 - _EXAMPLES - 0.01) / max(most, 1)
    for i, row in enumerate(rows):
        bottom = (height - _MARGIN - _ROW * (i + 1)) / height
        middle = bottom + 0.5 * _ROW / height
        figure.text(_LABEL + 0.05, middle, row.label, ha="right", va="center", fontsize=9, color=INK, family=FONT)
        axes = figure.add_axes((_HISTOGRAM, bottom, _EXAMPLES - _HISTOGRAM - 0.02, 0.86 * _ROW / height))
        edges = np.linspace(0, 1, len(row.histogram) + 1)
        axes.bar(edges[:-1], row.histogram, np.diff(edges), align="edge", color=CURVE_COLOURS[0])
        axes.set_xlim(0, 1)
        axes.set_yticks([])
        axes.spines[["top", "left", "right"]].set_visible(False)
        axes.spines["bottom"].set_color(FAINT)
        is_last = i == len(rows) - 1
        axes.set_xticks([0, 0.5, 1] if is_last else [], ["0%", "50%", "100%"] if is_last else [])
        axes.tick_params(color=GREY, labelcolor=INK, labelsize=9, labelfontfamily=FONT)
        if is_last:
            axes.set_xlabel(xlabel, fontsize=9.5, color=INK, family=FONT)
        for k, (first, second) in enumerate(row.examples):
            left = _EXAMPLES + k * step
            figure.text(left, middle + 0.085 / height, first, va="center", fontsize=9, color=INK, family=FONT)
            figure.text(left, middle - 0.085 / height, second, va="center", fontsize=8, color=GREY, family=FONT)
    figures.save(figure, path)
