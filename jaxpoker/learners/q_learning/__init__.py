"""Q-learning: the value of every action, learned from a replay of transitions."""
