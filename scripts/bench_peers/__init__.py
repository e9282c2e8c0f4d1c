"""What ``scripts/bench.py`` measures: our works, the peers' and the timing of both."""
