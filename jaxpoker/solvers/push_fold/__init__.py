"""Push or fold for two to six seats, in chips or in a tournament: who jams, and who calls after which jams and folds.

    game = push_fold.make(stacks=(10, 10, 10), payouts=(50, 30, 20))     # big blinds; without payouts: chips
    solver = CFR(game, ALGORITHMS["pcfr+"])
    table = solver.average(solver.run(solver.init(), 300))

Each seat acts once, so that a history is which of the seats before are in. What all-ins are worth is exact between two;
between three and more it is sampled (``three_way.py``, ``pool.py``), and ``make`` with another seed says how much that
matters.
"""

from __future__ import annotations

from jaxpoker.solvers.push_fold.jam_game import JamGame, make
from jaxpoker.solvers.push_fold.stakes import Stakes

__all__ = ["JamGame", "Stakes", "make"]
