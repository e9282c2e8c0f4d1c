"""Amounts, actions and hands of hold'em in words: "2.5 BB", "Raise to 7.5 BB", "pair of kings"."""

from __future__ import annotations

import jax
import numpy as np

from jaxpoker import cards, hands, ranges
from jaxpoker.games.bets import Facing

_strength = jax.jit(hands.strength)  # compiled for five, six and seven cards


def made_hand(hole: np.ndarray, board: np.ndarray) -> str:
    """What two cards make of the open ones among ``board`` ``[5]``: "pair of kings"; before the flop "KQo"."""
    own, opened = np.asarray(hole).tolist(), [card for card in np.asarray(board).tolist() if card != cards.NO_CARD]
    cards.require_board(len(opened), cards.text(opened))
    if not opened:
        return ranges.CLASS_NAMES[ranges.CLASS_OF_COMBO[ranges.combo_index(own[0], own[1])]]
    return hands.name(int(_strength(np.asarray([*own, *opened], np.int32))))


def in_big_blinds(chips: float, big_blind: float) -> str:
    """ "2.5 BB", "100 BB", "12.35 BB": two digits at most, and no more than are needed."""
    return f"{round(chips / big_blind, 2):g} BB"


def signed(big_blinds: float) -> str:
    """ "+0.50", "−1.20", "0.00": a gain or loss with its sign, a proper minus."""
    rounded = f"{abs(big_blinds):.2f}"
    if float(rounded) == 0:
        return rounded
    return f"{'+' if big_blinds > 0 else '−'}{rounded}"


def action_label(to: int, price: int, own_bet: int, all_in: int, big_blind: int) -> str:
    """What going ``to`` chips is called, facing ``price`` with ``own_bet`` in and ``all_in`` the most to go to."""
    if to < 0:
        return "Fold"
    if to <= price:
        paid = min(to, all_in) - own_bet
        return "Check" if paid <= 0 else f"Call {in_big_blinds(paid, big_blind)}"
    amount = in_big_blinds(to, big_blind)
    if to == all_in:
        return f"All-in, {amount}"
    return f"Raise to {amount}" if price else f"Bet {amount}"


def label_at(here: Facing, to: int) -> str:
    """``action_label`` of what a player faces, in plain numbers."""
    return action_label(to, int(here.price), int(here.own_bet), int(here.max_raise_to), int(here.big_blind))
