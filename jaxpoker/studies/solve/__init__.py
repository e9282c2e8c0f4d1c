"""The solve experiment: equilibria, of small games exactly and of hold'em over an abstraction."""
