"""Equity: the share of the pot that a hand or range wins on average when all cards are dealt out.

    equity("AhKh", "QQ+, AK", board="Qh7h2c")       # one Equity per player
    against_random(hole, board)                     # exact, jittable, batched: flop, turn, river and preflop
    sample_against_random(key, hole, board, 1000)   # Monte Carlo, jittable, batched, boards of any street
    win_probabilities(key, hole, board, 1000)       # [..., 4]: preflop, flop, turn, river
    all_in_shares(hole, board)                      # [..., 4]: of the first of two known hands, street by street
    matchups().equity                               # [169, 169]: each class of hands against each, before the flop

equity = win + tie / k, where k players share the pot. Card removal is exact: a deal of hands h1, h2, ... counts
with the product of their weights when no card is used twice, and the board avoids all of them. Two players, or
any number of players with one hand each, are enumerated when that is cheap; the rest is sampled.
"""

from __future__ import annotations

import numpy as np

from jaxpoker import cards
from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity import exact, sampling
from jaxpoker.equity.all_in import all_in_share, all_in_shares
from jaxpoker.equity.arrays import (
    EquityEstimate,
    against_random,
    preflop_against_random,
    sample_against_random,
    win_probabilities,
)
from jaxpoker.equity.boards import ALL_SUIT_ORDERS, canonical_boards
from jaxpoker.equity.matchups import Matchups, matchups
from jaxpoker.equity.results import Equities, Equity
from jaxpoker.equity.table import set_table

__all__ = [
    "ALL_SUIT_ORDERS",
    "EXACT_LIMIT",
    "MAX_PLAYERS",
    "Equities",
    "Equity",
    "EquityEstimate",
    "Matchups",
    "against_random",
    "all_in_share",
    "all_in_shares",
    "canonical_boards",
    "equity",
    "matchups",
    "preflop_against_random",
    "sample_against_random",
    "win_probabilities",
]

MAX_PLAYERS = 10
EXACT_LIMIT = 3_100_000_000  # comparisons of two hands that method="auto" spends on an exact answer: a second or two


def equity(
    *players: str | np.ndarray,
    board: str = "",
    dead: str = "",
    method: str = "auto",
    samples: int = 1_000_000,
    seed: int = 0,
) -> Equities:
    """Equity of each of 2 to 10 players, given as ranges (text, see ``jaxpoker.ranges``, or 1,326 weights).

    ``board`` has 0, 3, 4 or 5 cards, ``dead`` cards are out of the deck. ``method`` is

    - "exact": all deals are counted: two players, or more when each has one hand;
    - "sample": about ``samples`` random deals, with a standard error;
    - "auto": exact where that takes no more than ``EXACT_LIMIT`` comparisons, a second or two. That is everything
      for two players from the flop on; before it a hand against a hand or 128 combos, and small ranges such
      as "QQ+, AK" against "22+, A2s+, KTs+". A range against "random" before the flop is looked up. Three or more
      single hands are always exact. The rest is sampled.

    >>> from jaxpoker.equity import equity
    >>> hero, villain = equity("AhKh", "QQ+, AK", board="Qh7h2c")
    >>> print(hero)
    52.26% (win 36.48%, tie 31.57%), exact, 17,820 combinations
    >>> villain.counts  # deals won, tied and lost
    (5694, 5625, 6501)
    """
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise ValueError(f"equity is for 2 to {MAX_PLAYERS} players, not {len(players)}")
    if method not in ("auto", "exact", "sample"):
        raise ValueError(f"unknown method {method!r}: choose 'auto', 'exact' or 'sample'")
    if isinstance(samples, bool) or not isinstance(samples, int):
        raise TypeError(f"samples is a whole number, not {type(samples).__name__} {samples!r}")
    if samples < 1:
        raise ValueError(f"cannot estimate from {samples} samples: take 1 or more")
    if not 0 <= seed < 1 << 63:
        raise ValueError(f"the seed is 0 or more and below 2**63, not {seed}")
    on_board, out = cards.parse(board).tolist(), cards.parse(dead).tolist()
    cards.require_board(len(on_board), board)
    cards.require_distinct(board=on_board, dead=out)
    if NUM_CARDS - len(out) - 5 < 2 * len(players):
        raise ValueError(f"{len(out)} dead cards leave too few for {len(players)} players and a board")
    table = set_table(players, on_board, out)

    if method != "sample":
        if len(players) == 2:
            if not on_board and not out and any(table.is_random):
                return exact.from_preflop_table(table)
            if method == "exact" or exact.cost_of_two_ranges(table) <= EXACT_LIMIT:
                return exact.two_ranges(table)
        elif all(size == 1 for size in table.sizes):
            return exact.single_hands(table)
        elif method == "exact":
            raise ValueError("with three players or more only single hands such as 'AhKh' are counted exactly")
    return sampling.sampled(table, seed, samples)
