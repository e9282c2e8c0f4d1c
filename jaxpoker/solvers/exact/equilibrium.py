"""The equilibrium of a game that is solved in seconds, as a player: Kuhn, Leduc, push/fold hold'em."""

from __future__ import annotations

from jaxpoker import core
from jaxpoker.players.contract import Entrant
from jaxpoker.solvers.exact import cfr, exact_game, strategies


def of(game: core.Game, iterations: int = 1_000, name: str = "equilibrium") -> Entrant:
    """The player of the average strategy of so many iterations of CFR+."""
    solved = exact_game.of(game)
    solver = cfr.CFR(solved, cfr.ALGORITHMS["cfr+"])
    return Entrant(strategies.as_player(solved, name), solver.average(solver.run(solver.init(), iterations)))


def entrant(game: core.Game) -> Entrant:
    """The equilibrium of ``game`` by its name in the registry of players."""
    return of(game)
