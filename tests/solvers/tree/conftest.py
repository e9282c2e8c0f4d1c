"""Trees of hold'em that several files read."""

import pytest

import jaxpoker
from jaxpoker.solvers import tree as trees


@pytest.fixture(scope="session")
def tree():
    """The solver's menu with 20 big blinds."""
    return trees.build(jaxpoker.make("holdem", menu="solver", stack=40))


@pytest.fixture(scope="session")
def repeats():
    """A menu in which two sizes come to the same chips, with an ante."""
    return trees.build(jaxpoker.make("holdem", menu="min, 1/3, a", stack=11, ante=1))
