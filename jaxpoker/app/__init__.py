"""Heads-up hold'em in the browser, or in the terminal, against any player here, with the coach beside it."""
