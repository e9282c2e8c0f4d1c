"""The evolve experiment: neuroevolution of hold'em players against rule players."""
