"""Policy gradients: REINFORCE and PPO."""
