"""Who plays the gauntlet: the player, the game that it plays, and everybody who tries to exploit it."""

from __future__ import annotations

import dataclasses
import inspect
import os
from pathlib import Path
from typing import NamedTuple

from jaxpoker import players, rivals
from jaxpoker.errors import RunError
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.players import EXPLOITERS, Entrant, registry, within_menu
from jaxpoker.players.exploiters import GALLERY
from jaxpoker.registry import resolve
from jaxpoker.solvers import blueprint
from jaxpoker.solvers.exact import equilibrium
from jaxpoker.studies.gauntlet.config import EQUILIBRIUM, Config

BLUEPRINT = "blueprint"
TWINS = ("raise", "calling machine")  # other names of min-raise and call
PUSH_FOLD_STACK = 10  # big blinds


class Opponent(NamedTuple):
    """One who is played against."""

    entrant: Entrant
    about: str  # in a line


def player_and_game(config: Config) -> tuple[Entrant, Holdem]:
    """The player, and the hold'em that it is made for at the stack and with the menu that are asked for."""
    if config.player == EQUILIBRIUM:
        game = _game(Holdem(), config.stack or PUSH_FOLD_STACK, "push/fold")
        return equilibrium.entrant(game), game
    own = Holdem()
    if config.player == BLUEPRINT:
        own = blueprint.load_shipped().game
    elif _is_file(config.player):
        file = registry.file_of(Path(config.player))
        if file.suffix == Path(registry.BLUEPRINT_FILE).suffix:
            own = blueprint.load(file).game
    if own.num_players != 2:
        raise RunError(f"{config.player} plays hold'em with {own.num_players} players: the gauntlet is for two")
    game = _game(own, config.stack, config.menu)
    return players.entrant(config.player, game), game


def _is_file(name: str) -> bool:
    return registry.PLAYERS.get(name.strip().lower()) is None and os.path.exists(name)


def _game(own: Holdem, stack: float | None, menu: str) -> Holdem:
    """``own`` with so many big blinds; its menu is what opponents are held to, and whom random draws from."""
    chips = own.stack if stack is None else round(stack * own.big_blind)
    return dataclasses.replace(own, stack=chips, menu=bets.parse(menu or "nine"))


def opponents(config: Config, game: Holdem) -> dict[str, Opponent]:
    """Everybody by name: exploiters and rule players, or those of ``config.against``; never the player itself."""
    listed = [name for name in players.names(game.name) if name not in TWINS]
    known = rivals.named(game, config.against or (*EXPLOITERS, *listed))
    met = {
        name: one
        for name, one in known.items()
        if name != config.player and (config.against or name in EXPLOITERS or one.params is None)
    }
    if not met:
        raise RunError(f"nobody is left to play against {config.player}: name others with --against")
    shared = rivals.of_few_programs(met)
    if config.menu or config.player == EQUILIBRIUM:
        shared = {name: one._replace(player=within_menu(one.player)) for name, one in shared.items()}
    return {name: Opponent(one, _about(name)) for name, one in shared.items()}


def _about(name: str) -> str:
    """An exploiter's line, or the first sentence about a player of the registry."""
    if name in GALLERY:
        return GALLERY[name].about
    known = registry.PLAYERS.get(name)
    text = inspect.getdoc(resolve(known.make)) if known is not None else None
    return (text or "").replace("\n", " ").replace("``", "").split(". ")[0].rstrip(".")
