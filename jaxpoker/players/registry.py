"""All players by name, and those that runs left in files: one registry for matches, experiments, page and terminal.

    players.make("tag")                        the player
    players.entrant("dqn")                     the player and its params, None for those that need none
    players.entrant("runs/evolve/full")        the player that a run made
    players.names("holdem")                    who plays that game

A player without a game is one for its usual game.
"""

from __future__ import annotations

import functools
import importlib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import jaxpoker
from jaxpoker import core
from jaxpoker.errors import RunError
from jaxpoker.models import pokernet
from jaxpoker.players import chicago, networks, opponents, rules, saved_networks, styles
from jaxpoker.players.contract import Entrant, Player
from jaxpoker.players.saved_networks import NETWORK_FILE, SavedNetwork

CHAMPION_FILE, BLUEPRINT_FILE = "champion.npy", "blueprint.zip"  # in the folders of evolve and solve runs


class Known(NamedTuple):
    """A player that has a name."""

    load: Callable[[Any], Entrant]  # the game -> who plays it
    games: tuple[str, ...]  # that it plays, by their names; the first when none is given
    any_game: bool = False  # it plays others, too


def _rule(make: Callable[[Any], Player], *games: str, any_game: bool = False) -> Known:
    return Known(functools.cache(lambda game: Entrant(make(game))), games, any_game)


def _network(file: str, name: str, game: str) -> Known:
    """One of ``saved_networks.SHIPPED``."""
    return Known(lambda game: _of_network(saved_networks.load_shipped(file), game, file, name), (game,))


def _of_network(saved: SavedNetwork, game: core.Game, file: str | Path, name: str) -> Entrant:
    if saved.game != game.name:
        raise RunError(f"the network in {file} plays {saved.game}, not {game.name}: take one that learned {game.name}")
    return Entrant(saved.player(name), saved.params)


def _blueprint(file: Path | None) -> Entrant:
    """The solved strategy in ``file``, or the one that comes along."""
    blueprints = _solver("blueprint")
    solved = blueprints.load_shipped() if file is None else blueprints.load(file)
    return Entrant(blueprints.as_player(solved), solved.params)


def _equilibrium(game: core.Game) -> Entrant:
    return _solver("equilibrium").of(game)


def _solver(module: str) -> Any:
    """Solvers stand on players: they are imported when somebody asks for what they solved."""
    return importlib.import_module(f"jaxpoker.solvers.{module}")


_HOLDEM, _CHICAGO, _SOLVABLE = "holdem", "chicago", ("leduc", "kuhn")
KNOWN = {
    "random": _rule(rules.random, _HOLDEM, _CHICAGO, *_SOLVABLE, any_game=True),
    "call": _rule(rules.call, _HOLDEM),
    "check-fold": _rule(rules.check_fold, _HOLDEM),
    "min-raise": _rule(rules.min_raise, _HOLDEM),
    "raise": _rule(opponents.min_raise, _HOLDEM),
    "smart": _rule(opponents.smart, _HOLDEM),
    "scared limper": _rule(opponents.scared_limper, _HOLDEM),
    "calling machine": _rule(opponents.calling_machine, _HOLDEM),
    "hothead maniac": _rule(opponents.hothead_maniac, _HOLDEM),
    "candid statistician": _rule(opponents.candid_statistician, _HOLDEM),
    "random switcher": _rule(opponents.random_switcher, _HOLDEM),
    "tag": _rule(styles.tag, _HOLDEM),
    "lag": _rule(styles.lag, _HOLDEM),
    "blueprint": Known(lambda game: _blueprint(None), (_HOLDEM,)),
    "dqn": _network("qnet", "dqn", _HOLDEM),
    "ppo": _network("sizednet", "ppo", _HOLDEM),
    "regular": _rule(chicago.regular, _CHICAGO),
    "chicagonet": _network("chicagonet", "chicagonet", _CHICAGO),
    "equilibrium": Known(_equilibrium, _SOLVABLE),
}


def names(game: str | None = None) -> tuple[str, ...]:
    """The players who play the game of that name; all of them when None."""
    return tuple(name for name, known in KNOWN.items() if game is None or known.any_game or game in known.games)


def make(name: str, game: core.Game | None = None) -> Player:
    """The player called ``name`` for ``game``; its usual game when None. ``entrant`` has its params as well."""
    return entrant(name, game).player


def entrant(name: str, game: core.Game | None = None) -> Entrant:
    """The player called ``name`` with its params, or the one in a file: the folder of a run, or the file itself.

    A rule player is the same one every time, so that nothing compiles twice.
    """
    known = KNOWN.get(name.strip().lower())
    if known is None:
        if Path(name).exists():
            return in_file(Path(name), game)
        known_here = ", ".join(names(None if game is None else game.name))
        raise ValueError(f"unknown player {name!r}: players are {known_here}; or name the folder of a run")
    if game is None:
        game = jaxpoker.make(known.games[0])
    elif game.name not in known.games and not known.any_game:
        others = ", ".join(names(game.name))
        raise ValueError(f"player {name!r} plays {', '.join(known.games)}, not {game.name}: {game.name} has {others}")
    return known.load(game)


def file_of(path: Path) -> Path:
    """The file with a player at ``path``, which is it or the folder of a run that made one."""
    for made in FILES:
        for file in (path, path / made):
            if file.is_file() and file.suffix == Path(made).suffix:
                return file
    raise RunError(f"no player in {path}: runs that have ended hold {', '.join(FILES)}")


def in_file(path: Path, game: core.Game | None = None) -> Entrant:
    """The player that a run of solve, evolve, reinforce, dqn, ppo or belief made."""
    file = file_of(path)
    load = next(load for made, load in FILES.items() if Path(made).suffix == file.suffix)
    return load(file, game)


def _saved(file: Path, game: core.Game | None) -> Entrant:
    saved = saved_networks.load(file)
    return _of_network(saved, game or jaxpoker.make(saved.game), file, "network")


def _solved(file: Path, game: core.Game | None) -> Entrant:
    _plays_holdem(file, game)
    return _blueprint(file)


def _champion(file: Path, game: core.Game | None) -> Entrant:
    """The PokerNet whose genome is in ``file``."""
    _plays_holdem(file, game)
    try:
        params = pokernet.params_of(np.load(file, allow_pickle=False))
    except (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise RunError(f"{file} is no genome of a PokerNet, or damaged ({error}): an evolve run writes it") from error
    return Entrant(networks.pokernet("champion"), params)


def _plays_holdem(file: Path, game: core.Game | None) -> None:
    if game is not None and game.name != _HOLDEM:
        raise RunError(f"the player in {file} plays {_HOLDEM}, not {game.name}")


FILES = {BLUEPRINT_FILE: _solved, CHAMPION_FILE: _champion, NETWORK_FILE: _saved}
