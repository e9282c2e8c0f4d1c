"""Small flops that are solved once, and an oracle that shares nothing with the solver: treys' evaluator, and loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from treys import Evaluator

from jaxpoker import cards
from jaxpoker.solvers import flops
from tests.solvers.flops.small_flops import ITERATIONS, small_spot

EVALUATOR = Evaluator()


@pytest.fixture(scope="session")
def small():
    return small_spot()


@pytest.fixture(scope="session")
def solved(small):
    return flops.solve(small, iterations=ITERATIONS)


@pytest.fixture(scope="session")
def packed(small):
    """The same in 16 bits."""
    return flops.solve(small, iterations=ITERATIONS, bits=16)


@pytest.fixture(scope="session")
def equity_by_treys():
    """``(hand, other, board) -> `` wins less losses of a hand over all boards, as a mean; 0 for ties."""

    def equity(hand: str, other: str, board: str) -> float:
        ours, theirs, opened = (cards.parse(text).tolist() for text in (hand, other, board))
        left = [card for card in range(52) if card not in (*ours, *theirs, *opened)]
        results = []
        for runout in itertools.combinations(left, 5 - len(opened)):
            table = cards.to_treys((*opened, *runout))
            one, two = (EVALUATOR.evaluate(table, cards.to_treys(held)) for held in (ours, theirs))
            results.append(np.sign(two - one))
        return float(np.mean(results))

    return equity
