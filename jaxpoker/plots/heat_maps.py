"""Numbers as colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jaxpoker.charts import text_colour
from jaxpoker.plots import figures
from jaxpoker.plots.figures import CURVE_COLOURS, FONT, GREY, INK, PANEL_COLUMNS, dress, share_of_one

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FAINT_SHADE, _DARK_SHADE = "#eef4f9", "#00182b"  # ends of a heat map's colours


class HeatMap(NamedTuple):
    """Numbers as colours, row by row from the bottom up, or from the top down where cells have texts."""

    values: ArrayLike  # [rows, columns]
    xlabel: str = ""
    ylabel: str = ""
    width: tuple[float, float] | None = None  # where the first column begins and the last one ends; by number if None
    rows: Sequence[str] = ()  # their names
    columns: Sequence[str] = ()  # likewise
    cells: Sequence[Sequence[str]] = ()  # [rows][columns] texts
    bars: ArrayLike | None = None  # [rows] numbers drawn beside them
    bars_label: str = ""


def heat_maps(path: str | Path, panels: Mapping[str, HeatMap], title: str = "") -> None:
    """Draws heat maps in panels by title, two in a row, each from its smallest number (light) to its largest (dark).

    Where cells have no texts the square root of a number chooses the colour, so that small ones show. NaN is white.
    """
    if not panels:
        raise ValueError("there is no panel to draw: give some as {title: HeatMap(values)}")
    values = {name: np.asarray(panel.values, np.float64) for name, panel in panels.items()}
    for name, array in values.items():
        if array.ndim != 2 or not array.size:
            raise ValueError(f"heat map {name!r} has shape {array.shape}: give [rows, columns]")
    columns = min(len(panels), PANEL_COLUMNS)
    rows = -(-len(panels) // columns)
    figure = figures.empty(path, 7.0 * columns, 6.4 * rows + 0.5)
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.15)
    for i, (name, panel) in enumerate(panels.items()):
        _draw_heat_map(figure.add_subplot(rows, columns, i + 1), name, panel, values[name])
    if title:
        figure.suptitle(title, fontsize=15, fontweight="bold", color=INK, family=FONT)
    figures.save(figure, path)


def _draw_heat_map(axes: Axes, name: str, panel: HeatMap, values: np.ndarray) -> None:
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    shades = LinearSegmentedColormap.from_list("", [_FAINT_SHADE, CURVE_COLOURS[0], _DARK_SHADE])
    norm = PowerNorm(1 if panel.cells else 0.5, float(np.nanmin(values)), float(np.nanmax(values)))
    left, right = panel.width or (0, values.shape[1])
    dress(axes, panel.xlabel, panel.ylabel)
    axes.grid(False)
    axes.imshow(
        values,
        cmap=shades,
        norm=norm,
        aspect="auto",
        interpolation="nearest",
        origin="upper" if panel.cells else "lower",
        extent=(left, right, len(values), 0) if panel.cells else (left, right, 0, len(values)),
    )
    axes.set_title(name, fontsize=12.5, color=INK, family=FONT, loc="left")
    if panel.rows:
        axes.set_yticks(np.arange(len(values)) + 0.5, panel.rows)
    if panel.columns:
        middles = left + (np.arange(len(panel.columns)) + 0.5) * (right - left) / len(panel.columns)
        axes.set_xticks(middles, panel.columns, rotation=45, ha="right", rotation_mode="anchor")
    if panel.cells:
        if not (panel.rows or panel.columns):
            axes.set_axis_off()
        for row, texts in enumerate(panel.cells):
            for column, text in enumerate(texts):
                red, green, blue = (255 * part for part in shades(norm(values[row, column]))[:3])
                ink = share_of_one(text_colour((red, green, blue)))
                style: dict[str, Any] = {"ha": "center", "va": "center", "color": ink, "family": FONT}
                axes.text(column + 0.5, row + 0.5, text, fontsize=7.5, **style)
    if panel.bars is not None:
        longest = float(np.max(panel.bars))
        beside = axes.inset_axes((1.02, 0, 0.14, 1), sharey=axes)
        dress(beside, panel.bars_label, "")
        beside.barh(np.arange(len(values)) + 0.5, np.asarray(panel.bars), height=1, color=GREY, linewidth=0)
        beside.grid(False)
        beside.spines["left"].set_visible(False)
        beside.set_xticks([longest], [f"{longest:.2g}"])
        beside.tick_params(axis="y", left=False, labelleft=False)
