"""Who can be played against: all that come with the package, and players in files.

One line of ``SHIPPED`` is one opponent, on the page as in the terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxpoker import players
from jaxpoker.coach import PlayerModel, of_blueprint, of_player, shipped
from jaxpoker.games.holdem import Holdem
from jaxpoker.models import pokernet
from jaxpoker.players import networks
from jaxpoker.runs.errors import RunError
from jaxpoker.solvers import blueprint

FILES = ("blueprint.zip", "champion.npy")  # in the folders of solve and evolve runs


class Opponent(NamedTuple):
    """One who can be played against; ``load`` makes its model when somebody wants to."""

    name: str  # "tag"
    title: str  # "TAG"
    about: str  # who that is
    profile: str  # what to do about it; the coach says so
    load: Callable[[Holdem], PlayerModel]

    def model(self, game: Holdem) -> PlayerModel:
        return self.load(game)._replace(title=self.title, profile=self.profile)


def _rule(name: str, title: str, about: str, profile: str) -> Opponent:
    """A player of ``players.make``."""
    return Opponent(name, title, about, profile, lambda game: of_player(players.make(name, game), game))


SHIPPED = (
    Opponent(
        "blueprint",
        "Blueprint",
        "Solved for 100 big blinds; bluffs and calls in proportion",
        "it is close to balanced, so play sound poker: there is little to exploit in a single spot.",
        lambda game: shipped(),
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
    ),
    _rule(
        "candid statistician",
        "Candid Statistician",
        "Bets exactly what its hand is worth",
        "the size of its bet tells its hand, so fold to big bets and attack checks.",
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
    """The opponent of that name, or the one in a file: the folder of a solve or evolve run, or the file itself."""
    for opponent in SHIPPED:
        if opponent.name == name.lower().strip():
            return opponent
    path = Path(name)
    known = ", ".join(opponent.name for opponent in SHIPPED)
    if not path.exists():
        raise RunError(f"unknown opponent {name!r}: play {known}, or name the folder of a solve or evolve run")
    solved, champion = (next((f for f in (path, path / n) if f.is_file() and f.suffix == n[-4:]), None) for n in FILES)
    if solved:
        about = f"A solved strategy, {solved}"
        return Opponent(str(path), path.stem, about, "", lambda game: of_blueprint(blueprint.load(solved)))
    if champion:
        about = f"An evolved network, {champion}"
        return Opponent(str(path), path.stem, about, "", lambda game: _champion(champion, game))
    raise RunError(f"no player in {path}: a solve run has a {FILES[0]}, an evolve run a {FILES[1]}")


def _champion(file: Path, game: Holdem) -> PlayerModel:
    """The PokerNet whose genome is in ``file``."""
    try:
        genome = np.load(file, allow_pickle=False)
        params = pokernet.params_of(genome)
    except (OSError, ValueError, TypeError) as error:
        raise RunError(f"{file} is no genome of a PokerNet, or damaged ({error}): an evolve run writes it") from error
    return of_player(networks.pokernet("champion"), game, params)
