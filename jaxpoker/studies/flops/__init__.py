"""The flops experiment: one spot on many flops, and what changes from flop to flop."""
