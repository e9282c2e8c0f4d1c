"""The games: the rules of each in a file of its own."""
