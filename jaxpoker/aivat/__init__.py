"""AIVAT: results of matches with less luck in them and the same mean; ``match.play(..., values=...)`` takes a value
function from here.
"""

from __future__ import annotations

from jaxpoker.aivat.equity_values import by_equity
from jaxpoker.aivat.estimate import NO_STREET, Values, acted, dealt, of_actor, of_deal, of_turn, require, worth
from jaxpoker.aivat.small_games import enumerated

__all__ = [
    "NO_STREET",
    "Values",
    "acted",
    "by_equity",
    "dealt",
    "enumerated",
    "of_actor",
    "of_deal",
    "of_turn",
    "require",
    "worth",
]
