"""Flops: hold'em from a flop on, every hand of both ranges exact, both streets to come enumerated.

from jaxpoker.solvers import flops, subgame

spot = subgame.Spot(board="Td 9d 6h", pot=20, stack=80, oop="66+, A8s+", ip="QQ-22, A2s+", menu="50%")
solved = flops.solve(spot, target=0.5, bits=16)             # % of the pot
solved.ev, solved.at("c").frequencies, solved.at("cc/", "2c").ev
"""

from __future__ import annotations

from jaxpoker.solvers.flops.solved import SolvedFlop
from jaxpoker.solvers.flops.solving import memory_of, solve

__all__ = ["SolvedFlop", "memory_of", "solve"]
