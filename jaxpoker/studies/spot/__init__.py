"""The spot experiment: turns and rivers of hold'em solved exactly, hand by hand."""
