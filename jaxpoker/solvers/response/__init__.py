"""How much a strategy loses."""
