"""What ``scripts/run lbr`` does: local best responses to a player, in several settings."""
