"""No-limit hold'em: the rules, the table, what a player sees, and the pots."""

from __future__ import annotations

from jaxpoker.games.holdem.game import Holdem

__all__ = ["Holdem"]
