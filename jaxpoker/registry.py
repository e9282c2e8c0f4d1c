"""Names of games and players: the one mechanism behind ``jaxpoker.make``, ``players.make`` and ``jaxpoker.register``.

An entry says how the named thing is made: by a callable, or by a text "module:function". A text is imported when
somebody asks for the name. So a name costs nothing until then, and it may stand for a module that itself needs the
registry: solvers stand on players, and the players' registry names some of what they solved.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Maker = Callable[..., Any] | str  # what makes a thing, or "module:function", where to find that


def resolve(make: Maker) -> Callable[..., Any]:
    """The callable that ``make`` is or names."""
    if not isinstance(make, str):
        return make
    try:
        found: Callable[..., Any] = pkgutil.resolve_name(make)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"nothing to import at {make!r} ({error}): write 'module:function'") from error
    return found


class Entry(NamedTuple):
    """How a thing that has a name is made."""

    make: Maker
    plays: tuple[str, ...] = ()  # of a player: names of the games that it plays, its usual one first
    plays_any: bool = False  # of a player: it plays all other games, too
    listed: bool = True  # ``names`` has it

    def plays_game(self, game: str) -> bool:
        return self.plays_any or game in self.plays


class Registry:
    """Entries by name, in the order in which they came."""

    def __init__(self, kind: str, entries: Mapping[str, Entry]) -> None:
        self.kind = kind  # "game", "player": what errors call an entry
        self._entries = dict(entries)

    def add(self, name: str, entry: Entry) -> None:
        """Adds an entry; the same one a second time changes nothing, another one under its name is refused."""
        if isinstance(entry.make, str) and not all(entry.make.partition(":")):
            raise ValueError(f"{self.kind} {name!r} is made by {entry.make!r}: write a callable or 'module:function'")
        if self._entries.setdefault(name, entry) != entry:
            raise ValueError(f"the name {name!r} is taken by another {self.kind}: choose a name of your own")

    def get(self, name: str) -> Entry | None:
        return self._entries.get(name)

    def names(self, plays: str | None = None) -> tuple[str, ...]:
        """All names that are listed; only of those who play the game called ``plays``, if that is given."""
        listed = {name: entry for name, entry in self._entries.items() if entry.listed}
        return tuple(name for name, entry in listed.items() if plays is None or entry.plays_game(plays))
