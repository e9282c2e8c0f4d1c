"""Two small spots, solved once."""

import pytest

from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import Spot


@pytest.fixture(scope="session")
def river():
    """OOP has the nuts or nothing, IP a hand between: bets of the pot."""
    spot = Spot(board="Ks7h3d9h2c", pot=100, stack=100, oop="KhKd, 5c4c, 5d4d", ip="AdKc, AcQd:0.5", menu="100%")
    return subgame.solve(spot, target=0.01)


@pytest.fixture(scope="session")
def turn():
    spot = Spot(board="Ks7h3d9h", pot=100, stack=200, oop="AA, QhJh, 88", ip="KQs, 77, JhTh, 65s", menu="66%")
    return subgame.solve(spot, iterations=60)
