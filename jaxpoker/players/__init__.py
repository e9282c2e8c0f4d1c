"""Players: one interface for rule bots, networks, solved tables and search."""

from __future__ import annotations

import functools

from jaxpoker import core
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.holdem import Holdem
from jaxpoker.players import chicago, opponents, rules, styles
from jaxpoker.players.contract import Player, check, from_policy, on_menu, one_of, require_policy
from jaxpoker.players.knowledge import win_probability
from jaxpoker.players.opponents import FAMILIES

__all__ = [
    "FAMILIES",
    "NAMES",
    "OPPONENTS",
    "STYLES",
    "Player",
    "check",
    "from_policy",
    "make",
    "on_menu",
    "one_of",
    "require_policy",
    "win_probability",
]

_ANY_GAME = {"random": rules.random}
_HOLDEM = {"call": rules.call, "check-fold": rules.check_fold, "min-raise": rules.min_raise}
_HOLDEM_OPPONENTS = {
    "raise": opponents.min_raise,
    "smart": opponents.smart,
    "scared limper": opponents.scared_limper,
    "calling machine": opponents.calling_machine,
    "hothead maniac": opponents.hothead_maniac,
    "candid statistician": opponents.candid_statistician,
    "random switcher": opponents.random_switcher,
}
_HOLDEM_STYLES = {"tag": styles.tag, "lag": styles.lag}
_CHICAGO = {"regular": chicago.regular}
NAMES = (*_ANY_GAME, *_HOLDEM)  # the simple ones
OPPONENTS = (*FAMILIES["seed"], *FAMILIES["paper"], "random switcher")  # those of the neuroevolution experiment
STYLES = tuple(_HOLDEM_STYLES)  # by hand alone, tight and loose


@functools.cache
def make(name: str, game: core.Game) -> Player:
    """The rule player called ``name``, for ``game``: the same one every time, so that nothing compiles twice."""
    if name in _ANY_GAME:
        return _ANY_GAME[name](game)
    in_holdem = _HOLDEM | _HOLDEM_OPPONENTS | _HOLDEM_STYLES
    if name not in in_holdem | _CHICAGO:
        raise ValueError(f"unknown player {name!r}: players are {', '.join((*_ANY_GAME, *in_holdem, *_CHICAGO))}")
    if isinstance(game, Holdem) and name in in_holdem:
        return in_holdem[name](game)
    if isinstance(game, Chicago) and name in _CHICAGO:
        return _CHICAGO[name](game)
    plays = "hold'em" if name in in_holdem else "Chicago"
    own = [
        *_ANY_GAME,
        *(in_holdem if isinstance(game, Holdem) else ()),
        *(_CHICAGO if isinstance(game, Chicago) else ()),
    ]
    raise ValueError(f"player {name!r} plays {plays}, not {game.name}: {game.name} has {', '.join(own)}")
