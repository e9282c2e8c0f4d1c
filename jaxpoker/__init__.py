"""jaxpoker: poker as pure functions on arrays.

    import jax, jaxpoker

    game = jaxpoker.make("holdem", num_players=6)
    state = game.init(jax.random.key(0))
    state = game.step(state, 1)

Everything here is jittable and vmappable; importing the package starts no backend.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from jaxpoker.core import Game

_GAMES = {
    "kuhn": ("jaxpoker.games.kuhn", "Kuhn"),
    "leduc": ("jaxpoker.games.leduc", "Leduc"),
    "holdem": ("jaxpoker.games.holdem", "Holdem"),
    "chicago": ("jaxpoker.games.chicago", "Chicago"),
}
GAMES = tuple(_GAMES)
_MODULES = (
    "adapters",
    "app",
    "blocks",
    "cards",
    "charts",
    "coach",
    "core",
    "dashboard",
    "devices",
    "equity",
    "games",
    "hands",
    "learners",
    "match",
    "models",
    "players",
    "plots",
    "ranges",
    "rivals",
    "runs",
    "solvers",
    "statistics",
)

__all__ = ["GAMES", "__version__", "make", *_MODULES]


def make(name: str, **rules: Any) -> Game:
    """The game called ``name`` ("kuhn", "leduc", "holdem", "chicago") under ``rules``, the fields of its class.

    >>> make("holdem", num_players=6, menu="33%, 75%, a", stack=400)
    """
    if name not in _GAMES:
        raise ValueError(f"unknown game {name!r}: games are {', '.join(GAMES)}")
    module, cls = _GAMES[name]
    kind = getattr(importlib.import_module(module), cls)
    known = [field.name for field in dataclasses.fields(kind)]
    unknown = sorted(set(rules) - set(known))
    if unknown:
        raise ValueError(f"{name} has no rule {unknown[0]!r}: its rules are {', '.join(known) or 'all fixed'}")
    game: Game = kind(**rules)
    return game


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"jaxpoker.{name}")
    raise AttributeError(f"module 'jaxpoker' has no attribute {name!r}")
