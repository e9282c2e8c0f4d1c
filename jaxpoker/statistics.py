"""What a player does: VPIP, PFR, AF, WSD, WSDW and the mix of its actions, from what a ``StatisticsGame`` counts.

    VPIP   hands with a voluntary call, bet or raise before the flop / hands
    PFR    hands with a raise before the flop / hands
    AF     bets and raises after the flop / calls after the flop
    WSD    showdowns / flops seen
    WSDW   showdowns won (a split counts its part) / showdowns

A showdown is won by the best hand shown, whatever side pots there are: chips that come back uncalled are no win.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker.games.counts import Counts

Array = jax.Array


def _parts(c: Counts) -> dict[str, tuple[Array, Array]]:
    """Each statistic as what was counted and what it is a part of."""
    actions = c.folds + c.checks + c.calls + c.raises
    return {
        "vpip": (c.voluntary, c.hands),
        "pfr": (c.preflop_raises, c.hands),
        "af": (c.aggressive, c.passive),
        "wsd": (c.showdowns, c.flops),
        "wsdw": (c.showdowns_won, c.showdowns),
        "fold": (c.folds, actions),
        "check": (c.checks, actions),
        "call": (c.calls, actions),
        "raise": (c.raises, actions),
        "all_in": (c.all_ins, actions),
    }


def rates(counts: Counts) -> dict[str, Array]:
    """The statistics as arrays of the counts' shape, NaN where nothing was counted; jittable."""
    parts = _parts(counts).items()
    return {name: jnp.where(of > 0, a / jnp.where(of > 0, of, 1), jnp.nan) for name, (a, of) in parts}


class PlayerProfile(NamedTuple):
    """The statistics of one player, parts from 0 to 1 but for ``af``; None where nothing was counted."""

    hands: int
    vpip: float | None
    pfr: float | None
    af: float | None
    wsd: float | None
    wsdw: float | None
    fold: float | None  # parts of all actions
    check: float | None
    call: float | None
    raise_: float | None
    all_in: float | None


def profile(counts: Counts) -> PlayerProfile:
    """The statistics of one player's summed counts."""
    known = {name: float(a) / float(of) if of else None for name, (a, of) in _parts(counts).items()}
    known["raise_"] = known.pop("raise")
    return PlayerProfile(hands=round(float(counts.hands)), **known)
