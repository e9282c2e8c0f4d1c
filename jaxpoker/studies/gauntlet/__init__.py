"""The study of experiments/gauntlet.py."""
