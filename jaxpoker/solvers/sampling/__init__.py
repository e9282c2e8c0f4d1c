"""Monte Carlo CFR."""
