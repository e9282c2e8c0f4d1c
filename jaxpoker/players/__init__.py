"""Players: one interface for rule bots, networks, solved tables and search."""

from __future__ import annotations

from jaxpoker import core
from jaxpoker.games.holdem import Holdem
from jaxpoker.players import rules
from jaxpoker.players.contract import Player, check, from_policy, on_menu, require_policy

__all__ = ["NAMES", "Player", "check", "from_policy", "make", "on_menu", "require_policy"]

_MAKERS = {
    "random": rules.random,
    "call": rules.call,
    "check-fold": rules.check_fold,
    "min-raise": rules.min_raise,
}
_ANY_GAME = {"random"}
NAMES = tuple(_MAKERS)


def make(name: str, game: core.Game) -> Player:
    """The rule player called ``name``, for ``game``."""
    if name not in _MAKERS:
        raise ValueError(f"unknown player {name!r}: players are {', '.join(NAMES)}")
    if name not in _ANY_GAME and not isinstance(game, Holdem):
        raise ValueError(f"player {name!r} plays hold'em, not {game.name}: in {game.name} there is {sorted(_ANY_GAME)}")
    return _MAKERS[name](game)
