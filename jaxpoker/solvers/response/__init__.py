"""How much a strategy of hold'em loses: in the abstract game, with real cards, and in matches."""
