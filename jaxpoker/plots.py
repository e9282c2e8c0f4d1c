"""Pictures as PNG files: charts of hands and curves, by matplotlib (the extra ``plots``).

    plots.hand_grid("jam.png", jam, "SB jams at 10 BB")
    plots.hand_grid("10bb.png", {"SB": jam, "BB": call}, "10 BB", actions={"SB": ["jam"], "BB": ["call"]})
    plots.curves("cfr.png", {"CFR+": (iterations, exploitability)}, "iterations", "exploitability", log_y=True)
    plots.curve_panels("earnings.png", {"maniac": {"best": (x, y)}, "limper": {"best": (x, y)}}, "generation", "mBB")
    plots.heat_maps("buckets.png", {"flop": plots.HeatMap(histogram, "equity", "bucket")})

Figures are drawn by the Agg canvas directly, without pyplot: no window, and no setting of matplotlib is changed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jaxpoker import ranges
from jaxpoker.charts import NOTHING, Colour, Mix, as_mix, colours_of, percent, text_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Series = Mapping[str, tuple[ArrayLike, ArrayLike]]  # y against x by label

DOTS_PER_INCH = 150

# Okabe and Ito's colours, which colour-blind people tell apart; yellow is left out, for a white page.
_CURVE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_CURVE_STYLES = ("-", "--", "-.", ":")  # the next one where the colours begin again
_INK = "#22262c"
_GREY = "#6b7280"
_FAINT = "#d5d9df"
_FAINT_SHADE, _DARK_SHADE = "#eef4f9", "#00182b"  # ends of a heat map's colours
_FONT = "DejaVu Sans"  # comes with matplotlib: the same picture everywhere

_PANEL = 6.5  # inches
_MARGIN = 0.3
_LEGEND_COLUMNS = 4
_LEGEND_WIDTH, _LEGEND_GAP = 78, 5  # letters below a panel, and those that a column takes beside its text
_PANEL_COLUMNS = 2
_SMOOTH_MARGIN = 0.25  # above and below moving averages, in parts of their range


# --- charts of hands --------------------------------------------------------------------------


class _Panel(NamedTuple):
    title: str
    mix: Mix

    @property
    def legend(self) -> list[tuple[str, Colour]]:
        """Texts and colours: each action, and the rest if there is one, with its share of all combos."""
        entries = list(zip(self.mix.actions, self.mix.shares, self.mix.colours, strict=True))
        rest = 1 - self.mix.shares.sum()
        if rest > 1e-6:
            entries.append(("rest", rest, NOTHING))
        return [(f"{name} ({share:.1%})", colour) for name, share, colour in entries]

    @property
    def legend_columns(self) -> int:
        """As many as fit below the panel."""
        longest = max(len(text) for text, _ in self.legend)
        return max(min(len(self.legend), _LEGEND_COLUMNS, _LEGEND_WIDTH // (longest + _LEGEND_GAP)), 1)


def hand_grid(
    path: str | Path,
    weights: ArrayLike | Mapping[str, ArrayLike],
    title: str = "",
    actions: Sequence[str] | Mapping[str, Sequence[str]] = (),
    colours: Sequence[Colour] = (),
    reach: Mapping[str, ArrayLike] | None = None,
) -> None:
    """Draws the 13 x 13 chart of 169 frequencies, or of a mix [169, actions], in the order of ``ranges.CLASS_NAMES``.

    Each cell is filled from the left in proportion to its actions; hands that mix show the percentage of their most
    frequent action. The legend gives each action's share of all combos. ``weights`` by title are panels side by
    side; their ``actions`` are the same for all, or by title as well. ``reach`` by title dims the hands of which little
    comes to the decision.
    """
    panels = _panels(weights, actions, colours, reach or {})
    above = _MARGIN + (0.45 if title else 0) + (0.35 if any(panel.title for panel in panels) else 0)
    below = _MARGIN + 0.3 * max(-(-len(panel.legend) // panel.legend_columns) for panel in panels)
    width, height = len(panels) * (_PANEL + _MARGIN) + _MARGIN, above + _PANEL + below
    figure = _figure(path, width, height)
    for i, panel in enumerate(panels):
        left = _MARGIN + i * (_PANEL + _MARGIN)
        _draw_panel(figure.add_axes((left / width, below / height, _PANEL / width, _PANEL / height)), panel)
    if title:
        place: dict[str, Any] = {"x": 0.5, "y": 1 - (_MARGIN + 0.1) / height, "ha": "center", "va": "center"}
        figure.text(s=title, fontsize=17, fontweight="bold", color=_INK, family=_FONT, **place)
    _save(figure, path)


def _panels(
    weights: ArrayLike | Mapping[str, ArrayLike],
    actions: Sequence[str] | Mapping[str, Sequence[str]],
    colours: Sequence[Colour],
    reach: Mapping[str, ArrayLike],
) -> list[_Panel]:
    by_title = weights if isinstance(weights, Mapping) else {"": weights}
    if not by_title:
        raise ValueError("there is no panel to draw: give weights [169], or some by title")
    if isinstance(actions, Mapping) and set(actions) != set(by_title):
        raise ValueError(f"actions are for panels {sorted(actions)}, weights for {sorted(by_title)}: name the same")
    panels = []
    for name, of_panel in by_title.items():
        names = actions[name] if isinstance(actions, Mapping) else actions
        panels.append(_Panel(name, as_mix(of_panel, names, colours, reach.get(name))))
    return panels


def _draw_panel(axes: Axes, panel: _Panel) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Patch, Rectangle

    cells, shades = [], []
    for number, frequencies in enumerate(panel.mix.frequencies):
        row, column = divmod(number, 13)
        left, colours = 0.0, panel.mix.cell_colours(number)
        for share, colour in zip([*frequencies, 1.0], [*colours, NOTHING], strict=True):
            width = min(share, 1 - left)
            if width > 0:
                cells.append(Rectangle((column + left, row), width, 1))
                shades.append(_share_of_one(colour))
            left += width
        _label_cell(axes, row, column, frequencies, colours)
    axes.add_collection(PatchCollection(cells, facecolors=shades, edgecolors="none", antialiaseds=False))
    for edge in range(1, 13):
        axes.plot([0, 13], [edge, edge], color="white", linewidth=1.2)
        axes.plot([edge, edge], [0, 13], color="white", linewidth=1.2)
    axes.set(xlim=(0, 13), ylim=(13, 0))
    axes.set_axis_off()
    if panel.title:
        axes.set_title(panel.title, fontsize=14, color=_INK, family=_FONT, pad=8)
    axes.legend(
        handles=[Patch(facecolor=_share_of_one(colour), label=label) for label, colour in panel.legend],
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=panel.legend_columns,
        frameon=False,
        labelcolor=_INK,
        prop={"family": _FONT, "size": 11.5},
        handlelength=1.1,
        handleheight=1.1,
        columnspacing=1.6,
    )


def _label_cell(axes: Axes, row: int, column: int, frequencies: np.ndarray, colours: tuple[Colour, ...]) -> None:
    """The hand's name, and for a hand that mixes the percentage of its most frequent action."""
    most = float(frequencies.max())
    mixed = percent(most) not in (".", "100")
    red, green, blue = [*frequencies, 1 - frequencies.sum()] @ np.asarray([*colours, NOTHING])  # the cell's mean colour
    ink = _share_of_one(text_colour((red, green, blue)))
    style: dict[str, Any] = {"ha": "center", "va": "center", "color": ink, "family": _FONT, "zorder": 3}
    name = ranges.CLASS_NAMES[13 * row + column]
    axes.text(column + 0.5, row + (0.37 if mixed else 0.52), name, fontsize=11, **style)
    if mixed:
        axes.text(column + 0.5, row + 0.73, f"{percent(most)}%", fontsize=7.5, **style)


def _share_of_one(colour: Colour) -> tuple[float, float, float]:
    red, green, blue = colour
    return red / 255, green / 255, blue / 255


# --- curves -----------------------------------------------------------------------------------


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
) -> None:
    """Draws y against x for each labelled series, with ``lines`` as horizontal references, on linear or log axes.

    With ``bottom`` the y axis begins there, and what is below is cut off.
    """
    if not series:
        raise ValueError("there is no series to draw: give some as {label: (x, y)}")
    points = {label: _points(label, x, y, log_x, log_y) for label, (x, y) in series.items()}
    references = {label: float(height) for label, height in (lines or {}).items()}
    for label, height in references.items():
        _require_drawable(f"line {label!r}", np.asarray(height), log_y, "log_y")

    figure = _figure(path, 8.5, 5.2)
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.15)
    axes = figure.subplots()
    for i, (label, (x, y)) in enumerate(points.items()):
        _draw_curve(axes, x, y, i, label)
    _draw_references(axes, references)
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    if bottom is not None:
        axes.set_ylim(bottom=bottom)
    _dress(axes, xlabel, ylabel)
    if title:
        axes.set_title(title, fontsize=15, fontweight="bold", color=_INK, family=_FONT, loc="left", pad=12)
    axes.legend(loc="best", frameon=True, framealpha=0.9, edgecolor=_FAINT, prop={"family": _FONT, "size": 10.5})
    _save(figure, path)


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
    figure, all_axes = _grid_of_panels(path, list(checked), xlabel, ylabel, title)
    for axes, points in zip(all_axes, checked.values(), strict=True):
        for label, (x, y) in points.items():
            _draw_curve(axes, x, moving_average(y, smooth), labels.index(label), label)
        _draw_references(axes, references)
        if smooth > 1:
            axes.margins(y=_SMOOTH_MARGIN)
            axes.set_ylim(axes.get_ylim())  # the curves fill the panel, not the scatter behind them
            for label, (x, y) in points.items():
                colour = _CURVE_COLOURS[labels.index(label) % len(_CURVE_COLOURS)]
                axes.plot(x, y, color=colour, linewidth=0.6, alpha=0.3, zorder=1.9)
    _legend_below(figure, all_axes, labels)
    _save(figure, path)


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
    shades = list(map(_share_of_one, colours or colours_of(labels)))
    if len(shades) != len(labels):
        raise ValueError(f"{len(shades)} colours for {len(labels)} areas {labels}: give one each")
    for name, points in checked.items():
        if list(points) != labels:
            raise ValueError(f"panel {name!r} has the areas {list(points)}, another has {labels}: name the same")
        if any(not np.array_equal(x, points[labels[0]][0]) for x, _ in points.values()):
            raise ValueError(f"the areas of panel {name!r} differ in x: give the same x for all")
    figure, all_axes = _grid_of_panels(path, list(checked), xlabel, ylabel, title)
    for axes, points in zip(all_axes, checked.values(), strict=True):
        x, heights = points[labels[0]][0], [y for _, y in points.values()]
        if len(x) == 1:  # has no width: as a bar around it
            x, heights = x[0] + np.array([-0.5, 0.5]), [np.repeat(y, 2) for y in heights]
        axes.stackplot(x, *heights, labels=labels, colors=shades, linewidth=0)
        axes.set(xlim=(x.min(), x.max()), ylim=(0, 1))
    _legend_below(figure, all_axes, labels)
    _save(figure, path)


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
    figure, all_axes = _grid_of_panels(path, list(panels), "", ylabel, title)
    for axes, (name, rows) in zip(all_axes, panels.items(), strict=True):
        width = 0.8 / len(rows)
        for i, (label, bars) in enumerate(rows.items()):
            _, heights = _points(label, np.arange(len(names[name])), bars.heights, False, False)
            at = np.arange(len(heights)) + (i - (len(rows) - 1) / 2) * width
            colour = _CURVE_COLOURS[labels.index(label) % len(_CURVE_COLOURS)]
            whiskers: dict[str, Any] = {"ecolor": _INK, "capsize": 3, "error_kw": {"linewidth": 1.2}}
            axes.bar(at, heights, 0.92 * width, yerr=bars.intervals, color=colour, label=label, zorder=2.5, **whiskers)
        axes.set_xticks(np.arange(len(names[name])), names[name])
        axes.grid(False, axis="x")
        _draw_references(axes, (lines or {}).get(name, {}))
    _legend_below(figure, all_axes, labels)
    _save(figure, path)


def moving_average(y: ArrayLike, points: int) -> np.ndarray:
    """The mean of so many points around each one; at the ends, of those that there are."""
    ys = np.asarray(y, np.float64)
    before = (points - 1) // 2
    sums = np.concatenate([[0.0], np.cumsum(ys)])
    first = np.maximum(np.arange(len(ys)) - before, 0)
    after = np.minimum(np.arange(len(ys)) - before + points, len(ys))
    return (sums[after] - sums[first]) / (after - first)


def _draw_curve(axes: Axes, x: np.ndarray, y: np.ndarray, number: int, label: str) -> None:
    """A line in the colour and style of the so many-th label, with markers if the points are few."""
    colour = _CURVE_COLOURS[number % len(_CURVE_COLOURS)]
    style = _CURVE_STYLES[number // len(_CURVE_COLOURS) % len(_CURVE_STYLES)]
    marker = "o" if len(x) <= 30 else None
    axes.plot(x, y, style, color=colour, label=label, linewidth=2, marker=marker, markersize=4, zorder=3)


def _draw_references(axes: Axes, references: Mapping[str, float]) -> None:
    for label, height in references.items():
        axes.axhline(height, color=_GREY, linewidth=1.4, linestyle="--", zorder=2)
        right_end: dict[str, Any] = {"xy": (1, height), "xycoords": axes.get_yaxis_transform(), "ha": "right"}
        above: dict[str, Any] = {"xytext": (-4, 3), "textcoords": "offset points", "va": "bottom"}
        axes.annotate(label, color=_GREY, fontsize=10, family=_FONT, **right_end, **above)


def _dress(axes: Axes, xlabel: str, ylabel: str) -> None:
    """Labels, grid, spines and ticks."""
    axes.set_xlabel(xlabel, fontsize=12, color=_INK, family=_FONT)
    axes.set_ylabel(ylabel, fontsize=12, color=_INK, family=_FONT)
    axes.grid(True, which="major", color=_FAINT, linewidth=0.9)
    axes.grid(True, which="minor", color=_FAINT, linewidth=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_GREY)
    axes.tick_params(which="both", color=_GREY, labelcolor=_INK, labelfontfamily=_FONT, labelsize=10.5)


def _grid_of_panels(
    path: str | Path, titles: list[str], xlabel: str, ylabel: str | Mapping[str, str], title: str
) -> tuple[Figure, list[Axes]]:
    """A figure with one pair of axes per title."""
    columns = min(len(titles), _PANEL_COLUMNS)
    rows = -(-len(titles) // columns)
    figure = _figure(path, 6.0 * columns, 3.4 * rows + 1.0)
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.12)
    all_axes = [figure.add_subplot(rows, columns, i + 1) for i in range(len(titles))]
    for axes, name in zip(all_axes, titles, strict=True):
        _dress(axes, xlabel, ylabel if isinstance(ylabel, str) else ylabel[name])
        axes.set_title(name, fontsize=12.5, color=_INK, family=_FONT, loc="left")
    if title:
        figure.suptitle(title, fontsize=15, fontweight="bold", color=_INK, family=_FONT)
    return figure, all_axes


def _legend_below(figure: Figure, all_axes: list[Axes], labels: list[str]) -> None:
    """One legend of all panels, each label once."""
    handles: dict[str, Any] = {}
    for axes in all_axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        [handles[label] for label in labels],
        labels,
        loc="outside lower center",
        ncols=min(len(labels), _LEGEND_COLUMNS + 1),
        frameon=False,
        labelcolor=_INK,
        prop={"family": _FONT, "size": 11},
    )


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


# --- heat maps --------------------------------------------------------------------------------


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
    columns = min(len(panels), _PANEL_COLUMNS)
    rows = -(-len(panels) // columns)
    figure = _figure(path, 7.0 * columns, 6.4 * rows + 0.5)
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.15)
    for i, (name, panel) in enumerate(panels.items()):
        _draw_heat_map(figure.add_subplot(rows, columns, i + 1), name, panel, values[name])
    if title:
        figure.suptitle(title, fontsize=15, fontweight="bold", color=_INK, family=_FONT)
    _save(figure, path)


def _draw_heat_map(axes: Axes, name: str, panel: HeatMap, values: np.ndarray) -> None:
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    shades = LinearSegmentedColormap.from_list("", [_FAINT_SHADE, _CURVE_COLOURS[0], _DARK_SHADE])
    norm = PowerNorm(1 if panel.cells else 0.5, float(np.nanmin(values)), float(np.nanmax(values)))
    left, right = panel.width or (0, values.shape[1])
    _dress(axes, panel.xlabel, panel.ylabel)
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
    axes.set_title(name, fontsize=12.5, color=_INK, family=_FONT, loc="left")
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
                ink = _share_of_one(text_colour((red, green, blue)))
                style: dict[str, Any] = {"ha": "center", "va": "center", "color": ink, "family": _FONT}
                axes.text(column + 0.5, row + 0.5, text, fontsize=7.5, **style)
    if panel.bars is not None:
        longest = float(np.max(panel.bars))
        beside = axes.inset_axes((1.02, 0, 0.14, 1), sharey=axes)
        _dress(beside, panel.bars_label, "")
        beside.barh(np.arange(len(values)) + 0.5, np.asarray(panel.bars), height=1, color=_GREY, linewidth=0)
        beside.grid(False)
        beside.spines["left"].set_visible(False)
        beside.set_xticks([longest], [f"{longest:.2g}"])
        beside.tick_params(axis="y", left=False, labelleft=False)


# --- points -----------------------------------------------------------------------------------


class Points(NamedTuple):
    """Points in a plane, coloured by group or by number; ``paths`` are drawn over them."""

    places: ArrayLike  # [n, 2]
    colours: Sequence[str] | ArrayLike  # [n] names of groups, or numbers
    paths: Mapping[str, ArrayLike] | None = None  # [k, 2] each, by label, from first to last


def point_panels(path: str | Path, panels: Mapping[str, Points], xlabel: str, ylabel: str, title: str = "") -> None:
    """Draws points in panels by title, two in a row, each with a legend of its groups or a bar of its numbers."""
    if not panels:
        raise ValueError("there is no panel to draw: give some as {title: Points(places, colours)}")
    figure, all_axes = _grid_of_panels(path, list(panels), xlabel, ylabel, title)
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
                axes.scatter(x, y, color=_CURVE_COLOURS[i % len(_CURVE_COLOURS)], label=group, **dots)
        else:
            x, y = places.T
            shown = axes.scatter(x, y, c=colours, cmap="viridis", **dots)
            figure.colorbar(shown, ax=axes, pad=0.02)
        for i, (label, corners) in enumerate((points.paths or {}).items()):
            x, y = np.asarray(corners, np.float64).T
            _draw_curve(axes, x, y, i, label)
        if axes.get_legend_handles_labels()[1]:
            axes.legend(
                loc="best", frameon=True, framealpha=0.85, edgecolor=_FAINT, prop={"family": _FONT, "size": 9.5}
            )
    _save(figure, path)


# --- figures ----------------------------------------------------------------------------------


def _figure(path: str | Path, width: float, height: float) -> Figure:
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


def _save(figure: Figure, path: str | Path) -> None:
    figure.savefig(Path(path), format="png", dpi=DOTS_PER_INCH, facecolor="white")
