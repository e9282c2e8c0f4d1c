"""Solved spots for people: lines in words, charts and tables of a node, and spots made from a blueprint's line.

from jaxpoker.solvers import spots, subgame

solved = subgame.load("runs/spot/NAME/solved.spot")
node = spots.find(solved, "check, bet 66, call; 7h; check")
print(spots.as_csv(solved, node))
"""

from __future__ import annotations

from jaxpoker.solvers.spots.charts import as_csv, as_json
from jaxpoker.solvers.spots.from_blueprint import from_blueprint
from jaxpoker.solvers.spots.words import action_names, find

__all__ = ["action_names", "as_csv", "as_json", "find", "from_blueprint"]
