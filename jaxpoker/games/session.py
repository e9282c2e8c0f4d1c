"""Many hands in a row at one table.

The next hand begins in the very step that ends the one before. In hold'em the button moves on to the next seat with
chips, and stacks are carried over or reset; carried over, a session ends early when one seat has all the chips.

    session = Session(jaxpoker.make("holdem", stack=1000, small_blind=5, big_blind=10), carry_over=True)
    table = session.start(session.game.deal(key, (500,)))     # 500 hands at most
    table, hand, ended = session.act(table, to)               # per table; vmap for thousands
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import arguments, core
from jaxpoker.games.protocols import StackGame

Array = jax.Array


@flax.struct.dataclass
class Table:
    """A session under way."""

    hand: Any  # the game's state; the last hand's end when the session is over
    hand_index: Array  # [] which deal is being played
    over: Array  # [] bool
    deals: Any  # [hands, ...]


class AfterAction(NamedTuple):
    """What an action of a session leads to."""

    table: Table
    hand: Any  # the hand after the action, before the next one begins
    ended: Array  # [] bool: the action ended ``hand``


@dataclasses.dataclass(frozen=True)
class Session:
    """Hands in a row of any game; stacks and button concern a ``StackGame``, as hold'em is."""

    game: core.Game
    carry_over: bool = False

    def __post_init__(self) -> None:
        arguments.flag("carry_over", self.carry_over)
        if not self.carry_over:
            return
        if not isinstance(self.game, StackGame):
            raise ValueError(f"{self.game.name} has no stacks to carry over: it is no StackGame, as hold'em is")
        self._require_room(self.game.num_players * self.game.stack)

    def start(self, deals: Any, stacks: Array | None = None, button: Array | int = 0) -> Table:
        """The first hand of ``deals`` ``[hands, ...]``; ``stacks`` ``[players]`` and ``button`` of a ``StackGame``."""
        first = jax.tree.map(lambda x: x[0], deals)
        known = None if stacks is None else arguments.known(stacks)
        if self.carry_over and known is not None and np.issubdtype(known.dtype, np.integer):
            self._require_room(int(known.sum()))
        if isinstance(self.game, StackGame):
            hand = self.game.start(first, stacks=stacks, button=button)
        else:
            hand = self.game.start(first)
        return Table(hand, jnp.zeros((), jnp.int32), jnp.zeros((), jnp.bool_), deals)

    def _require_room(self, chips: int) -> None:
        """Raises ``ValueError`` when one seat cannot hold all ``chips`` at the table."""
        assert isinstance(self.game, StackGame)
        most = self.game.max_stack
        if chips > most:
            raise ValueError(f"{chips:,} chips at the table: one seat may win them all, and holds up to {most:,}")

    def act(self, table: Table, choice: Array) -> AfterAction:
        """The current player's action (``game.act``: chips "to" in hold'em, an action id elsewhere).

        A hand that the blinds alone decided ends here whatever ``choice`` is (see ``to_decide``). Once the session is
        over nothing changes any more.
        """
        hand = core.select(core.is_over(table.hand), table.hand, self.game.act(table.hand, choice))
        ended = core.is_over(hand) & ~table.over
        return AfterAction(self._next_hand(dataclasses.replace(table, hand=hand), ended), hand, ended)

    def to_decide(self, table: Table) -> Array:
        """``[]`` bool: the hand's current player has a decision."""
        return ~core.is_over(table.hand)

    def num_hands(self, table: Table) -> int:
        """How many hands the session has at most."""
        return int(jax.tree.leaves(table.deals)[0].shape[0])

    def _next_hand(self, table: Table, ended: Array) -> Table:
        """Where ``ended``, the next hand if there is one to play, else the end of the session."""
        index = table.hand_index + 1
        out_of_hands = index >= self.num_hands(table)
        deal = jax.tree.map(lambda x: x[jnp.minimum(index, x.shape[0] - 1)], table.deals)
        if isinstance(self.game, StackGame):
            fresh, bust = self.game.next_hand(table.hand, deal, self.carry_over)
        else:
            bust = jnp.zeros_like(ended)
            fresh = self.game.start(deal)
        over = ended & (bust | out_of_hands)
        goes_on = ended & ~over
        return dataclasses.replace(
            table,
            hand=core.select(goes_on, fresh, table.hand),
            hand_index=jnp.where(goes_on, index, table.hand_index),
            over=table.over | over,
        )
