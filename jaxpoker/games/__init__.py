"""The games, the sessions that they are played in, their bet menus, and what a game may say besides its rules."""

from __future__ import annotations

from jaxpoker.games.bets import BetMenu, Facing
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.deals import Deals, SeatDeals
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc
from jaxpoker.games.many_leduc import ManyLeduc
from jaxpoker.games.protocols import (
    AllInGame,
    BoardGame,
    ChipGame,
    DealtGame,
    InfosetGame,
    PrivateHandGame,
    StackGame,
    StakesGame,
    StatisticsGame,
    StreetGame,
    TreeGame,
    WinProbabilityGame,
)
from jaxpoker.games.replays import state_after
from jaxpoker.games.session import Session

__all__ = [
    "AllInGame",
    "BetMenu",
    "BoardGame",
    "Chicago",
    "ChipGame",
    "Deals",
    "DealtGame",
    "Facing",
    "Holdem",
    "InfosetGame",
    "Kuhn",
    "Leduc",
    "ManyLeduc",
    "PrivateHandGame",
    "SeatDeals",
    "Session",
    "StackGame",
    "StakesGame",
    "StatisticsGame",
    "StreetGame",
    "TreeGame",
    "WinProbabilityGame",
    "state_after",
]
