"""Somebody as the coach imagines them: a Player with its parameters, and the menu that its policy speaks of."""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxpoker import players
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.players import Entrant, Player
from jaxpoker.players.knowledge import WIN_SAMPLES


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


def model_of(entrant: Entrant, game: Holdem) -> PlayerModel:
    """The model of somebody who plays ``game``."""
    player, params = entrant
    menu = None if player.policy is None else player.menu or game.bet_menu
    return PlayerModel(player, params, menu, WIN_SAMPLES if player.weighs_wins else 0)


def named(name: str, game: Holdem) -> PlayerModel:
    """The model of the player called ``name``, by ``players.entrant``."""
    return model_of(players.entrant(name, game), game)
