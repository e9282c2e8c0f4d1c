"""Chicago, the Swedish game of five-card draw and tricks."""

from __future__ import annotations

from jaxpoker.games.chicago.deal import Deal
from jaxpoker.games.chicago.game import Chicago

__all__ = ["Chicago", "Deal"]
