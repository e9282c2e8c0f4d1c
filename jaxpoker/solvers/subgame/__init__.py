"""Subgames: hold'em from a turn or river on, every hand of both ranges exact. The words are in the README beside this;
flops are in ``solvers.flops``.

from jaxpoker.solvers import subgame

spot = subgame.Spot(board="Ks 7h 3d 9h", pot=100, stack=400, oop="TT-22, A2s+", ip="22+, A2s+", menu="66%, a")
solved = subgame.solve(spot, target=0.3)              # % of the pot
solved.ev, solved.at("c").frequencies
"""

from __future__ import annotations

from jaxpoker.solvers.subgame.batches import Batch, solve_many
from jaxpoker.solvers.subgame.locks import NodeLock
from jaxpoker.solvers.subgame.solved import Solved
from jaxpoker.solvers.subgame.solving import solve
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.subgame.storage import load

__all__ = ["Batch", "NodeLock", "Solved", "Spot", "load", "solve", "solve_many"]
