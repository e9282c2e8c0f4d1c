"""The pictures of a run over many flops (the extra ``plots``)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from jaxpoker import cards, plots
from jaxpoker.plots import HeatMap
from jaxpoker.studies.flops import report
from jaxpoker.studies.flops.chosen import Chosen
from jaxpoker.studies.flops.facts import Facts, Layout

MOST_FLOPS = 60  # rows of the picture of single flops


def draw(folder: Path, chosen: Chosen, facts: Facts, layout: Layout) -> None:
    """What is done and won by texture, flop by flop, and by turn card."""
    figures = report.figures_of_flops(facts, layout)
    groups = report.by_texture(chosen, figures)
    names = [f"{group.name} ({100 * group.share:.0f}%)" for group in groups]
    values = np.array([list(group.figures.values()) for group in groups])
    _panels(folder / "textures.png", "By texture, mean of the flops", names, list(figures), values)
    order = np.argsort(-figures[next(iter(figures))], kind="stable")[:MOST_FLOPS]
    boards = [cards.text(chosen.boards[flop]) for flop in order]
    by_flop = np.stack(list(figures.values()), axis=1)[order]
    _panels(folder / "flops.png", "Flop by flop, the best for OOP first", boards, list(figures), by_flop)
    of_cards = report.by_turn_card(chosen, facts, layout)
    panels = {}
    for line in report.lines_shown(facts, layout):
        here = [of for of in of_cards if of.line == line]
        if here:
            rows = [f"{of.kind} ({100 * of.share:.0f}%)" for of in here]
            of_line = np.array([list(of.figures.values()) for of in here])
            panels[f"Turn after {line}"] = _map(rows, list(here[0].figures), of_line)
    if panels:
        plots.heat_maps(folder / "turn_cards.png", panels, "What the turn card changes")


def _panels(path: Path, title: str, rows: list[str], columns: list[str], values: np.ndarray) -> None:
    plots.heat_maps(path, {title: _map(rows, columns, values)})


def _map(rows: list[str], columns: list[str], values: np.ndarray) -> HeatMap:
    cells = [[f"{value:.1f}" for value in row] for row in values]
    return HeatMap(values, rows=rows, columns=columns, cells=cells)
