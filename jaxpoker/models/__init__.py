"""Networks, as flax modules."""
