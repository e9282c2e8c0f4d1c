"""Players: one interface for rule bots, networks, solved tables and search."""

from __future__ import annotations

import functools

from jaxpoker import core
from jaxpoker.games.holdem import Holdem
from jaxpoker.players import rules
from jaxpoker.players.contract import Player, check, from_policy, on_menu, require_policy

__all__ = ["NAMES", "Player", "check", "from_policy", "make", "on_menu", "require_policy"]

_ANY_GAME = {"random": rules.random}
_HOLDEM = {"call": rules.call, "check-fold": rules.check_fold, "min-raise": rules.min_raise}
NAMES = (*_ANY_GAME, *_HOLDEM)


@functools.cache
def make(name: str, game: core.Game) -> Player:
    """The rule player called ``name``, for ``game``: the same one every time, so that nothing compiles twice."""
    if name not in NAMES:
        raise ValueError(f"unknown player {name!r}: players are {', '.join(NAMES)}")
    if name in _ANY_GAME:
        return _ANY_GAME[name](game)
    if not isinstance(game, Holdem):
        raise ValueError(f"player {name!r} plays hold'em, not {game.name}: {game.name} has {', '.join(_ANY_GAME)}")
    return _HOLDEM[name](game)
