"""All players by name, and those that runs left in files: one registry for matches, experiments, page and terminal.

    players.make("tag")                        the player
    players.entrant("dqn")                     the player and its params, None for those that need none
    players.entrant("runs/evolve/full")        the player that a run made
    players.names("holdem")                    who plays that game

A player without a game is one for its usual game. ``jaxpoker.register`` adds players.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax.numpy as jnp

import jaxpoker
from jaxpoker import core
from jaxpoker.errors import RunError
from jaxpoker.files import archives
from jaxpoker.models import pokernet
from jaxpoker.players import chicago, exploiters, networks, opponents, rules, saved_networks, styles
from jaxpoker.players.contract import Entrant, Player
from jaxpoker.players.saved_networks import NETWORK_FILE, SavedNetwork
from jaxpoker.registry import Entry, Maker, Registry, resolve

MOST_GENOME = archives.MB  # bytes of a champion's file
CHAMPION_FILE, BLUEPRINT_FILE = "champion.npy", "blueprint.zip"  # in the folders of evolve and solve runs


def _network(file: str, name: str) -> Callable[[Any], Entrant]:
    """One of ``saved_networks.SHIPPED``."""
    return lambda game: _of_network(saved_networks.load_shipped(file), game, file, name)


def _exploiter(name: str) -> Callable[[Any], Entrant]:
    """One of ``exploiters.GALLERY``."""
    return lambda game: exploiters.entrant(name)


def _of_network(saved: SavedNetwork, game: core.Game, file: str | Path, name: str) -> Entrant:
    if saved.game != game.name:
        raise RunError(f"the network in {file} plays {saved.game}, not {game.name}: take one that learned {game.name}")
    return Entrant(saved.player(name), saved.params)


_HOLDEM, _CHICAGO, _SOLVABLE = ("holdem",), ("chicago",), ("leduc", "kuhn")
PLAYERS = Registry(
    "player",
    {
        "random": Entry(rules.random, (*_HOLDEM, *_CHICAGO, *_SOLVABLE), plays_any=True),
        "call": Entry(rules.call, _HOLDEM),
        "check-fold": Entry(rules.check_fold, _HOLDEM),
        "min-raise": Entry(rules.min_raise, _HOLDEM),
        "raise": Entry(opponents.min_raise, _HOLDEM),
        "smart": Entry(opponents.smart, _HOLDEM),
        "scared limper": Entry(opponents.scared_limper, _HOLDEM),
        "calling machine": Entry(opponents.calling_machine, _HOLDEM),
        "hothead maniac": Entry(opponents.hothead_maniac, _HOLDEM),
        "candid statistician": Entry(opponents.candid_statistician, _HOLDEM),
        "random switcher": Entry(opponents.random_switcher, _HOLDEM),
        "tag": Entry(styles.tag, _HOLDEM),
        "lag": Entry(styles.lag, _HOLDEM),
        "blueprint": Entry("jaxpoker.solvers.blueprint.player:shipped", _HOLDEM),
        "dqn": Entry(_network("qnet", "dqn"), _HOLDEM),
        "ppo": Entry(_network("sizednet", "ppo"), _HOLDEM),
        "regular": Entry(chicago.regular, _CHICAGO),
        "chicagonet": Entry(_network("chicagonet", "chicagonet"), _CHICAGO),
        "equilibrium": Entry("jaxpoker.solvers.exact.equilibrium:entrant", _SOLVABLE),
        **{name: Entry(_exploiter(name), _HOLDEM, listed=False) for name in exploiters.GALLERY},
    },
)
_SAME: dict[tuple[Maker, core.Game], Entrant] = {}  # players without params that were asked for


def register(name: str, make: Maker, plays: str | Sequence[str]) -> None:
    """``jaxpoker.register`` of a player."""
    games = (plays,) if isinstance(plays, str) else tuple(plays)
    if not games:
        raise ValueError(f"player {name!r} plays no game: name one or more")
    PLAYERS.add(_plain(name), Entry(make, games))


def _plain(name: str) -> str:
    return name.strip().lower()


def names(game: str | None = None) -> tuple[str, ...]:
    """The players who play the game of that name; all of them when None. ``players.EXPLOITERS`` are not among them.

    >>> from jaxpoker import players
    >>> players.names("chicago")
    ('random', 'regular', 'chicagonet')
    """
    return PLAYERS.names(game)


def make(name: str, game: core.Game | None = None) -> Player:
    """The player called ``name`` for ``game``; its usual game when None. ``entrant`` has its params as well.

    >>> import jaxpoker
    >>> from jaxpoker import players
    >>> players.make("tag").name
    'tag'
    >>> players.make("tag", jaxpoker.make("leduc"))
    Traceback (most recent call last):
    ValueError: player 'tag' plays holdem, not leduc: leduc has random, equilibrium
    """
    return entrant(name, game).player


def entrant(name: str, game: core.Game | None = None) -> Entrant:
    """The player called ``name`` with its params, or the one in a file: the folder of a run, or the file itself.

    A rule player is the same one every time, so that nothing compiles twice.
    """
    known = PLAYERS.get(_plain(name))
    if known is None:
        if os.path.exists(name):  # False, too, for what cannot be a path
            return in_file(Path(name), game)
        known_here = ", ".join(names(None if game is None else game.name))
        raise ValueError(f"unknown player {name!r}: players are {known_here}; or name the folder of a run")
    if game is None:
        game = jaxpoker.make(known.plays[0])
    elif not known.plays_game(game.name):
        others = ", ".join(names(game.name))
        raise ValueError(f"player {name!r} plays {', '.join(known.plays)}, not {game.name}: {game.name} has {others}")
    return _made(known.make, game)


def _made(make: Maker, game: core.Game) -> Entrant:
    if (make, game) in _SAME:
        return _SAME[make, game]
    made = resolve(make)(game)
    if isinstance(made, Entrant):
        return made
    if not isinstance(made, Player):
        raise TypeError(f"{make!r} made {made!r} for {game.name}: it must return a Player or an Entrant")
    return _SAME.setdefault((make, game), Entrant(made))


def file_of(path: Path) -> Path:
    """The file with a player at ``path``, which is it or the folder of a run that made one."""
    for made in FILES:
        for file in (path, path / made):
            if file.is_file() and file.suffix == Path(made).suffix:
                return file
    raise RunError(f"no player in {path}: runs that have ended hold {', '.join(FILES)}")


def in_file(path: Path, game: core.Game | None = None) -> Entrant:
    """The player that a run of solve, evolve, reinforce, dqn, ppo, belief or respond made."""
    file = file_of(path)
    load = next(load for made, load in FILES.items() if Path(made).suffix == file.suffix)
    return load(file, game)


def _saved(file: Path, game: core.Game | None) -> Entrant:
    saved = saved_networks.load(file)
    return _of_network(saved, game or jaxpoker.make(saved.game), file, "network")


def _solved(file: Path, game: core.Game | None) -> Entrant:
    _plays_holdem(file, game)
    entrant: Entrant = resolve("jaxpoker.solvers.blueprint.player:in_file")(file)
    return entrant


def _champion(file: Path, game: core.Game | None) -> Entrant:
    """The PokerNet whose genome is in ``file``."""
    _plays_holdem(file, game)
    try:
        genome = archives.array(file, MOST_GENOME)
        if genome.shape != (pokernet.GENOME_SIZE,) or not saved_networks.are_finite_floats(genome):
            raise archives.Damaged(f"{genome.dtype}{list(genome.shape)}, not {pokernet.GENOME_SIZE:,} finite floats")
    except (OSError, archives.Damaged) as error:
        raise RunError(f"{file} is no genome of a PokerNet, or damaged ({error}): an evolve run writes it") from error
    return Entrant(networks.pokernet("champion"), pokernet.params_of(jnp.asarray(genome, jnp.float32)))


def _plays_holdem(file: Path, game: core.Game | None) -> None:
    if game is not None and game.name not in _HOLDEM:
        raise RunError(f"the player in {file} plays {', '.join(_HOLDEM)}, not {game.name}")


FILES = {BLUEPRINT_FILE: _solved, CHAMPION_FILE: _champion, NETWORK_FILE: _saved}
