"""Somebody as the coach imagines them: a Player with its parameters, and the menu that its policy speaks of."""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.players import Player
from jaxpoker.solvers.blueprint import Blueprint, as_player, load_shipped


class PlayerModel(NamedTuple):
    """How a seat is played, in rollouts and in what its actions imply."""

    player: Player
    params: Any = None
    menu: bets.BetMenu | None = None  # of the player's policy; None for a player that is asked for chips
    win_samples: int = 0  # for a player that asks for its win probability: worked out once per hand, from so many deals
    profile: str = ""  # what to do about the way it plays, in a sentence
    title: str = ""  # what people call it

    @property
    def name(self) -> str:
        return self.title or self.player.name


def of_player(player: Player, game: Holdem, params: Any = None, win_samples: int = 0) -> PlayerModel:
    """The model of a player whose policy, if it has one, is over the menu of ``game``."""
    return PlayerModel(player, params, None if player.policy is None else game.bet_menu, win_samples)


def of_blueprint(solved: Blueprint) -> PlayerModel:
    """The model of a solved strategy."""
    return PlayerModel(as_player(solved), solved.params, solved.game.bet_menu)


def shipped() -> PlayerModel:
    """The model of the blueprint that comes with the package."""
    return of_blueprint(load_shipped())
