"""What a game may say of itself beyond ``core.Game``, so that solvers know it without knowing which game it is.

A protocol is kept by having its methods: there is nothing to inherit from. Games that lack one still play, learn and
are matched; who needs it says so by its name.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import numpy as np

from jaxpoker.games.bets import BetMenu
from jaxpoker.games.deals import Deals

Array = jax.Array


@runtime_checkable
class TreeGame(Protocol):
    """Betting is public: a solver can build its tree (``jaxpoker.solvers.tree``)."""

    @property
    def showdown_orders(self) -> np.ndarray:
        """``[outcomes, players]``: the ways that a showdown may come out, the highest number wins.

        For two players the rows are win, tie and loss of seat 0 (``deals.showdown_orders``).
        """
        ...

    def showdown_states(self, state: Any = None) -> Any:
        """States ``[outcomes, ...]`` with the betting of ``state``, or of the first one when None, in which the players
        hold such cards that a showdown comes out in each of these ways.
        """
        ...


@runtime_checkable
class StreetGame(Protocol):
    """The game is played in several streets (rounds of betting); a game without this has one."""

    def street(self, state: Any) -> Array:
        """``[]`` int32: the street of ``state``, 0 for the first."""
        ...


@runtime_checkable
class DealtGame(Protocol):
    """All deals are known: the game can be solved exactly (``jaxpoker.solvers.exact``)."""

    def all_deals(self) -> Deals:
        """Every deal with its probability (``games/deals.py``)."""
        ...


@runtime_checkable
class BoardGame(Protocol):
    """Public cards have numbers, by which a subgame knows its board."""

    def board_number(self, state: Any) -> Array:
        """``[]`` int32: the number of the open board among the boards of its street (``Deals.streets``)."""
        ...


@runtime_checkable
class NumberedGame(Protocol):
    """Information sets have numbers of the game's own, the rows of a strategy table."""

    @property
    def num_infosets(self) -> int: ...

    def infoset_index(self, state: Any, player: Array | int) -> Array:
        """``[]`` int32: the number of the information set of ``player``, whose turn it is."""
        ...

    def infoset_text(self, index: int) -> str:
        """An information set for people: "Q | pass bet"."""
        ...


@runtime_checkable
class SpokenGame(Protocol):
    """Actions have names; without this they are said by their numbers."""

    def action_text(self, action: int, street: int = 0) -> str:
        """An action for people: "raise"."""
        ...


class Stakes(NamedTuple):
    """Chips at a state, by seat."""

    starting: np.ndarray  # [players] int32: stacks at the start of the hand
    before: np.ndarray  # [players] int32: put in on earlier streets, antes included
    bets: np.ndarray  # [players] int32: put in on this street


@runtime_checkable
class ChipGame(Protocol):
    """Actions are amounts of chips by a bet menu, and stacks and blinds are data of a state."""

    @property
    def bet_menu(self) -> BetMenu: ...

    def choices(self, state: Any) -> tuple[Array, Array]:
        """Chips "to" per action id ``[actions]`` and which are legal ``[actions]`` for the player to act."""
        ...

    def without_stakes(self) -> Any:
        """The game without its stacks and blinds, whose states have them as data: those that differ by them compile
        once.
        """
        ...

    def stakes(self, state: Any) -> Stakes:
        """The chips of one state."""
        ...
