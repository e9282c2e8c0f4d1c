"""The respond experiment: a network learns what beats one player, by PPO or Double DQN."""
