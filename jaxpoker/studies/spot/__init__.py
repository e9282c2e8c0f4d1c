"""The spot experiment: flops, turns and rivers of hold'em solved exactly, hand by hand."""
