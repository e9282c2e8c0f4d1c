"""No-limit hold'em: the rules, the table, what a player sees, the pots, spots, and hands in files."""

from __future__ import annotations

from jaxpoker.games.holdem.game import Holdem
from jaxpoker.games.holdem.histories import Hands, every_decision, from_phh, replay, to_phh
from jaxpoker.games.holdem.spots import spot
from jaxpoker.games.holdem.table import Deal

__all__ = ["Deal", "Hands", "Holdem", "every_decision", "from_phh", "replay", "spot", "to_phh"]
