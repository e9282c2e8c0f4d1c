"""Public betting trees: built from any state; betting as text; bets that are not on the tree, translated.

    from jaxpoker.solvers import tree

    leduc = tree.build(jaxpoker.make("leduc"))
    print(leduc.text())

The README beside this says which file to open first.
"""

from __future__ import annotations

from jaxpoker.solvers.tree.building import below, build
from jaxpoker.solvers.tree.public_tree import CHANCE, DECISION, END, NONE, OUTCOMES, Tree, replay

__all__ = ["CHANCE", "DECISION", "END", "NONE", "OUTCOMES", "Tree", "below", "build", "replay"]
