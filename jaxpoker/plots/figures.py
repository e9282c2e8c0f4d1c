"""Figures that all pictures are drawn into: size, colours, axes, legends, and the file.

Figures are drawn by the Agg canvas directly, without pyplot: no window, and no setting of matplotlib is changed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxpoker.charts import Colour
from jaxpoker.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 150

# Okabe and Ito's colours, which colour-blind people tell apart; yellow is left out, for a white page.
CURVE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
CURVE_STYLES = ("-", "--", "-.", ":")  # the next one where the colours begin again
INK = "#22262c"
GREY = "#6b7280"
FAINT = "#d5d9df"
FONT = "DejaVu Sans"  # comes with matplotlib: the same picture everywhere
LEGEND_COLUMNS = 4
PANEL_COLUMNS = 2


def empty(path: str | Path, width: float, height: float) -> Figure:
    """An empty figure of so many inches, after checks that it can be saved."""
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise ValueError(f"cannot save a picture as {path.name!r}: the name ends with .png")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to save {path.name!r} into: make it first")
    if importlib.util.find_spec("matplotlib") is None:
        raise ModuleNotFoundError("pictures need matplotlib: pip install 'jaxpoker[plots]'", name="matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: str | Path) -> None:
    """Writes the picture, whole or not at all."""
    with replacing(Path(path)) as unfinished:
        figure.savefig(unfinished, format="png", dpi=DOTS_PER_INCH, facecolor="white")


def dress(axes: Axes, xlabel: str, ylabel: str) -> None:
    """Labels, grid, spines and ticks."""
    axes.set_xlabel(xlabel, fontsize=12, color=INK, family=FONT)
    axes.set_ylabel(ylabel, fontsize=12, color=INK, family=FONT)
    axes.grid(True, which="major", color=FAINT, linewidth=0.9)
    axes.grid(True, which="minor", color=FAINT, linewidth=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(which="both", color=GREY, labelcolor=INK, labelfontfamily=FONT, labelsize=10.5)


def draw_curve(axes: Axes, x: np.ndarray, y: np.ndarray, number: int, label: str) -> None:
    """A line in the colour and style of the so many-th label, with markers if the points are few."""
    colour = CURVE_COLOURS[number % len(CURVE_COLOURS)]
    style = CURVE_STYLES[number // len(CURVE_COLOURS) % len(CURVE_STYLES)]
    marker = "o" if len(x) <= 30 else None
    axes.plot(x, y, style, color=colour, label=label, linewidth=2, marker=marker, markersize=4, zorder=3)


def grid_of_panels(
    path: str | Path, titles: list[str], xlabel: str, ylabel: str | Mapping[str, str], title: str
) -> tuple[Figure, list[Axes]]:
    """A figure with one pair of axes per title."""
    columns = min(len(titles), PANEL_COLUMNS)
    rows = -(-len(titles) // columns)
    figure = empty(path, 6.0 * columns, 3.4 * rows + 1.0)
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.12)
    all_axes = [figure.add_subplot(rows, columns, i + 1) for i in range(len(titles))]
    for axes, name in zip(all_axes, titles, strict=True):
        dress(axes, xlabel, ylabel if isinstance(ylabel, str) else ylabel[name])
        axes.set_title(name, fontsize=12.5, color=INK, family=FONT, loc="left")
    if title:
        figure.suptitle(title, fontsize=15, fontweight="bold", color=INK, family=FONT)
    return figure, all_axes


def legend_below(figure: Figure, all_axes: list[Axes], labels: list[str]) -> None:
    """One legend of all panels, each label once."""
    handles: dict[str, Any] = {}
    for axes in all_axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        [handles[label] for label in labels],
        labels,
        loc="outside lower center",
        ncols=min(len(labels), LEGEND_COLUMNS + 1),
        frameon=False,
        labelcolor=INK,
        prop={"family": FONT, "size": 11},
    )


def share_of_one(colour: Colour) -> tuple[float, float, float]:
    """As matplotlib likes it."""
    red, green, blue = colour
    return red / 255, green / 255, blue / 255
