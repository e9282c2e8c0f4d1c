"""Solved spots in use: lines in words, charts of a node, spots from a blueprint's line, a spot that plays itself.

from jaxpoker.solvers import spots

solved = spots.load("runs/spot/NAME/solved.spot")
node = spots.find(solved, "check, bet 66, call; 7h; check")
print(spots.as_csv(solved, node))
"""

from __future__ import annotations

from jaxpoker.solvers.spots.blueprint_lines import from_blueprint
from jaxpoker.solvers.spots.charts import as_csv, as_json
from jaxpoker.solvers.spots.loading import load
from jaxpoker.solvers.spots.player import entrant
from jaxpoker.solvers.spots.table import SpotTable, table_of
from jaxpoker.solvers.spots.words import action_names, find

__all__ = ["SpotTable", "action_names", "as_csv", "as_json", "entrant", "find", "from_blueprint", "load", "table_of"]
