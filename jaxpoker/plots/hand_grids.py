"""The 13 x 13 chart of starting hands as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jaxpoker import ranges
from jaxpoker.charts import NOTHING, Colour, Mix, as_mix, percent, text_colour
from jaxpoker.plots import figures
from jaxpoker.plots.figures import FONT, INK, LEGEND_COLUMNS, share_of_one

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PANEL = 6.5  # inches
_MARGIN = 0.3
_LEGEND_WIDTH, _LEGEND_GAP = 78, 5  # letters below a panel, and those that a column takes beside its text


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
        return max(min(len(self.legend), LEGEND_COLUMNS, _LEGEND_WIDTH // (longest + _LEGEND_GAP)), 1)


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
    figure = figures.empty(path, width, height)
    for i, panel in enumerate(panels):
        left = _MARGIN + i * (_PANEL + _MARGIN)
        _draw_panel(figure.add_axes((left / width, below / height, _PANEL / width, _PANEL / height)), panel)
    if title:
        place: dict[str, Any] = {"x": 0.5, "y": 1 - (_MARGIN + 0.1) / height, "ha": "center", "va": "center"}
        figure.text(s=title, fontsize=17, fontweight="bold", color=INK, family=FONT, **place)
    figures.save(figure, path)


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
                shades.append(share_of_one(colour))
            left += width
        _label_cell(axes, row, column, frequencies, colours)
    axes.add_collection(PatchCollection(cells, facecolors=shades, edgecolors="none", antialiaseds=False))
    for edge in range(1, 13):
        axes.plot([0, 13], [edge, edge], color="white", linewidth=1.2)
        axes.plot([edge, edge], [0, 13], color="white", linewidth=1.2)
    axes.set(xlim=(0, 13), ylim=(13, 0))
    axes.set_axis_off()
    if panel.title:
        axes.set_title(panel.title, fontsize=14, color=INK, family=FONT, pad=8)
    axes.legend(
        handles=[Patch(facecolor=share_of_one(colour), label=label) for label, colour in panel.legend],
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=panel.legend_columns,
        frameon=False,
        labelcolor=INK,
        prop={"family": FONT, "size": 11.5},
        handlelength=1.1,
        handleheight=1.1,
        columnspacing=1.6,
    )


def _label_cell(axes: Axes, row: int, column: int, frequencies: np.ndarray, colours: tuple[Colour, ...]) -> None:
    """The hand's name, and for a hand that mixes the percentage of its most frequent action."""
    most = float(frequencies.max())
    mixed = percent(most) not in (".", "100")
    red, green, blue = [*frequencies, 1 - frequencies.sum()] @ np.asarray([*colours, NOTHING])  # the cell's mean colour
    ink = share_of_one(text_colour((red, green, blue)))
    style: dict[str, Any] = {"ha": "center", "va": "center", "color": ink, "family": FONT, "zorder": 3}
    name = ranges.CLASS_NAMES[13 * row + column]
    axes.text(column + 0.5, row + (0.37 if mixed else 0.52), name, fontsize=11, **style)
    if mixed:
        axes.text(column + 0.5, row + 0.73, f"{percent(most)}%", fontsize=7.5, **style)
