"""Pictures as PNG files: charts of hands, curves, bars, heat maps, points, and tables with examples.

    plots.hand_grid("jam.png", jam, "SB jams at 10 BB")
    plots.hand_grid("10bb.png", {"SB": jam, "BB": call}, "10 BB", actions={"SB": ["jam"], "BB": ["call"]})
    plots.curves("cfr.png", {"CFR+": (iterations, exploitability)}, "iterations", "exploitability", log_y=True)
    plots.curve_panels("earnings.png", {"maniac": {"best": (x, y)}, "limper": {"best": (x, y)}}, "generation", "mBB")
    plots.heat_maps("buckets.png", {"flop": plots.HeatMap(histogram, "equity", "bucket")})

matplotlib draws them (the extra ``plots``).
"""

from __future__ import annotations

from jaxpoker.plots.curves import (
    Bars,
    Series,
    area_panels,
    bar_panels,
    curve_panels,
    curves,
    moving_average,
    ranked_bars,
)
from jaxpoker.plots.example_rows import ExampleRow, example_rows
from jaxpoker.plots.hand_grids import hand_grid
from jaxpoker.plots.heat_maps import HeatMap, heat_maps
from jaxpoker.plots.points import Points, point_panels

__all__ = [
    "Bars",
    "ExampleRow",
    "HeatMap",
    "Points",
    "Series",
    "area_panels",
    "bar_panels",
    "curve_panels",
    "curves",
    "example_rows",
    "hand_grid",
    "heat_maps",
    "moving_average",
    "point_panels",
    "ranked_bars",
]
