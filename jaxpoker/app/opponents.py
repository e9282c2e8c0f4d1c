"""Who can be played against: all that come with the package, and players in files.

An entry of ``SHIPPED`` is an opponent, on the page as in the terminal; one of ``FILES`` a kind of file with players.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxpoker import players
from jaxpoker.coach import PlayerModel, of_blueprint, of_player, shipped
from jaxpoker.games.holdem import Holdem
from jaxpoker.models import pokernet
from jaxpoker.players import networks, saved_networks
from jaxpoker.players.knowledge import WIN_SAMPLES
from jaxpoker.runs.errors import RunError
from jaxpoker.solvers import blueprint


class Opponent(NamedTuple):
    """One who can be played against; ``load`` makes its model when somebody wants to."""

    name: str  # "tag"
    title: str  # "TAG"
    about: str  # who that is
    profile: str  # what to do about it; the coach says so
    load: Callable[[Holdem], PlayerModel]

    def model(self, game: Holdem) -> PlayerModel:
        return self.load(game)._replace(title=self.title, profile=self.profile)


def _rule(name: str, title: str, about: str, profile: str, win_samples: int = 0) -> Opponent:
    """A player of ``players.make``; one who asks for its win probability has ``win_samples``."""
    return Opponent(
        name, title, about, profile, lambda game: of_player(players.make(name, game), game, win_samples=win_samples)
    )


SHIPPED = (
    Opponent(
        "blueprint",
        "Blueprint",
        "Solved for 100 big blinds; bluffs and calls in proportion",
        "it is close to balanced, so play sound poker: there is little to exploit in a single spot.",
        lambda game: shipped(),
    ),
    Opponent(
        "dqn",
        "DQN",
        "A network that learned what nine actions are worth",
        "it always takes what it thinks is best, so look for spots where it folds, or calls, too much.",
        lambda game: _network(saved_networks.load_shipped("qnet"), game, "dqn"),
    ),
    Opponent(
        "ppo",
        "PPO",
        "A network that names any number of chips",
        "the sizes of its bets give its hand away, so remember what it showed after which size.",
        lambda game: _network(saved_networks.load_shipped("sizednet"), game, "ppo"),
    ),
    _rule(
        "tag",
        "TAG",
        "Tight-aggressive: a fifth of all hands, bets what hits, never bluffs",
        "it never bluffs, so fold to its bets without a strong hand, and take the pots that it checks.",
    ),
    _rule(
        "lag",
        "LAG",
        "Loose-aggressive: most hands, bets often, bluffs too much",
        "it bluffs too much, so call with middling hands and let it bet; bluff it rarely.",
    ),
    _rule(
        "smart",
        "Smart",
        "Plays by starting hand and win probability, and bets by chance",
        "it goes on with good hands only, so steal small pots and believe its big bets.",
        WIN_SAMPLES,
    ),
    _rule(
        "candid statistician",
        "Candid Statistician",
        "Bets exactly what its hand is worth",
        "the size of its bet tells its hand, so fold to big bets and attack checks.",
        WIN_SAMPLES,
    ),
    _rule(
        "hothead maniac",
        "Hothead Maniac",
        "Raises the pot at every decision",
        "it raises anything, so wait for a good hand and let it put the money in.",
    ),
    _rule(
        "calling machine",
        "Calling Machine",
        "Never folds, never raises",
        "it calls everything, so bet good hands big and never bluff.",
    ),
    _rule("scared limper", "Scared Limper", "Limps, and folds to any bet", "it folds to every bet, so bet every hand."),
    _rule("random", "Random", "Any legal action, each as likely", "it bets without a reason, so value bets win most."),
)


def named(name: str) -> Opponent:
    """The opponent of that name, or the one in a file: the folder of a run, or the file itself."""
    for opponent in SHIPPED:
        if opponent.name == name.lower().strip():
            return opponent
    path = Path(name)
    known = ", ".join(opponent.name for opponent in SHIPPED)
    if not path.exists():
        raise RunError(f"unknown opponent {name!r}: play {known}, or the folder of a solve, evolve, dqn or ppo run")
    for name, (about, load) in FILES.items():
        for file in (path, path / name):
            if file.is_file() and file.suffix == Path(name).suffix:
                return Opponent(str(path), path.stem, f"{about}, {file}", "", functools.partial(load, file))
    raise RunError(f"no player in {path}: runs that have ended hold {', '.join(FILES)}")


def _solved(file: Path, game: Holdem) -> PlayerModel:
    """The blueprint of a solve run."""
    return of_blueprint(blueprint.load(file))


def _champion(file: Path, game: Holdem) -> PlayerModel:
    """The PokerNet of an evolve run, whose genome is in ``file``."""
    try:
        genome = np.load(file, allow_pickle=False)
        params = pokernet.params_of(genome)
    except (OSError, ValueError, TypeError) as error:
        raise RunError(f"{file} is no genome of a PokerNet, or damaged ({error}): an evolve run writes it") from error
    return of_player(networks.pokernet("champion"), game, params, WIN_SAMPLES)


def _network(saved: saved_networks.SavedNetwork, game: Holdem, name: str) -> PlayerModel:
    """The network of a dqn or ppo run."""
    if saved.game != game.name:
        raise RunError(f"the network {name} plays {saved.game}, not hold'em: take one of a dqn or ppo run of hold'em")
    return of_player(saved.player(name), game, saved.params)


FILES = {  # in the folders of runs: what they are, and how they are loaded
    "blueprint.zip": ("A solved strategy", _solved),
    "champion.npy": ("An evolved network", _champion),
    "network.npz": ("A trained network", lambda file, game: _network(saved_networks.load(file), game, str(file))),
}
