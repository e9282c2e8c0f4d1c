"""Solvers: equilibria of two-player poker, and how far from one a strategy is. The rooms are in the README beside this.

    solver = solvers.make("cfr+", jaxpoker.make("leduc"))
    strategy = solver.average(solver.run(solver.init(), 1000))     # [information sets, actions]
    best_response.exploitability(solver.game, strategy)            # exact
    player = strategies.as_player(solver.game)                     # plays in match.play with the strategy as its params

``best_response`` and ``strategies`` are in ``jaxpoker.solvers.exact``. Hold'em is too large for that: hands become
buckets, boards are sampled, and the result is a blueprint.

    holdem = jaxpoker.make("holdem", menu="solver", stack=1000, small_blind=5, big_blind=10)
    solver = solvers.make("dcfr", holdem, cards="rank_based")      # ``cards``: which hands share a strategy
    state, metrics = solver.update(solver.init(jax.random.key(0)))
"""

from __future__ import annotations

from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.making import Solver, make
from jaxpoker.solvers.regret import ALGORITHMS, Algorithm, Lock
from jaxpoker.solvers.tree import Tree

__all__ = ["ALGORITHMS", "Algorithm", "CardAbstraction", "ExactGame", "Lock", "Solver", "Tree", "make"]
