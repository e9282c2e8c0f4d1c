"""What a hand of hold'em counts for the statistics of its players."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxpoker.games import bets
from jaxpoker.games.counts import Counts
from jaxpoker.games.holdem import table
from jaxpoker.games.seats import any_of, most, total

Array = jax.Array


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
