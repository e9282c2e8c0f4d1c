"""Betting trees."""

from __future__ import annotations

from jaxpoker.solvers.tree.public_tree import CHANCE, DECISION, END, NONE, OUTCOMES, Tree, build, replay

__all__ = ["CHANCE", "DECISION", "END", "NONE", "OUTCOMES", "Tree", "build", "replay"]
