"""Flops that are small enough to be solved in seconds."""

from __future__ import annotations

from jaxpoker import cards, ranges
from jaxpoker.solvers import subgame

ITERATIONS = 120
STREETS = ("flop", "turn", "river")


def sizes(*of_streets: str) -> dict:
    """A menu of one bet a street for both players, and no raises."""
    return {
        street: {seat: {"bet": bet, "raise": ""} for seat in ("oop", "ip")}
        for street, bet in zip(STREETS, of_streets, strict=True)
    }


def small_spot(**changed) -> subgame.Spot:
    """Hearts are on the flop, and suits that are not can be exchanged."""
    spot = {"board": "Ks 7h 3h", "pot": 10, "stack": 30, "oop": "AA, 76s, QJs", "ip": "KQs, T9s, 88"}
    return subgame.Spot(**{**spot, "menu": sizes("50%", "75%", "100%"), **changed})


def combo(text: str) -> int:
    low, high = sorted(cards.parse(text).tolist())
    return int(ranges.combo_index(low, high))
