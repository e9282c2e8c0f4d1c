"""What a game counts of its players: the sums behind VPIP, PFR and their like (``jaxpoker.statistics``)."""

from __future__ import annotations

from typing import NamedTuple

import jax

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
