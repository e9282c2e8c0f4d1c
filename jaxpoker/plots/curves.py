"""Curves, areas and bars: what is drawn against steps, or side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jaxpoker.charts import Colour, colours_of
from jaxpoker.plots import figures
from jaxpoker.plots.figures import (
    CURVE_COLOURS,
    FAINT,
    FONT,
    GREY,
    INK,
    draw_curve,
    dress,
    grid_of_panels,
    legend_below,
    share_of_one,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Series = Mapping[str, tuple[ArrayLike, ArrayLike]]  # y against x by label

_MOST_INSIDE = 6  # labels of a legend among the curves; more stand beside them
_SMOOTH_MARGIN = 0.25  # above and below moving averages, in parts of their range


def curves(
    path: str | Path,
    series: Series,
    xlabel: str,
    ylabel: str,
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
    lines: Mapping[str, float] | None = None,
    bottom: float | None = None,
    intervals: Mapping[str, ArrayLike] | None = None,
) -> None:
    """Draws y against x for each labelled series, with ``lines`` as horizontal references, on linear or log axes.

    The legend of many series stands beside them. With ``bottom`` the y axis begins there, and what is below is cut off.
    ``intervals`` are half widths by label, drawn as a band around the curve.
    """
    if not series:
        raise ValueError("there is no series to draw: give some as {label: (x, y)}")
    points = {label: _points(label, x, y, log_x, log_y) for label, (x, y) in series.items()}
    references = {label: float(height) for label, height in (lines or {}).items()}
    for label, height in references.items():
        _require_drawable(f"line {label!r}", np.asarray(height), log_y, "log_y")

    bands = intervals or {}
    if not bands.keys() <= points.keys():
        unknown = min(bands.keys() - points.keys())
        raise ValueError(f"intervals of {unknown!r}, which is no series: there are {[*points]}")
    many = len(points) > _MOST_INSIDE
    figure = figures.empty(path, 12.5 if many else 8.5, 5.2)
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.15)
    axes = figure.subplots()
    for i, (label, (x, y)) in enumerate(points.items()):
        draw_curve(axes, x, y, i, label)
        if label in bands:
            _, half = _points(label, x, bands[label], False, False)
            axes.fill_between(x, y - half, y + half, color=CURVE_COLOURS[i % len(CURVE_COLOURS)], alpha=0.18, zorder=2)
    _draw_references(axes, references)
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    if bottom is not None:
        axes.set_ylim(bottom=bottom)
    dress(axes, xlabel, ylabel)
    if title:
        axes.set_title(title, fontsize=15, fontweight="bold", color=INK, family=FONT, loc="left", pad=12)
    frame: dict[str, Any] = {"framealpha": 0.9, "edgecolor": FAINT, "prop": {"family": FONT, "size": 10.5}}
    if many:
        figure.legend(loc="outside right center", **frame)
    else:
        axes.legend(loc="best", **frame)
    figures.save(figure, path)


def curve_panels(
    path: str | Path,
    panels: Mapping[str, Series],
    xlabel: str,
    ylabel: str | Mapping[str, str],
    title: str = "",
    lines: Mapping[str, float] | None = None,
    smooth: int = 1,
) -> None:
    """Draws curves in panels by title, two in a row, with one legend: a label has the same colour in all of them.

    Args:
      path: the PNG file.
      panels: by title, y against x by label; a panel may lack some of the labels.
      xlabel: of all panels.
      ylabel: of all panels, or by title.
      title: of the whole picture.
      lines: horizontal references in every panel.
      smooth: points of the moving average that is drawn; with more than one the points themselves are faint.
    """
    if smooth < 1:
        raise ValueError(f"cannot smooth over {smooth} points: say 1, which draws them as they are, or more")
    checked = _checked_panels(panels)
    references = {label: float(height) for label, height in (lines or {}).items()}
    labels = list(dict.fromkeys(label for points in checked.values() for label in points))
    figure, all_axes = grid_of_panels(path, list(checked), xlabel, ylabel, title)
    for axes, points in zip(all_axes, checked.values(), strict=True):
        for label, (x, y) in points.items():
            draw_curve(axes, x, moving_average(y, smooth), labels.index(label), label)
        _draw_references(axes, references)
        if smooth > 1:
            axes.margins(y=_SMOOTH_MARGIN)
            axes.set_ylim(axes.get_ylim())  # the curves fill the panel, not the scatter behind them
            for label, (x, y) in points.items():
                colour = CURVE_COLOURS[labels.index(label) % len(CURVE_COLOURS)]
                axes.plot(x, y, color=colour, linewidth=0.6, alpha=0.3, zorder=1.9)
    legend_below(figure, all_axes, labels)
    figures.save(figure, path)


def area_panels(
    path: str | Path,
    panels: Mapping[str, Series],
    xlabel: str,
    ylabel: str,
    title: str = "",
    colours: Sequence[Colour] = (),
) -> None:
    """Draws parts of 1 as areas on top of each other, in panels by title as ``curve_panels``.

    Every panel has the same labels, and in a panel all have the same x. Without ``colours`` the labels choose them, as
    actions do in charts.
    """
    checked = _checked_panels(panels)
    labels = list(next(iter(checked.values())))
    shades = list(map(share_of_one, colours or colours_of(labels)))
    if len(shades) != len(labels):
        raise ValueError(f"{len(shades)} colours for {len(labels)} areas {labels}: give one each")
    for name, points in checked.items():
        if list(points) != labels:
            raise ValueError(f"panel {name!r} has the areas {list(points)}, another has {labels}: name the same")
        if any(not np.array_equal(x, points[labels[0]][0]) for x, _ in points.values()):
            raise ValueError(f"the areas of panel {name!r} differ in x: give the same x for all")
    figure, all_axes = grid_of_panels(path, list(checked), xlabel, ylabel, title)
    for axes, points in zip(all_axes, checked.values(), strict=True):
        x, heights = points[labels[0]][0], [y for _, y in points.values()]
        if len(x) == 1:  # has no width: as a bar around it
            x, heights = x[0] + np.array([-0.5, 0.5]), [np.repeat(y, 2) for y in heights]
        axes.stackplot(x, *heights, labels=labels, colors=shades, linewidth=0)
        axes.set(xlim=(x.min(), x.max()), ylim=(0, 1))
    legend_below(figure, all_axes, labels)
    figures.save(figure, path)


class Bars(NamedTuple):
    """Heights of a row of bars, with half widths of their intervals."""

    heights: ArrayLike  # [n]
    intervals: ArrayLike | None = None  # [n]


def bar_panels(
    path: str | Path,
    panels: Mapping[str, Mapping[str, Bars]],
    names: Mapping[str, Sequence[str]],
    ylabel: str | Mapping[str, str],
    title: str = "",
    lines: Mapping[str, Mapping[str, float]] | None = None,
) -> None:
    """Draws rows of bars side by side, by label, in panels by title as ``curve_panels``.

    ``names`` are those of the bars, by title; ``lines`` horizontal references, by title.
    """
    if not panels:
        raise ValueError("there is no panel to draw: give some as {title: {label: Bars(heights)}}")
    labels = list(dict.fromkeys(label for rows in panels.values() for label in rows))
    figure, all_axes = grid_of_panels(path, list(panels), "", ylabel, title)
    for axes, (name, rows) in zip(all_axes, panels.items(), strict=True):
        width = 0.8 / len(rows)
        for i, (label, bars) in enumerate(rows.items()):
            _, heights = _points(label, np.arange(len(names[name])), bars.heights, False, False)
            at = np.arange(len(heights)) + (i - (len(rows) - 1) / 2) * width
            colour = CURVE_COLOURS[labels.index(label) % len(CURVE_COLOURS)]
            whiskers: dict[str, Any] = {"ecolor": INK, "capsize": 3, "error_kw": {"linewidth": 1.2}}
            axes.bar(at, heights, 0.92 * width, yerr=bars.intervals, color=colour, label=label, zorder=2.5, **whiskers)
        axes.set_xticks(np.arange(len(names[name])), names[name])
        axes.grid(False, axis="x")
        _draw_references(axes, (lines or {}).get(name, {}))
    legend_below(figure, all_axes, labels)
    figures.save(figure, path)


def ranked_bars(
    path: str | Path, bars: Mapping[str, tuple[float, float]], xlabel: str, title: str = "", marked: str | None = None
) -> None:
    """Draws one bar to the right or left for each name, from the top down, of a length with the half width of its
    interval. Bars below 0 have another colour than those above, and ``marked`` one of its own, with its number.
    """
    if not bars:
        raise ValueError("there is no bar to draw: give some as {name: (length, half width)}")
    figure = figures.empty(path, 9.5, 1.6 + 0.24 * len(bars))
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.15)
    axes = figure.add_subplot()
    dress(axes, xlabel, "")
    lengths, intervals = (np.array([pair[i] for pair in bars.values()], np.float64) for i in range(2))
    above, below, special = (CURVE_COLOURS[i] for i in (2, 0, 1))
    colours = [special if name == marked else above if x > 0 else below for name, x in zip(bars, lengths, strict=True)]
    places = np.arange(len(bars))
    whiskers: dict[str, Any] = {"ecolor": INK, "capsize": 2, "error_kw": {"linewidth": 1.1}}
    axes.barh(places, lengths, 0.75, xerr=intervals, color=colours, zorder=2.5, **whiskers)
    axes.axvline(0, color=GREY, linewidth=1, zorder=2)
    axes.set_yticks(places, list(bars))
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.grid(False, axis="y")
    if marked is not None:
        place = list(bars).index(marked)
        beside: dict[str, Any] = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "family": FONT}
        end = max(lengths[place] + intervals[place], 0.0)
        axes.annotate(f"{marked}: {lengths[place]:+,.0f}", (end, place), color=special, weight="bold", **beside)
    if title:
        axes.set_title(title, fontsize=15, fontweight="bold", color=INK, family=FONT, loc="left", pad=12)
    figures.save(figure, path)


def moving_average(y: ArrayLike, points: int) -> np.ndarray:
    """The mean of so many points around each one; at the ends, of those that there are."""
    ys = np.asarray(y, np.float64)
    before = (points - 1) // 2
    sums = np.concatenate([[0.0], np.cumsum(ys)])
    first = np.maximum(np.arange(len(ys)) - before, 0)
    after = np.minimum(np.arange(len(ys)) - before + points, len(ys))
    return (sums[after] - sums[first]) / (after - first)


def _draw_references(axes: Axes, references: Mapping[str, float]) -> None:
    for label, height in references.items():
        axes.axhline(height, color=GREY, linewidth=1.4, linestyle="--", zorder=2)
        right_end: dict[str, Any] = {"xy": (1, height), "xycoords": axes.get_yaxis_transform(), "ha": "right"}
        above: dict[str, Any] = {"xytext": (-4, 3), "textcoords": "offset points", "va": "bottom"}
        axes.annotate(label, color=GREY, fontsize=10, family=FONT, **right_end, **above)


def _checked_panels(panels: Mapping[str, Series]) -> dict[str, dict[str, tuple[np.ndarray, np.ndarray]]]:
    if not panels:
        raise ValueError("there is no panel to draw: give some as {title: {label: (x, y)}}")
    for name, series in panels.items():
        if not series:
            raise ValueError(f"panel {name!r} has no series to draw: give some as {{label: (x, y)}}")
    return {
        name: {label: _points(label, x, y, False, False) for label, (x, y) in series.items()}
        for name, series in panels.items()
    }


def _points(label: str, x: ArrayLike, y: ArrayLike, log_x: bool, log_y: bool) -> tuple[np.ndarray, np.ndarray]:
    """The x and y of a series as float64 after a check."""
    xs, ys = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if xs.ndim != 1 or xs.shape != ys.shape or not xs.size:
        raise ValueError(
            f"series {label!r} has x of shape {xs.shape} and y of shape {ys.shape}: "
            "give as many numbers for x as for y, at least one"
        )
    _require_drawable(f"x of series {label!r}", xs, log_x, "log_x")
    _require_drawable(f"y of series {label!r}", ys, log_y, "log_y")
    return xs, ys


def _require_drawable(what: str, values: np.ndarray, log: bool, option: str) -> None:
    bad = values[~np.isfinite(values)]
    if bad.size:
        raise ValueError(f"{what} has {bad.flat[0]}: only finite numbers can be drawn")
    if log and (values <= 0).any():
        raise ValueError(f"{what} has {values.min():g}: with {option} all are above 0")
