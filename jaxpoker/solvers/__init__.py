"""Solvers: equilibria of poker, and how far from one a strategy is. The rooms are in the README beside this.

    solver = solvers.make("cfr+", jaxpoker.make("leduc"))
    strategy = solver.average(solver.run(solver.init(), 1000))     # [information sets, actions]
    solvers.exploitability(solver.game, strategy)          # exact
    player = solvers.as_player(solver.game)                # plays in match.play with the strategy as its params

Hold'em is too large for that: cards become buckets, boards are sampled, and what comes out is a blueprint.

    holdem = jaxpoker.make("holdem", menu="solver", stack=1000, small_blind=5, big_blind=10)
    solver = solvers.make("dcfr", holdem, cards="rank_based")      # ``cards``: who may share a strategy
    state, metrics = solver.update(solver.init(jax.random.key(0)))
"""

from __future__ import annotations

from jaxpoker.solvers import abstraction, blueprint, tree
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.exact.best_response import exploitability
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.exact.strategies import as_player, of_player
from jaxpoker.solvers.making import Solver, make
from jaxpoker.solvers.regret import ALGORITHMS, Algorithm, Lock
from jaxpoker.solvers.tree import Tree

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Blueprint",
    "CardAbstraction",
    "ExactGame",
    "Lock",
    "Solver",
    "Tree",
    "abstraction",
    "as_player",
    "blueprint",
    "exploitability",
    "make",
    "of_player",
    "tree",
]
