"""The solve experiment."""
