"""Pictures of tables: any state of any game as SVG, many of them as a grid, a game as an animation.

pictures.svg(state)                         # text; states show it by themselves in a notebook
pictures.svg(states)                        # of a batch: a grid of the first sixteen
pictures.svg(state, seen_by=0)              # the others' cards face down
pictures.animation([first, second, last])   # a table that plays by itself, in any browser
pictures.save(state, "table.svg")
"""

from __future__ import annotations

from jaxpoker.games.pictures.making import animation, save, svg
from jaxpoker.games.pictures.view import SeatView, TableView

__all__ = ["SeatView", "TableView", "animation", "save", "svg"]
