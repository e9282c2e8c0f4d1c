"""Who can be played against: those that come with the package, any other player of the registry, players in files.

An entry of ``SHIPPED`` is an opponent, on the page as in the terminal: a player of the registry, with what people and
the coach say of it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from jaxpoker.coach import player_model
from jaxpoker.coach.player_model import PlayerModel
from jaxpoker.errors import RunError
from jaxpoker.games.holdem import Holdem
from jaxpoker.players import registry


class Opponent(NamedTuple):
    """One who can be played against."""

    name: str  # "tag", or the folder of a run
    title: str  # "TAG"
    about: str  # who that is
    profile: str  # what to do about it; the coach says so

    def model(self, game: Holdem) -> PlayerModel:
        """Loaded when somebody wants to play."""
        return player_model.named(self.name, game)._replace(title=self.title, profile=self.profile)


SHIPPED = (
    Opponent(
        "blueprint",
        "Blueprint",
        "Solved for 100 big blinds; bluffs and calls in proportion",
        "it bluffs and calls in proportion but takes any pair for any other, so bet your better pairs for value.",
    ),
    Opponent(
        "dqn",
        "DQN",
        "A network that learned what nine actions are worth",
        "it always takes what it thinks is best, so look for spots where it folds, or calls, too much.",
    ),
    Opponent(
        "ppo",
        "PPO",
        "A network that names any number of chips",
        "the sizes of its bets give its hand away, so remember what it showed after which size.",
    ),
    Opponent(
        "tag",
        "TAG",
        "Tight-aggressive: a fifth of all hands, bets what hits, never bluffs",
        "it never bluffs, so fold to its bets without a strong hand, and take the pots that it checks.",
    ),
    Opponent(
        "lag",
        "LAG",
        "Loose-aggressive: most hands, bets often, bluffs too much",
        "it bluffs too much, so call with middling hands and let it bet; bluff it rarely.",
    ),
    Opponent(
        "smart",
        "Smart",
        "Plays by starting hand and win probability, and bets by chance",
        "it goes on with good hands only, so steal small pots and believe its big bets.",
    ),
    Opponent(
        "candid statistician",
        "Candid Statistician",
        "Bets exactly what its hand is worth",
        "the size of its bet tells its hand, so fold to big bets and attack checks.",
    ),
    Opponent(
        "hothead maniac",
        "Hothead Maniac",
        "Raises the pot at every decision",
        "it raises anything, so wait for a good hand and let it put the money in.",
    ),
    Opponent(
        "calling machine",
        "Calling Machine",
        "Never folds, never raises",
        "it calls everything, so bet good hands big and never bluff.",
    ),
    Opponent(
        "scared limper", "Scared Limper", "Limps, and folds to any bet", "it folds to every bet, so bet every hand."
    ),
    Opponent(
        "random", "Random", "Any legal action, each as likely", "it bets without a reason, so value bets win most."
    ),
)


def named(name: str) -> Opponent:
    """The opponent of that name, or the one in a file: the folder of a run, or the file itself."""
    wanted = name.lower().strip()
    for opponent in SHIPPED:
        if opponent.name == wanted:
            return opponent
    registered = registry.PLAYERS.get(wanted)
    if registered is not None and registered.plays_game(Holdem.name):
        return Opponent(wanted, wanted, "A player of the registry", "")
    path = Path(name)
    known = ", ".join(opponent.name for opponent in SHIPPED)
    if not os.path.exists(path):  # False, too, for what cannot be a path
        raise RunError(f"unknown opponent {name!r}: play {known}, or the folder of a solve, evolve, dqn or ppo run")
    file = registry.file_of(path)
    title = path.stem if path.is_file() else path.resolve().name
    return Opponent(str(path), title, f"{KINDS[file.suffix]}, {file}", "")


KINDS = {".zip": "A solved strategy", ".npy": "An evolved network", ".npz": "A trained network"}  # by files
