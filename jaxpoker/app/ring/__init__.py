"""One person at a table of three to ten."""
