"""Learning beliefs: a transformer's belief of the opponent's hand, and search among beliefs that it imagines."""
