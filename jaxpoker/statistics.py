"""What a hold'em player does: VPIP, PFR, AF, WSD, WSDW and the mix of its actions.

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

from jaxpoker.games import bets
from jaxpoker.games.holdem import table
from jaxpoker.games.seats import any_of, most, total

Array = jax.Array


class Counts(NamedTuple):
    """Sums over hands and actions; floats of any one shape."""

    hands: Array
    voluntary: Array  # hands with a call or raise before the flop
    preflop_raises: Array  # hands with a raise before the flop
    aggressive: Array  # bets and raises after the flop
    passive: Array  # calls after the flop
    flops: Array  # hands that saw the flop
    showdowns: Array
    showdowns_won: Array
    folds: Array  # actions of the whole hand, from here on
    checks: Array
    calls: Array
    raises: Array
    all_ins: Array  # calls and raises that took the whole stack; they count as such, too


@jax.jit
def of_hand(state: table.State) -> Counts:
    """``[players]`` counts of a finished hand of one table; the actions' counts are left at zero."""
    at_showdown = [state.showdown & ~seat.folded for seat in state.seats]
    strength = [jnp.where(up, own, -1) for up, own in zip(at_showdown, state.deal.strengths, strict=True)]
    best = [up & (own == most(strength)) for up, own in zip(at_showdown, strength, strict=True)]
    share = 1.0 / jnp.maximum(total(best), 1)
    rows = []
    for seat, shows, wins in zip(state.seats, at_showdown, best, strict=True):
        dealt_in = seat.starting > 0
        raised = seat.did(table.RAISED, table.PREFLOP)
        later = any_of([seat.did(table.ACTED, street) for street in (table.FLOP, table.TURN, table.RIVER)])
        rows.append(
            Counts(
                hands=dealt_in,
                voluntary=raised | seat.did(table.CALLED, table.PREFLOP),
                preflop_raises=raised,
                aggressive=seat.counts & 0xFFFF,
                passive=seat.counts >> 16,
                flops=(state.street > table.PREFLOP) & (~seat.folded | later),
                showdowns=shows,
                showdowns_won=jnp.where(wins, share, 0.0),
                folds=0 * seat.bet,
                checks=0 * seat.bet,
                calls=0 * seat.bet,
                raises=0 * seat.bet,
                all_ins=0 * seat.bet,
            )
        )
    return jax.tree.map(lambda *values: jnp.stack([jnp.asarray(v, jnp.float32) for v in values]), *rows)


@jax.jit
def of_action(here: bets.Facing, to: Array) -> Counts:
    """Counts ``[]`` of one action "to ``to`` chips" of a player who faces ``here``."""
    to = jnp.where(to == here.price, here.own_bet + here.to_call, to)  # a call is a call, all-in or not
    folds, raises = to < 0, to > here.price
    checks = to == here.own_bet
    zero = jnp.zeros((), jnp.float32)
    flags = (folds, checks, ~folds & ~checks & ~raises, raises, to == here.max_raise_to)
    return Counts(*[zero] * 8, *(flag.astype(jnp.float32) for flag in flags))


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
