"""Public betting trees: built from any state, with betting as text and bets off the tree translated.

from jaxpoker.solvers import tree

leduc = tree.build(jaxpoker.make("leduc"))
print(leduc.text())
"""

from __future__ import annotations

from jaxpoker.solvers.tree.building import below, build
from jaxpoker.solvers.tree.public_tree import CHANCE, DECISION, END, NONE, OUTCOMES, Tree, replay

__all__ = ["CHANCE", "DECISION", "END", "NONE", "OUTCOMES", "Tree", "below", "build", "replay"]
