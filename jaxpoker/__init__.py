"""jaxpoker: poker as pure functions on arrays.

    import jax, jaxpoker

    game = jaxpoker.make("holdem", num_players=6)
    state = game.init(jax.random.key(0))
    state = game.step(state, 1)

Everything here is jittable and vmappable; importing the package starts no backend.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxpoker.registry import Entry, Maker, Registry, resolve

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from jaxpoker import (
        adapters,
        aivat,
        app,
        arguments,
        blocks,
        cards,
        charts,
        coach,
        core,
        dashboard,
        devices,
        equity,
        errors,
        files,
        games,
        hands,
        icm,
        learners,
        match,
        models,
        players,
        plots,
        ranges,
        registry,
        rivals,
        runs,
        solvers,
        statistics,
        studies,
    )
    from jaxpoker.core import Game

    GAMES: tuple[str, ...]  # names of all games, yours included

# Modules are imported when somebody asks for them, see ``__getattr__``; type checkers know them from the imports above.
__all__ = [
    "GAMES",
    "__version__",
    "adapters",
    "aivat",
    "app",
    "arguments",
    "blocks",
    "cards",
    "charts",
    "coach",
    "core",
    "dashboard",
    "devices",
    "equity",
    "errors",
    "files",
    "games",
    "hands",
    "icm",
    "learners",
    "make",
    "match",
    "models",
    "players",
    "plots",
    "ranges",
    "register",
    "registry",
    "rivals",
    "runs",
    "solvers",
    "statistics",
    "studies",
]

_GAMES = Registry(
    "game",
    {
        "kuhn": Entry("jaxpoker.games.kuhn:Kuhn"),
        "leduc": Entry("jaxpoker.games.many_leduc:leduc_for"),
        "holdem": Entry("jaxpoker.games.holdem:Holdem"),
        "chicago": Entry("jaxpoker.games.chicago:Chicago"),
    },
)


def make(name: str, **rules: Any) -> Game:
    """The game called ``name`` ("kuhn", "leduc", "holdem", "chicago", or your own) under ``rules``.

    Rules are the fields of the game's class. ``register`` adds games.

    >>> import jaxpoker
    >>> jaxpoker.make("kuhn", num_players=3)
    Kuhn(num_players=3)
    >>> jaxpoker.make("holdem", num_players=6, menu="33%, 75%, a", stack=400).num_actions  # fold, call, three sizes
    5
    >>> jaxpoker.make("kuhn", stack=400)
    Traceback (most recent call last):
    ValueError: kuhn has no rule 'stack': its rules are num_players
    """
    entry = _GAMES.get(name) if isinstance(name, str) else None
    if entry is None:
        raise ValueError(f"unknown game {name!r}: games are {', '.join(_GAMES.names())}")
    kind = resolve(entry.make)
    parameters = inspect.signature(kind).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    known = list(parameters)
    unknown = [] if takes_any else sorted(set(rules) - set(known))
    if unknown:
        raise ValueError(f"{name} has no rule {unknown[0]!r}: its rules are {', '.join(known) or 'all fixed'}")
    game: Game = kind(**rules)
    return game


def register(name: str, make: Maker, plays: str | Sequence[str] | None = None) -> None:
    """Gives a game or, with ``plays``, a player a name.

    A game: ``make(**rules)`` is its class or a function; ``jaxpoker.make(name, **rules)`` then makes it. Its own
    ``name`` decides who plays it.

    A player: ``plays`` names the games that it plays, its usual one first. ``make(game)`` returns a ``Player``, or an
    ``Entrant``, who has params. ``players.make``, ``players.entrant`` and ``players.names`` then find it, and so do
    the experiments and the page. Capitals do not matter.

    ``make`` may be a text "module:function" that is imported when somebody asks for the name.

    >>> import jaxpoker
    >>> from jaxpoker import games, players
    >>> jaxpoker.register("short stacks", lambda num_players=2: games.Holdem(num_players, stack=20))
    >>> jaxpoker.make("short stacks", num_players=3).stack
    20
    >>> jaxpoker.register("station", "jaxpoker.players.rules:call", plays="holdem")
    >>> "station" in players.names("holdem")
    True
    """
    if plays is None:
        _GAMES.add(name, Entry(make))
    else:
        pkgutil.resolve_name("jaxpoker.players.registry:register")(name, make, plays)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "GAMES":
            return _GAMES.names()
        if name in __all__:
            return importlib.import_module(f"jaxpoker.{name}")
        raise AttributeError(f"module 'jaxpoker' has no attribute {name!r}")
