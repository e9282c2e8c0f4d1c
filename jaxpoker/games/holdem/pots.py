"""Pots: who wins what at the end of a hand of hold'em. All lists are by seat, one scalar each."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp

from jaxpoker.blocks import computed_once
from jaxpoker.games.seats import any_of, most, of_seat, order_from, total

Array = jax.Array


def winnings(committed: list[Array], folded: list[Array], strength: list[Array], button: Array) -> list[Array]:
    """Chips that each seat takes from the pots, its uncalled chips included.

    A seat wins something when no seat with as many chips in has a better hand; the others' hands are mucked. The
    chips between one winner's total and the next higher one's form a pot for the winners that reach the higher
    one. The best hand takes it; of a split the odd chips go to the first winner left of the button.
    """
    shown = [jnp.where(out, -1, own) for out, own in zip(folded, strength, strict=True)]
    wins = _winners(committed, shown)
    pots = _pots(committed, shown, wins, button)
    won = []
    for i, chips in enumerate(committed):
        parts = [
            jnp.where(
                _takes(wins[i], chips, shown[i], committed[j], shown[j]), share + jnp.where(first == i, odd, 0), 0
            )
            for j, (share, odd, first) in enumerate(pots)
        ]
        won.append(total(parts))
    return won


@computed_once
def _winners(committed: list[Array], shown: list[Array]) -> list[Array]:
    """Which seats win something: live ones that no seat with as many chips in beats."""
    seats = range(len(committed))
    return [
        (shown[i] >= 0) & ~any_of([(committed[k] >= committed[i]) & (shown[k] > shown[i]) for k in seats if k != i])
        for i in seats
    ]


@computed_once
def _pots(
    committed: list[Array], shown: list[Array], wins: list[Array], button: Array
) -> list[tuple[Array, Array, Array]]:
    """The pot that ends at each seat's chips, 0 where none does: a winner's share, the odd chips, who gets them."""
    seats = range(len(committed))
    order = order_from(button, len(committed))
    pots = []
    for j, cap in enumerate(committed):
        lower = most([jnp.where(wins[i] & (committed[i] < cap), committed[i], 0) for i in seats])
        opens = wins[j]
        if j:
            opens = opens & ~any_of([wins[i] & (committed[i] == cap) for i in range(j)])
        pot = total([jnp.minimum(committed[i], cap) - jnp.minimum(committed[i], lower) for i in seats])
        takes = [_takes(wins[i], committed[i], shown[i], cap, shown[j]) for i in seats]
        share, odd = _split(jnp.where(opens, pot, 0), total(takes), len(committed))
        nearest = functools.reduce(jnp.minimum, [jnp.where(takes[i], order[i], len(committed)) for i in seats])
        first = total([jnp.where(takes[i] & (order[i] == nearest), i, 0) for i in seats])
        pots.append((share, odd, first))
    return pots


def _takes(wins: Array, chips: Array, shown: Array, cap: Array, best: Array) -> Array:
    """Whether a winner with ``chips`` in who has ``shown`` shares the pot that ends at ``cap``, won by ``best``."""
    return wins & (chips >= cap) & (shown == best)


def _split(pot: Array, parts: Array, most: int) -> tuple[Array, Array]:
    """Equal shares of a pot among 1 to ``most`` winners, and the odd chips left.

    Dividing by each possible number of winners vectorises, dividing by a traced number does not.
    """
    share = pot
    for n in range(2, most + 1):
        share = jnp.where(parts == n, jax.lax.div(pot, jnp.int32(n)), share)
    return share, pot - share * parts


@computed_once
def forfeited(starting: list[Array], behind: list[Array], loser: Array) -> list[Array]:
    """What each seat wins when ``loser`` pays all it had to the others dealt in, in equal parts, odd chips first."""
    others = [(loser != i) & (chips > 0) for i, chips in enumerate(starting)]
    share, odd = _split(of_seat(loser, starting), total(others), len(starting))
    won = []
    for i, chips in enumerate(starting):
        first = others[i] & ~any_of(others[:i]) if i else others[i]
        gain = jnp.where(others[i], share, 0) + jnp.where(first, odd, 0)
        won.append(jnp.where(loser == i, -behind[i], chips - behind[i] + gain))
    return won
