"""The equilibrium of a game that is solved in seconds, as a player: Kuhn, Leduc, push/fold hold'em."""

from __future__ import annotations

from jaxpoker import core
from jaxpoker.players.contract import Entrant
from jaxpoker.solvers.exact import exact_game, strategies
from jaxpoker.solvers.exact.cfr import CFR


def entrant(game: core.Game, iterations: int = 1_000, name: str = "equilibrium") -> Entrant:
    """The player of the average strategy of so many iterations of CFR+."""
    solved = exact_game.whole(game)
    solver = CFR(solved)
    return Entrant(strategies.as_player(solved, name), solver.average(solver.run(solver.init(), iterations)))
