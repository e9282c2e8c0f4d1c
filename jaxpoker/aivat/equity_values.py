"""The simplest value function of heads-up hold'em: the pot belongs to both hands by their share of it.

    value to seat 0 = (2 s - 1) m

with s its share of the pot when nobody bets any more, over all boards to come, and m the chips that both have matched.
The share of two hands is a martingale over the cards of the board, so that the mean over the next card is the share
before it. Before the flop it is that of the two classes of hands (AKs against QQ): the mean is exact for players to
whom all suits are alike before the flop.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker import equity
from jaxpoker.aivat.estimate import Values
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import Deal, State

Array = jax.Array


def by_equity() -> Values:
    """Of any two players of hold'em."""
    return Values("equity", _value, _prepare)


def _prepare(params: None, game: Holdem, deals: Deal, key: Array) -> Array:
    """``[n, 4]``: seat 0's share of the pot on each street."""
    return equity.all_in_shares(deals.hole, deals.board)


def _value(params: None, shares: Array, game: Holdem, state: State, street: Array | int) -> Array:
    return by_share(state, share_on(shares, street))


def share_on(shares: Array, street: Array | int) -> Array:
    """``[]`` of ``shares`` ``[4]``; one half before the hands are dealt."""
    return jnp.where(street < 0, 0.5, shares[jnp.maximum(street, 0)])


def by_share(state: State, share: Array) -> Array:
    """``[]`` big blinds: what seat 0 gets when the matched chips go by ``share``; at the end without a showdown what
    it did get.
    """
    gain = (2 * share - 1) * state.committed.min() / state.big_blind
    return jnp.where(state.terminated & ~state.showdown, paid(state), gain)


def paid(state: Any) -> Array:
    """``[]`` big blinds that seat 0 got at the end of a hand."""
    return state.rewards[0]
