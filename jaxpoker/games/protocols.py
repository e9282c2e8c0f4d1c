"""What a game may say besides its rules, so that general code serves it: small protocols, each of them optional.

``core.Game`` is what every game has. A match, a session, a solver, a rule player or a network may need more: stacks,
chips, a list of all deals. It then asks whether the game has the methods of a protocol, and never which game it is. A
game of your own gets the same service by having the methods; there is nothing to inherit from.

    protocol             what it is for                                        who has it
    ChipGame             players who choose chips, and bet menus               hold'em
    StackGame            stacks of a match; sessions that carry them over      hold'em
    WinProbabilityGame   deals that carry win probabilities                    hold'em
    AllInGame            matches without the luck of all-ins                   hold'em
    StatisticsGame       VPIP and its like in the results of a match           hold'em
    StreetGame           actions told by street                                Kuhn, Leduc, hold'em
    PrivateHandGame      beliefs about what an opponent holds                  Kuhn, Leduc, hold'em
    InfosetGame          strategies as tables, a row for each information set  Kuhn, Leduc
    TreeGame             betting trees (``jaxpoker.solvers.tree``)             Kuhn, Leduc, hold'em
    StakesGame           ... of games with chips                               hold'em
    DealtGame            exact solving (``jaxpoker.solvers.exact``)            Kuhn, Leduc, hold'em before the flop
    BoardGame            ... of subgames after public cards                    Leduc
    RangeGame            all hands of a seat at once, and what they win        Leduc, hold'em
    RedealtGame          expectations over the cards of a street               Kuhn, Leduc
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import numpy as np

from jaxpoker import core
from jaxpoker.games import bets
from jaxpoker.games.counts import Counts
from jaxpoker.games.deals import Deals, SeatDeals

Array = jax.Array


@runtime_checkable
class ChipGame(core.Game, Protocol):
    """A game in which a choice is chips: ``act(state, to)`` raises "to", and a menu has chips for each action id.

    Its states have ``illegal`` ``[]`` bool: the last action was not legal.
    """

    @property
    def bet_menu(self) -> bets.BetMenu:
        """What action ids stand for."""
        ...

    def facing(self, state: Any) -> bets.Facing:
        """What the player to act faces and may do."""
        ...

    def choices(self, state: Any) -> tuple[Array, Array]:
        """Chips "to" of each action id ``[actions]``, and which of them are legal ``[actions]``."""
        ...

    def nearest_legal(self, state: Any, to: Array) -> Array:
        """The legal "to" that is closest to the one that is wanted."""
        ...

    def with_menu(self, state: Any, menu: bets.BetMenu) -> tuple[ChipGame, Any]:
        """The game with another menu, and the same state of that game."""
        ...


@runtime_checkable
class StackGame(core.Game, Protocol):
    """A game in which each seat has a stack, from which hand after hand can be played."""

    @property
    def stack(self) -> int:
        """Chips that a seat starts with."""
        ...

    @property
    def max_stack(self) -> int:
        """The most chips that a seat may hold."""
        ...

    def start(self, deal: Any, stacks: Array | None = None, button: Array | int = 0) -> Any:
        """The first state of one table; ``stacks`` ``[players]`` are the game's own when None, 0 is an empty seat."""
        ...

    def next_hand(self, last: Any, deal: Any, carry_over: bool) -> tuple[Any, Array]:
        """The hand after ``last``, and ``[]`` bool: there is none, because one seat has all the chips.

        Seats start it with what ``last`` left them where stacks ``carry_over``, else with what they started ``last``
        with.
        """
        ...


@runtime_checkable
class WinProbabilityGame(core.Game, Protocol):
    """A game whose deals can carry each seat's win probability, worked out once for all who play the deal."""

    def with_win_probabilities(self, deals: Any, key: Array, samples: int) -> Any:
        """``deals`` with win probabilities, from so many samples where they are not exact; ``key`` dealt them."""
        ...


@runtime_checkable
class AllInGame(core.Game, Protocol):
    """A game that says what an all-in of two players is worth; a state that has ended has ``committed``, ``big_blind``
    and ``showdown`` as hold'em's, for ``match.without_luck``."""

    def all_in_shares(self, deals: Any) -> Array:
        """``[..., streets]``: seat 0's expected part of the pot when both seats of ``deals`` are all-in on a street."""
        ...


@runtime_checkable
class StatisticsGame(core.Game, Protocol):
    """A game that counts what players do, for ``jaxpoker.statistics``."""

    def count_action(self, state: Any, choice: Array) -> Counts:
        """``[]`` counts of the choice of the player to act."""
        ...

    def count_hand(self, state: Any) -> Counts:
        """``[players]`` counts of a hand that has ended; those of its actions are left at zero."""
        ...


@runtime_checkable
class StreetGame(core.Game, Protocol):
    """A game in streets, or rounds of betting, whose actions have names."""

    @property
    def street_names(self) -> tuple[str, ...]: ...

    def street(self, state: Any) -> Array:
        """``[]`` int32: a place in ``street_names``."""
        ...

    def action_text(self, action: int, street: int = 0) -> str:
        """What people call an action on a street."""
        ...


@runtime_checkable
class PrivateHandGame(core.Game, Protocol):
    """A game that numbers the private hands of a seat."""

    @property
    def num_hands(self) -> int: ...

    def hand_index(self, state: Any, player: Array | int) -> Array:
        """``[]`` int32 below ``num_hands``: what ``player`` holds."""
        ...


@runtime_checkable
class InfosetGame(core.Game, Protocol):
    """A game so small that its information sets are numbered: a strategy is a table with a row for each."""

    @property
    def num_infosets(self) -> int: ...

    def infoset_index(self, state: Any, player: Array | int) -> Array:
        """``[]`` int32 below ``num_infosets``: the row of ``player``, whose turn it is."""
        ...

    def infoset_text(self, index: int) -> str:
        """An information set for people."""
        ...


# --- for solvers ------------------------------------------------------------------------------


@runtime_checkable
class TreeGame(core.Game, Protocol):
    """A game whose betting is public: a solver can build its tree."""

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


class Stakes(NamedTuple):
    """Chips at a state, by seat."""

    starting: np.ndarray  # [players] int32: stacks at the start of the hand
    before: np.ndarray  # [players] int32: put in on earlier streets, antes included
    bets: np.ndarray  # [players] int32: put in on this street


@runtime_checkable
class StakesGame(ChipGame, Protocol):
    """A game with chips whose stacks and blinds are data of a state."""

    def without_stakes(self) -> StakesGame:
        """The game without its stacks and blinds, whose states have them as data: those that differ by them compile
        once.
        """
        ...

    def stakes(self, state: Any) -> Stakes:
        """The chips of one state."""
        ...


@runtime_checkable
class DealtGame(core.Game, Protocol):
    """A game all of whose deals are known: it can be solved exactly."""

    def all_deals(self) -> Deals | SeatDeals:
        """Every deal with its probability (``games/deals.py``)."""
        ...


@runtime_checkable
class BoardGame(core.Game, Protocol):
    """A game whose public cards have numbers, by which a subgame knows its board."""

    def board_number(self, state: Any) -> Array:
        """``[]`` int32: the number of the open board among the boards of its street (``Deals.streets``)."""
        ...


@runtime_checkable
class RangeGame(PrivateHandGame, StreetGame, Protocol):
    """A game for two in which all hands that a seat may hold can be played at once."""

    @property
    def private_hands(self) -> np.ndarray:
        """``[num_hands, cards]`` int: the cards of each hand, as ``with_hand`` takes them."""
        ...

    def put_in(self, state: Any) -> Array:
        """``[players]`` float32: what each seat has put into the pot, in the unit of ``rewards``."""
        ...

    def with_later_cards(self, deal: Any, street: int, key: Array) -> Any:
        """``deal`` with the public cards that come after ``street`` drawn anew; no hand counts as dealt."""
        ...

    def possible_hands(self, deal: Any, street: int) -> Array:
        """``[num_hands]`` bool: hands without the cards of ``deal`` that are open on ``street``."""
        ...

    def pair_shares(self, deal: Any, street: int) -> Array:
        """``[num_hands, num_hands]`` float32: of the pot, that hand i wins from hand j in the mean over the cards that
        are not open yet; 0 where they cannot be held together.
        """
        ...

    def alike(self, street: int) -> np.ndarray | None:
        """``[num_hands]`` int: which hands ``pair_shares`` does not tell apart on ``street``, by number; None where it
        tells all apart."""
        ...


@runtime_checkable
class RedealtGame(StreetGame, Protocol):
    """A game so small that all cards that a street may bring can be tried."""

    def redeals(self, state: Any, street: int) -> tuple[Any, Array]:
        """States ``[n, ...]`` that differ from ``state`` in the cards of ``street``, the hands on street 0, and the
        probability ``[n]`` of each, given the cards of earlier streets. Cards of later streets may be any.
        """
        ...
