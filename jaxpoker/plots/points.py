"""Points in a plane, and paths among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jaxpoker.plots import figures
from jaxpoker.plots.figures import CURVE_COLOURS, FAINT, FONT, draw_curve, grid_of_panels


class Points(NamedTuple):
    """Points in a plane, coloured by group or by number; ``paths`` are drawn over them."""

    places: ArrayLike  # [n, 2]
    colours: Sequence[str] | ArrayLike  # [n] names of groups, or numbers
    paths: Mapping[str, ArrayLike] | None = None  # [k, 2] each, by label, from first to last


def point_panels(path: str | Path, panels: Mapping[str, Points], xlabel: str, ylabel: str, title: str = "") -> None:
    """Draws points in panels by title, two in a row, each with a legend of its groups or a bar of its numbers."""
    if not panels:
        raise ValueError("there is no panel to draw: give some as {title: Points(places, colours)}")
    figure, all_axes = grid_of_panels(path, list(panels), xlabel, ylabel, title)
    figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() * 1.35)
    for axes, (name, points) in zip(all_axes, panels.items(), strict=True):
        places, colours = np.asarray(points.places, np.float64), np.asarray(points.colours)
        if places.ndim != 2 or places.shape != (len(colours), 2):
            raise ValueError(
                f"panel {name!r} has places {places.shape} and {len(colours)} colours: give [n, 2] and [n]"
            )
        dots: dict[str, Any] = {"s": 22, "linewidths": 0, "alpha": 0.75, "zorder": 3}
        if colours.dtype.kind in "US":
            for i, group in enumerate(dict.fromkeys(colours.tolist())):
                x, y = places[colours == group].T
                axes.scatter(x, y, color=CURVE_COLOURS[i % len(CURVE_COLOURS)], label=group, **dots)
        else:
            x, y = places.T
            shown = axes.scatter(x, y, c=colours, cmap="viridis", **dots)
            figure.colorbar(shown, ax=axes, pad=0.02)
        for i, (label, corners) in enumerate((points.paths or {}).items()):
            x, y = np.asarray(corners, np.float64).T
            draw_curve(axes, x, y, i, label)
        if axes.get_legend_handles_labels()[1]:
            axes.legend(loc="best", frameon=True, framealpha=0.85, edgecolor=FAINT, prop={"family": FONT, "size": 9.5})
    figures.save(figure, path)
