"""Monte Carlo CFR: boards are drawn and all hands meet on them, or walks through the tree are drawn."""
