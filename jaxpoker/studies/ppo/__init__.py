"""The ppo experiment: PPO with bets of any size."""
