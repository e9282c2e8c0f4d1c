"""Blueprints: solved hold'em over a card abstraction, to look up, to keep and to play.

    from jaxpoker.solvers import blueprint

    solved = blueprint.load_shipped()
    solved.mix(0, "AhKh")

The README beside this says which file to open first.
"""

from __future__ import annotations

from jaxpoker.solvers.blueprint.blueprint import SHIPPED, Blueprint, InfoSet, load, load_shipped
from jaxpoker.solvers.blueprint.player import as_player, entrant

__all__ = ["SHIPPED", "Blueprint", "InfoSet", "as_player", "entrant", "load", "load_shipped"]
